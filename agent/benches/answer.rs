//! Benchmark: time to read a model's answer, by model family (4 KB) and by length (1 KB to 1 MB).
//! Each length is read whole and in the pieces of a stream. If reading is linear, the time per KB
//! does not grow with the length.
//!
//! `cargo bench -p tool-hub-agent --bench answer`

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tool_hub_agent::conversation::answer::AnswerFormat;

type BoxError = Box<dyn std::error::Error>;

const KB: usize = 1 << 10;
/// The fastest of this many readings counts: the others are slowed by the machine.
const ROUNDS: usize = 200;
/// About what a model writes at once.
const PIECE_BYTES: usize = 4;

fn main() -> Result<(), BoxError> {
    for name in AnswerFormat::names() {
        let format: AnswerFormat = name.parse()?;
        let answer = answer(name, 4 * KB)?;
        let took = fastest(ROUNDS, || whole(&format, &answer));
        println!("{name}, 4 KB: {:.1} µs", micros(took));
    }
    for name in ["hermes", "qwen3-coder", "generic"] {
        let format: AnswerFormat = name.parse()?;
        for kb in [1, 4, 16, 64, 256, 1024] {
            let answer = answer(name, kb * KB)?;
            let rounds = (ROUNDS / kb).max(5);
            let took = fastest(rounds, || whole(&format, &answer));
            let streamed = fastest(rounds, || in_pieces(&format, &answer));
            let each = |took: Duration| micros(took) / kb as f64;
            println!(
                "{name}, {kb} KB: {:.1} µs, {:.2} a KB; in pieces of {PIECE_BYTES} bytes {:.2} a KB",
                micros(took),
                each(took),
                each(streamed)
            );
        }
    }
    Ok(())
}

/// An answer of about that many bytes: text and calls from the family's first test vectors.
fn answer(name: &str, bytes: usize) -> Result<String, BoxError> {
    let file = format!("{}/tests/answers/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let vectors: Vec<serde_json::Value> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let about = |about: &str| {
        let vector = vectors.iter().find(|vector| vector["about"] == about);
        vector
            .and_then(|vector| vector["answer"].as_str())
            .ok_or("no vector")
    };
    let text = "What is asked for takes some steps; here is what comes first, and why [1].\n";
    let unit = format!("{}\n{}", text.repeat(4), about("arguments in arguments")?);
    let lead = about("text before a call")?;
    let times = bytes.saturating_sub(lead.len()) / unit.len() + 1;
    let mut answer = format!("{lead}\n{}", unit.repeat(times));
    answer.truncate(answer.floor_char_boundary(bytes));
    Ok(answer)
}

fn whole(format: &AnswerFormat, answer: &str) {
    black_box(format.read(black_box(answer), "", &[]));
}

fn in_pieces(format: &AnswerFormat, answer: &str) {
    let mut reader = format.reader("", &[]);
    let mut rest = answer;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE_BYTES.min(rest.len())));
        black_box(reader.push(black_box(piece)));
        rest = after;
    }
    black_box(reader.finish());
}

fn fastest(rounds: usize, read: impl Fn()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        read();
        start.elapsed()
    };
    (0..rounds).map(time).min().unwrap_or_default()
}

fn micros(took: Duration) -> f64 {
    took.as_secs_f64() * 1e6
}
