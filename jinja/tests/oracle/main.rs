//! The engine held against Jinja2 with templates that are made by chance. Jinja2 is installed
//! from its registry, so this runs when it is asked for:
//!
//! `cargo test -p tool-hub-jinja --test oracle -- --ignored --nocapture`

#![allow(clippy::print_stdout, reason = "counts are what the test is for")]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/clients/packages.rs"]
mod packages;

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value};
use tool_hub_jinja::{Error, Global, Limits, Template};

const PACKAGES: [&str; 1] = ["jinja2==3.1.6"];
const SEED: &str = "6";
const COUNT: &str = "8000";

/// What may differ, by a part of the template, and why.
const DIFFERS: [(&str, &str); 3] = [
    ("** 0.5", "there are no complex numbers"),
    (
        "'nofilter'",
        "Jinja2 looks for a filter when an item is taken",
    ),
    ("[0:0]", "Jinja2 takes a slice of a constant for undefined"),
];

#[test]
#[ignore = "installs jinja2 from PyPI"]
fn templates_print_what_jinja2_prints() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/templates.py");
    let output = Command::new("python3")
        .env("PYTHONPATH", packages::python(&PACKAGES))
        .args([script.as_os_str(), SEED.as_ref(), COUNT.as_ref()])
        .stderr(Stdio::inherit())
        .output()
        .expect("Python starts");
    assert!(output.status.success());
    let mut lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let variables = lines.next().expect("variables").expect("JSON");
    let variables = variables.as_object().expect("an object");
    let (mut same, mut refused, mut different, mut known) = (0, 0, 0, 0);
    for case in lines {
        let case = case.expect("JSON");
        let source = case["source"].as_str().expect("a source");
        let printed = printed(source, variables);
        match (&printed, case["printed"].as_str()) {
            // Where a value is in memory is nothing to compare.
            (_, Some(expected)) if expected.contains(" at 0x") => {}
            (Ok(printed), Some(expected)) if printed == expected => same += 1,
            (Err(_), None) => refused += 1,
            _ if DIFFERS.iter().any(|(part, _)| source.contains(part)) => known += 1,
            (printed, expected) => {
                different += 1;
                let expected = expected.or(case["error"].as_str());
                println!("{source:?}\n  expected {expected:?}\n  but {printed:?}");
            }
        }
    }
    println!("{same} print the same, {refused} are refused by both, {known} differ as known");
    assert_eq!(different, 0);
}

fn printed(source: &str, variables: &Map<String, Value>) -> Result<String, Error> {
    let raise = |message: &str| Err(Error::Raised(message.to_owned()));
    Template::new(source, Limits::default())?.render(&|name| match name {
        "raise_exception" => Some(Global::Function(&raise)),
        name => variables.get(name).map(Global::Json),
    })
}
