//! Helper of both schema tests: compares our schemas with those of Transformers by function.
//! Those schemas are recorded (`golden.rs`) or made when the test runs (`oracles`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tool_hub_source::{FaultKind, Function, Language, read};

/// The schemas of Transformers.
pub(crate) const GOLDEN: &str = include_str!("python/golden.jsonl");

/// The deliberate differences: if `Returns:` comes first, Transformers includes the arguments in
/// the description of the result.
const DIFFERENT: [&str; 1] = ["returns_before_args"];

/// The numbers of functions with the expected result.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) same: usize,
    pub(crate) refused: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { same, refused } = self;
        let all = same + refused;
        write!(
            f,
            "{all} functions: {same} have the same schema, {refused} are refused for the same reason"
        )
    }
}

/// The files with functions, in order.
pub(crate) fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let entries = std::fs::read_dir(directory).expect("the directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    files.sort();
    files
}

/// The differences between the read definitions and `expected`: JSON lines, byte for byte.
pub(crate) fn differences(expected: &str) -> (Counts, Vec<String>) {
    let mut read = all_read();
    let (mut counts, mut differences) = (Counts::default(), Vec::new());
    for line in expected.lines() {
        let case: Value = serde_json::from_str(line).expect("a case");
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        let key = (
            text("file").expect("a file"),
            text("function").expect("a name"),
        );
        let expected = match (text("schema"), text("error")) {
            (Some(schema), _) => Ok(schema),
            (None, error) => Err(error.expect("a schema or an error")),
        };
        match (read.remove(&key), expected) {
            (Some(Ok(ours)), Ok(schema)) if ours == schema => counts.same += 1,
            (Some(Err(ours)), Err(error)) if ours == error => counts.refused += 1,
            (Some(Ok(ours)), Ok(theirs)) if DIFFERENT.contains(&&*key.1) && ours != theirs => {}
            (ours, theirs) => {
                differences.push(format!("{key:?}\n  ours   {ours:?}\n  theirs {theirs:?}"));
            }
        }
    }
    let unexpected: BTreeSet<_> = read.into_keys().collect();
    differences.extend(
        unexpected
            .iter()
            .map(|key| format!("{key:?} is not expected")),
    );
    (counts, differences)
}

type ReadDefinitions = BTreeMap<(String, String), Result<String, String>>;

fn all_read() -> ReadDefinitions {
    let mut found = ReadDefinitions::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a file");
        let name = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let functions =
            read(&text, Language::Python).unwrap_or_else(|error| panic!("{name}: {error}"));
        for function in functions {
            found.insert((name.clone(), function.name.clone()), outcome(function));
        }
    }
    found
}

fn outcome(function: Function) -> Result<String, String> {
    match function.definition {
        Ok(definition) => Ok(definition.to_json().to_string()),
        Err(fault) => Err(match fault.kind {
            FaultKind::NoDescription => "no description".to_owned(),
            FaultKind::NoParameterDescription { parameter } => {
                format!("no description of {parameter}")
            }
            FaultKind::NoType { parameter } => format!("no type of {parameter}"),
            FaultKind::UnsupportedType { .. } => "unsupported type".to_owned(),
            FaultKind::UnknownName { name } => format!("unknown name {name}"),
            FaultKind::Choices { .. } => "choices".to_owned(),
            other => other.to_string(),
        }),
    }
}
