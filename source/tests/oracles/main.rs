//! Compares the schemas of Python functions with those that Transformers makes when the test runs.
//! Transformers is installed from its registry, so this runs only when it is asked for:
//!
//! `cargo test -p tool-hub-source --test oracles -- --ignored --nocapture`

#![allow(clippy::print_stdout, reason = "counts are what the test is for")]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/clients/packages.rs"]
mod packages;
#[path = "../table.rs"]
mod table;

use std::path::Path;
use std::process::{Command, Stdio};

const PACKAGES: [&str; 3] = ["transformers==5.23.0", "jinja2==3.1.6", "pillow==13.0.0"];

#[test]
#[ignore = "installs transformers from PyPI"]
fn schemas_are_those_of_get_json_schema() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/get_json_schema.py");
    let output = Command::new("python3")
        .env("PYTHONPATH", packages::python(&PACKAGES))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(script)
        .args(table::files())
        .stderr(Stdio::inherit())
        .output()
        .expect("Python starts");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("JSON lines");
    let (counts, differences) = table::differences(&printed);
    println!("{counts}, {} differ", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(printed, table::GOLDEN, "the golden file is another one");
}
