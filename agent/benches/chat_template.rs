//! Benchmark: printing conversations with models' own chat templates, compared with Transformers.
//! Both print the same conversations with the same templates, those of real models that come with
//! llama_cpp_python. The bar is a quarter of Transformers' time.
//!
//! `CARGO_TARGET_DIR=target/bench cargo bench -p tool-hub-agent --bench chat_template`
//!
//! Python is one process that has imported everything and compiled each template once, and
//! measures the rendering alone; here a template is parsed once as well. Both are driven in turn,
//! case by case, so that whatever else the machine does falls on both.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/oracles/cases.rs"]
mod cases;
#[allow(dead_code, reason = "tests use the rest")]
#[path = "../../tests/clients/packages.rs"]
mod packages;

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tool_hub_agent::conversation::chat_template::ChatTemplate;

use cases::{Case, PACKAGES};

/// The number of turns of each side at a case. The fastest turn counts.
const TURNS: usize = 5;
/// The approximate length of a turn of Python's.
const TURN_SECONDS: f64 = 0.01;

struct Python {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

struct Figures {
    ours: f64,
    theirs: f64,
    parsing: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut python = Python::start()?;
    let mut all = Vec::new();
    for case in cases::cases().iter().filter(|case| case.printed.is_some()) {
        all.extend(measure(case, &mut python)?);
    }
    python.child.kill()?;
    python.child.wait()?;
    let mut ratios: Vec<f64> = all.iter().map(|it| it.theirs / it.ours).collect();
    ratios.sort_by(f64::total_cmp);
    let sum = |time: fn(&Figures) -> f64| all.iter().map(time).sum::<f64>() / all.len() as f64;
    let (ours, theirs, parsing) = (sum(|it| it.ours), sum(|it| it.theirs), sum(|it| it.parsing));
    println!(
        "{} cases, mean: {:.1} µs here, {:.1} µs in Python, {:.1} times as fast (bar 4)",
        all.len(),
        ours * 1e6,
        theirs * 1e6,
        theirs / ours
    );
    println!(
        "by case: slowest {:.1}, median {:.1}, fastest {:.1} times as fast; parsing a template takes {:.1} µs",
        ratios[0],
        ratios[ratios.len() / 2],
        ratios[ratios.len() - 1],
        parsing * 1e6
    );
    Ok(())
}

/// The times for one case; none if this crate does not print it.
fn measure(
    case: &Case,
    python: &mut Python,
) -> Result<Option<Figures>, Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let Ok(template) = ChatTemplate::new(&case.source) else {
        return Ok(None);
    };
    let parsing = begin.elapsed().as_secs_f64();
    let chat = case.chat();
    if template.render(&chat).is_err() {
        return Ok(None);
    }
    let once = python.seconds(case, 1)?;
    let rounds = ((TURN_SECONDS / once) as usize).clamp(1, 1_000);
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TURNS {
        theirs = theirs.min(python.seconds(case, rounds)? / rounds as f64);
        let begin = Instant::now();
        for _ in 0..rounds {
            black_box(template.render(black_box(&chat)))?;
        }
        ours = ours.min(begin.elapsed().as_secs_f64() / rounds as f64);
    }
    Ok(Some(Figures {
        ours,
        theirs,
        parsing,
    }))
}

impl Python {
    fn start() -> std::io::Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/chat_template.py");
        let mut child = Command::new("python3")
            .env("PYTHONPATH", packages::python(&PACKAGES))
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = pipes else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
        })
    }

    /// The time to render `case` that often.
    fn seconds(&mut self, case: &Case, rounds: usize) -> Result<f64, Box<dyn std::error::Error>> {
        let asked = json!({
            "source": case.source,
            "chat": case.conversation,
            "tokens": case.tokens,
            "rounds": rounds,
        });
        writeln!(self.stdin, "{asked}")?;
        self.stdin.flush()?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        answer.as_f64().ok_or_else(|| "no time".into())
    }
}
