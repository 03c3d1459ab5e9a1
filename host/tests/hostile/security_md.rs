//! Test that the table in SECURITY.md lists all cases with their outcomes, and no others.

use libtest_mimic::{Failed, Trial};

use crate::case::Case;

const DOCUMENT: &str = include_str!("../../../SECURITY.md");

/// The test that the document says what the cases say.
pub(crate) fn trial(cases: &[Case]) -> Trial {
    let rows: Vec<String> = cases
        .iter()
        .map(|case| {
            let (number, name, outcome) = (case.number, case.test_name(), case.outcome);
            format!("| {number} | `{name}` | {outcome} |")
        })
        .collect();
    Trial::test("security_md_lists_every_case", move || listed(&rows))
}

fn listed(rows: &[String]) -> Result<(), Failed> {
    let missing: Vec<&str> = rows
        .iter()
        .map(String::as_str)
        .filter(|row| !DOCUMENT.lines().any(|line| line == *row))
        .collect();
    if !missing.is_empty() {
        return Err(format!("SECURITY.md lacks\n{}", missing.join("\n")).into());
    }
    let stale = DOCUMENT
        .lines()
        .filter(|line| line.contains("| `case_") && !rows.iter().any(|row| row == line));
    match stale.collect::<Vec<_>>().join("\n") {
        lines if lines.is_empty() => Ok(()),
        lines => Err(format!("SECURITY.md lists what is not there\n{lines}").into()),
    }
}
