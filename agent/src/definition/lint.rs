//! Lints the descriptions, names and schemas of functions for what may confuse a model.
//! The rules follow the advice of people who wrote many tools. Missing descriptions are left to
//! `tool check`.

mod finding;
mod rules;
mod similarity;
#[cfg(test)]
mod tests;
mod words;

use tool_hub_manifest::FunctionSpec;

pub use finding::{Finding, Rule};

/// Lists what may confuse a model in `specs`, which it sees together with `others`, in the order of
/// `specs`. Of two functions that are alike, the finding is about the later one.
pub fn lint(specs: &[FunctionSpec], others: &[FunctionSpec]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let profiles: Vec<_> = specs
        .iter()
        .chain(others)
        .map(similarity::Profile::of)
        .collect();
    for (index, spec) in specs.iter().enumerate() {
        rules::judge(spec, &mut findings);
        let before = profiles[..index].iter().chain(&profiles[specs.len()..]);
        findings.extend(similarity::judge(&profiles[index], before));
    }
    findings
}
