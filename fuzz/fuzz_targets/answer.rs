//! Fuzzes the readers of models' answers: read in pieces or whole, each gives the same.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tool_hub_agent::conversation::answer::{Answer, AnswerFormat, AnswerReader};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    family: u8,
    cuts: Vec<u8>,
    answer: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let names: Vec<&str> = AnswerFormat::names().collect();
    let name = names[usize::from(input.family) % names.len()];
    let format: AnswerFormat = name.parse().expect("a family");
    let whole = format.read(input.answer, "", &[]);
    let mut reader = format.reader("", &[]);
    let mut pieces = Answer::default();
    let mut rest = input.answer;
    for cut in input.cuts {
        let at = rest.floor_char_boundary(usize::from(cut).min(rest.len()));
        let (piece, after) = rest.split_at(at);
        push(&mut reader, piece, &mut pieces);
        rest = after;
    }
    push(&mut reader, rest, &mut pieces);
    for event in reader.finish() {
        pieces.add(event);
    }
    assert_eq!(pieces, whole, "{name}");
    assert!(whole.text.len() <= input.answer.len() * 2 + 2);
});

fn push(reader: &mut AnswerReader<'_>, piece: &str, answer: &mut Answer) {
    for event in reader.push(piece) {
        answer.add(event);
    }
}
