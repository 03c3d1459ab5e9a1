//! Reads the files `tests/*.toml` of a project: cases, and what is set up for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_hub_host::CallableFunction;
use tool_hub_manifest::{DirectoryName, FunctionName, VariableName};

use crate::files;
use crate::terminal::problem::Problem;

/// The directory of a project for its tests.
pub(crate) const DIRECTORY: &str = "tests";
/// The file whose set-up the examples of the manifest have too.
pub(super) const EXAMPLES: &str = "examples";
/// The member by which the TOML parser hands a date to other formats.
const DATE: &str = "$__toml_private_datetime";
/// The kinds of failures that a case may expect.
const KINDS: [&str; 13] = [
    "conflict",
    "denied",
    "failed",
    "host-limit",
    "input-required",
    "internal",
    "invalid-argument",
    "limit-reached",
    "not-found",
    "permission-denied",
    "trapped",
    "unavailable",
    "unknown-function",
];

/// A file of cases.
#[derive(Debug)]
pub(super) struct CaseFile {
    /// Its name without `.toml`.
    pub(super) name: String,
    pub(super) setup: Setup,
    pub(super) cases: Vec<Case>,
}

impl CaseFile {
    /// The file that is not there: the examples are run with nothing set up.
    pub(super) fn of_examples() -> Self {
        Self {
            name: EXAMPLES.to_owned(),
            setup: Setup::default(),
            cases: Vec::new(),
        }
    }
}

/// What the cases of a file find: they run one after another on the same copies.
#[derive(Debug, Default)]
pub(super) struct Setup {
    /// The contents of the tool's directories, below the project's `tests`; others are empty.
    pub(super) directories: BTreeMap<DirectoryName, PathBuf>,
    /// The values of the tool's variables; others are not set.
    pub(super) variables: BTreeMap<VariableName, String>,
}

/// A call, and what is expected of it.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) function: FunctionName,
    pub(super) arguments: Value,
    pub(super) expected: Expected,
}

/// What is expected of a call.
#[derive(Debug)]
pub(super) enum Expected {
    /// An answer, of this value and with these texts where they are given.
    Answer {
        value: Option<Value>,
        texts: Vec<String>,
    },
    /// A failure.
    Failure(ExpectedFailure),
}

