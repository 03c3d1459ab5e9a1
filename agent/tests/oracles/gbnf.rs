//! Tests that llama.cpp accepts by our GBNF grammars the texts that our regexes accept.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use regex::Regex;
use serde_json::{Value, json};
use tool_hub_agent::constraint::{Constraint, Format};
use tool_hub_agent::definition::random_arguments::random_arguments;

use crate::random_schemas::{changed, schemas};

const LLAMA_CPP_PYTHON: &str = "0.3.36";
/// The numbers of random schemas and of values of each.
const SCHEMAS: u64 = 400;
const VALUES: usize = 5;

struct Case {
    grammar: String,
    text: String,
    is_accepted: bool,
}

#[test]
#[ignore = "downloads the source of llama_cpp_python from PyPI and compiles some of it"]
fn llama_cpp_accepts_what_the_regular_expression_does() {
    let cases = cases();
    let answers = answers(&cases);
    assert_eq!(answers.len(), cases.len());
    for (case, answer) in cases.iter().zip(&answers) {
        let expected = if case.is_accepted { b'y' } else { b'n' };
        assert_eq!(*answer, expected, "{}\n{}", case.text, case.grammar);
    }
    let accepted = cases.iter().filter(|case| case.is_accepted).count();
    println!(
        "{} texts, of which {accepted} are accepted by both and the others by none",
        cases.len()
    );
    assert!(
        accepted > 1_000 && cases.len() - accepted > 1_000,
        "cases are missing"
    );
}

fn cases() -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    for seed in 0..SCHEMAS {
        let schema = schemas().new_tree(&mut runner).expect("a schema").current();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut texts = Vec::new();
        for _ in 0..VALUES {
            let value = random_arguments(&schema, &[], &mut random);
            texts.extend([value.to_string(), changed(&value, &mut random).to_string()]);
            texts.push(value.to_string().chars().skip(1).collect());
        }
        add(&mut cases, &schema, texts);
    }
    // What random schemas lack: large counts, patterns, and invisible characters.
    let odd = json!({"type": "object", "required": ["s"], "properties": {
        "s": {"type": "string", "minLength": 3, "maxLength": 256},
        "p": {"type": "string", "pattern": "^[^\"\\\\\u{0}-\u{1f}]{2,256}\u{200b}?[-\\]^]$"},
        "l": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 14}, "maxItems": 256},
    }});
    let texts = [
        json!({"s": "\u{1f600}".repeat(256)}),
        json!({"s": "a".repeat(257)}),
        json!({"s": "abc", "p": "ab\u{200b}-", "l": vec![14; 256]}),
        json!({"s": "abc", "p": "ab\u{200b}a"}),
        json!({"s": "abc", "l": vec![14; 257]}),
    ];
    add(
        &mut cases,
        &odd,
        texts.iter().map(Value::to_string).collect(),
    );
    cases
}

fn add(cases: &mut Vec<Case>, schema: &Value, texts: Vec<String>) {
    let constraint = Constraint::json_schema(schema.clone());
    let compiled = |format| {
        constraint
            .compile(format)
            .expect("a schema of the family")
            .text
    };
    let judge = Regex::new(&format!("^(?:{})$", compiled(Format::Regex)));
    let (Ok(judge), grammar) = (judge, compiled(Format::Gbnf)) else {
        return; // Too large for the crate's own limit.
    };
    cases.extend(texts.into_iter().map(|text| Case {
        is_accepted: judge.is_match(&text),
        grammar: grammar.clone(),
        text,
    }));
}

/// The verdict of llama.cpp on each case.
fn answers(cases: &[Case]) -> Vec<u8> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let program = place.path().join("gbnf");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/gbnf.py");
    let built = Command::new("python3")
        .arg(script)
        .arg(LLAMA_CPP_PYTHON)
        .arg(&program)
        .status();
    assert!(built.expect("Python starts").success());
    let mut input = Vec::new();
    for text in cases.iter().flat_map(|case| [&case.grammar, &case.text]) {
        let length = u32::try_from(text.len()).expect("a short text");
        input.extend(length.to_ne_bytes());
        input.extend(text.as_bytes());
    }
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("its answers");
    assert!(output.status.success() && writer.join().expect("no panic").is_ok());
    output.stdout
}
