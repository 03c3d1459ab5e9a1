//! The report of a test run: its results, as lines for people and as JSON.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::terminal::escape::{escape_json, escape_line};
use crate::terminal::phrases::counted;

/// The suite of the random calls.
pub(super) const RANDOM: &str = "random calls";

/// All that a run found out.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The tool's name.
    pub(super) tool: String,
    pub(super) version: String,
    /// The seed of the random calls.
    pub(super) seed: u64,
    pub(super) results: Vec<TestResult>,
    /// What else the author should know.
    pub(super) notes: Vec<String>,
}

/// One test, and what came of it.
#[derive(Debug, Serialize)]
pub(super) struct TestResult {
    /// Where it stands: `tests/words.toml`, `examples` or `random calls`.
    pub(super) suite: String,
    pub(super) name: String,
    pub(super) function: String,
    pub(super) passed: bool,
    /// The calls that were made for it.
    pub(super) calls: u32,
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub(super) time: Duration,
    /// What was wrong, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) problems: Vec<String>,
    /// What the tool wrote meanwhile, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) written: Vec<String>,
    /// The arguments of the call that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Value>,
    /// The command that makes that call again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeat: Option<String>,
}

fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

impl Report {
    /// The number of tests that failed.
    pub(crate) fn failed(&self) -> usize {
        self.results.iter().filter(|result| !result.passed).count()
    }

    /// The number of tests.
    pub(crate) fn count(&self) -> usize {
        self.results.len()
    }

    /// The numbers of tests that passed and failed.
    pub(crate) fn summary(&self) -> String {
        let failed = self.failed();
        let passed = self.count() - failed;
        format!("{passed} passed, {failed} failed")
    }

    /// The results as JSON.
    pub(crate) fn json(&self) -> serde_json::Result<Value> {
        let mut json = serde_json::to_value(self)?;
        json["failed"] = self.failed().into();
        json["passed"] = (self.count() - self.failed()).into();
        Ok(json)
    }

    /// The suites in order, each with its results.
    pub(super) fn suites(&self) -> Vec<(&str, Vec<&TestResult>)> {
        let mut suites: Vec<(&str, Vec<&TestResult>)> = Vec::new();
        for result in &self.results {
            match suites.last_mut() {
                Some((suite, results)) if *suite == result.suite => results.push(result),
                _ => suites.push((&result.suite, vec![result])),
            }
        }
        suites
    }

    /// The report for people: a line for each test, and below it what was wrong.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (suite, results) in self.suites() {
            let seed = match suite == RANDOM {
                true => format!(", seed {}", self.seed),
                false => String::new(),
            };
            lines.push(format!("{}{seed}", escape_line(suite)));
            for result in results {
                lines.extend(result.lines());
            }
        }
        let notes = self.notes.iter();
        lines.extend(notes.map(|note| format!("note: {}", escape_line(note))));
        lines.push(self.summary());
        lines
    }

    /// The lines of the tests that failed.
    pub(crate) fn failures(&self) -> Vec<String> {
        let failed = self.results.iter().filter(|result| !result.passed);
        failed.flat_map(TestResult::lines).collect()
    }
}

impl TestResult {
    fn lines(&self) -> Vec<String> {
        let verdict = if self.passed { "ok  " } else { "FAIL" };
        let calls = match self.calls {
            1 => String::new(),
            calls => format!(" ({})", counted(calls as usize, "call")),
        };
        let function = match self.name == self.function {
            true => String::new(),
            false => format!(" [{}]", escape_line(&self.function)),
        };
        let name = escape_line(&self.name);
        let mut lines = vec![format!("  {verdict} {name}{function}{calls}")];
        let problems = self.problems.iter();
        lines.extend(problems.map(|problem| format!("       {}", escape_line(problem))));
        // Escaped by whoever collected them.
        let written = self.written.iter();
        lines.extend(written.map(|line| format!("       {line}")));
        if let Some(repeat) = &self.repeat {
            lines.push(format!("       repeat it with: {}", escape_line(repeat)));
        }
        lines
    }
}

/// The command that calls `function` of the project that the user calls `shown`.
pub(super) fn repeat(shown: &str, function: &str, arguments: &Value) -> String {
    let arguments = escape_json(&arguments.to_string());
    format!(
        "tool call {} {function} --json-args {}",
        quoted(shown),
        quoted(&arguments)
    )
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_one_line_that_a_shell_reads_back() {
        let arguments = json!({"text": "it's\n\u{202e}"});
        assert_eq!(
            repeat("./my tool", "count", &arguments),
            r#"tool call './my tool' count --json-args '{"text":"it'\''s\n\u202e"}'"#
        );
        assert_eq!(
            repeat(".", "f", &json!({})),
            "tool call . f --json-args '{}'"
        );
    }

    #[test]
    fn a_tool_s_text_forges_no_line() {
        let result = TestResult {
            suite: "examples".to_owned(),
            name: "a\n  ok   b".to_owned(),
            function: "f".to_owned(),
            passed: false,
            calls: 1,
            time: Duration::ZERO,
            problems: vec!["found \u{1b}[2J\n".to_owned()],
            written: Vec::new(),
            arguments: None,
            repeat: None,
        };
        let lines = result.lines();
        assert_eq!(
            lines,
            ["  FAIL a\\n  ok   b [f]", "       found \\u{1b}[2J\\n"]
        );
    }
}