/// A failure that is expected; what is left out may be anything.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedFailure {
    pub(super) kind: Option<String>,
    pub(super) text: Option<String>,
    pub(super) argument: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    #[serde(default)]
    directories: BTreeMap<DirectoryName, PathBuf>,
    #[serde(default)]
    variables: BTreeMap<VariableName, String>,
    #[serde(default, rename = "case")]
    cases: Vec<WrittenCase>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCase {
    name: Option<String>,
    function: Option<String>,
    arguments: Option<Map<String, Value>>,
    arguments_json: Option<String>,
    expect: Option<Value>,
    expect_json: Option<String>,
    expect_text: Option<OneOrSeveral>,
    fails: Option<ExpectedFailure>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrSeveral {
    One(String),
    Several(Vec<String>),
}

/// True if the project in `directory` has files of cases.
pub(crate) fn are_there(directory: &Path) -> anyhow::Result<bool> {
    Ok(!paths(directory)?.is_empty())
}

/// Reads the files of cases of the project in `directory`, in the order of their names, whose tool
/// has `functions`.
///
/// # Errors
/// When one cannot be read, has a key that there is not, or calls a function that there is not.
pub(super) fn read_all(
    directory: &Path,
    functions: &[CallableFunction],
) -> anyhow::Result<Vec<CaseFile>> {
    let paths = paths(directory)?.into_iter();
    paths.map(|path| read(&path, functions)).collect()
}

fn paths(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let directory = directory.join(DIRECTORY);
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let failed = || format!("{} cannot be read", directory.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".toml") && !name.starts_with('.') {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path, functions: &[CallableFunction]) -> anyhow::Result<CaseFile> {
    let shown = path.display();
    let text = files::read_text(path, files::DOCUMENT_BYTES_MAX)
        .with_context(|| format!("{shown} cannot be read"))?;
    let written: WrittenFile = toml_edit::de::from_str(&text).map_err(|error| {
        Problem::user(format!("{shown} is no file of cases"))
            .caused_by(error)
            .hint("a case is [[case]] with function, arguments, and expect or fails; see docs/reference.md")
    })?;
    let cases = written.cases.into_iter().enumerate();
    let cases = cases.map(|(index, case)| {
        let name = case.name.clone();
        let name = name.unwrap_or_else(|| format!("case {}", index + 1));
        case.checked(name.clone(), functions)
            .map_err(|problem| problem.within(&format!("{shown}, {name}")))
    });
    Ok(CaseFile {
        name: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into(),
        setup: Setup {
            directories: written.directories,
            variables: written.variables,
        },
        cases: cases
            .collect::<Result<_, Mistake>>()
            .map_err(Problem::from)?,
    })
}

/// A mistake in a case: what is wrong, and what to do.
#[derive(Debug)]
struct Mistake {
    what: String,
    cure: String,
}

impl Mistake {
    fn new(what: impl Into<String>, cure: impl Into<String>) -> Self {
        let (what, cure) = (what.into(), cure.into());
        Self { what, cure }
    }

    fn within(self, place: &str) -> Self {
        Self {
            what: format!("{place}: {}", self.what),
            ..self
        }
    }
}

impl From<Mistake> for Problem {
    fn from(mistake: Mistake) -> Self {
        Self::user(mistake.what).hint(mistake.cure)
    }
}

impl WrittenCase {
    fn checked(self, name: String, functions: &[CallableFunction]) -> Result<Case, Mistake> {
        let function = function(self.function.as_deref(), functions)?;
        let arguments = match (self.arguments, self.arguments_json) {
            (Some(_), Some(_)) => return Err(twice("arguments", "arguments_json")),
            (Some(arguments), None) => with_dates_as_texts(arguments.into()),
            (None, Some(text)) => json_of("arguments_json", &text)?,
            (None, None) => json!({}),
        };
        let value = match (self.expect, self.expect_json) {
            (Some(_), Some(_)) => return Err(twice("expect", "expect_json")),
            (Some(value), None) => Some(with_dates_as_texts(value)),
            (None, Some(text)) => Some(json_of("expect_json", &text)?),
            (None, None) => None,
        };
        let texts = match self.expect_text {
            None => Vec::new(),
            Some(OneOrSeveral::One(text)) => vec![text],
            Some(OneOrSeveral::Several(texts)) => texts,
        };
        let expected = match self.fails {
            None => Expected::Answer { value, texts },
            Some(_) if value.is_some() || !texts.is_empty() => {
                return Err(twice("expect", "fails"));
            }
            Some(failure) => Expected::Failure(known(failure)?),
        };
        Ok(Case {
            name,
            function,
            arguments,
            expected,
        })
    }
}

fn twice(one: &str, other: &str) -> Mistake {
    let what = format!("it has both `{one}` and `{other}`");
    Mistake::new(what, "leave one of them out")
}

fn json_of(key: &str, text: &str) -> Result<Value, Mistake> {
    serde_json::from_str(text).map_err(|error| {
        let what = format!("`{key}` is not JSON: {error}");
        Mistake::new(
            what,
            format!("write {key} = '{{\"name\": null}}', as JSON in quotes"),
        )
    })
}

fn known(failure: ExpectedFailure) -> Result<ExpectedFailure, Mistake> {
    match &failure.kind {
        Some(kind) if !KINDS.contains(&kind.as_str()) => Err(Mistake::new(
            format!("there is no kind of failure called `{kind}`"),
            format!("the kinds are {}", KINDS.join(", ")),
        )),
        _ => Ok(failure),
    }
}

fn function(named: Option<&str>, functions: &[CallableFunction]) -> Result<FunctionName, Mistake> {
    let (found, what) = match named {
        None => match functions {
            [only] => (Some(only), String::new()),
            _ => (None, "it does not say which function it calls".to_owned()),
        },
        Some(named) => {
            let plain = named.replace('-', "_");
            let mut functions = functions.iter();
            let found = functions.find(|function| function.name.as_str() == plain);
            (found, format!("the tool has no function called `{named}`"))
        }
    };
    let known = || {
        let names = functions.iter().map(|function| function.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    found
        .map(|function| function.name.clone())
        .ok_or_else(|| Mistake::new(what, format!("write function = \"…\"; it has {}", known())))
}

/// `value` with the dates of TOML, which JSON has not, as the texts that they were written as.
fn with_dates_as_texts(value: Value) -> Value {
    match value {
        Value::Object(members) => match members.get(DATE) {
            Some(date) if members.len() == 1 => date.clone(),
            _ => {
                let members = members.into_iter();
                let members = members.map(|(name, value)| (name, with_dates_as_texts(value)));
                Value::Object(members.collect())
            }
        },
        Value::Array(items) => items.into_iter().map(with_dates_as_texts).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> WrittenCase {
        let file: WrittenFile = toml_edit::de::from_str(text).unwrap();
        file.cases.into_iter().next().unwrap()
    }

    #[test]
    fn dates_are_texts() {
        let case = case("[[case]]\narguments = { on = 2026-11-25, list = [07:32:00] }");
        let arguments = with_dates_as_texts(case.arguments.unwrap().into());
        assert_eq!(arguments, json!({"on": "2026-11-25", "list": ["07:32:00"]}));
    }

    #[track_caller]
    fn refused(text: &str, expect: &str) {
        let mistake = case(text).checked("c".to_owned(), &[]).unwrap_err();
        assert!(mistake.what.contains(expect), "{}", mistake.what);
    }

    #[test]
    fn mistakes_are_named() {
        refused("[[case]]", "does not say which function");
        refused("[[case]]\nfunction = \"f\"", "no function called `f`");
        let kind = ExpectedFailure {
            kind: Some("lost".to_owned()),
            ..ExpectedFailure::default()
        };
        assert!(known(kind).unwrap_err().cure.contains("not-found"));
        assert!(
            json_of("expect_json", "{")
                .unwrap_err()
                .what
                .contains("is not JSON")
        );
        for unknown in [
            "[[case]]\nexpected = 1",
            "[[cases]]",
            "[[case]]\nfails = { kinds = 1 }",
        ] {
            assert!(
                toml_edit::de::from_str::<WrittenFile>(unknown).is_err(),
                "{unknown}"
            );
        }
    }
}
