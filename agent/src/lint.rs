//! Descriptions of functions, judged as a model reads them: by the advice that those who wrote
//! many tools give. What is missing altogether is `tool check`'s affair.

mod alike;
mod rules;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;

use serde::Serialize;
use tool_hub_manifest::FunctionSpec;

/// Something that a model may stumble over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The function.
    pub function: String,
    /// The argument, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The rule.
    pub rule: Rule,
    /// What it is.
    pub message: String,
    /// What to write instead.
    pub instead: String,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The description says no more than the name.
    Purpose,
    /// The description does not say what comes back.
    Returns,
    /// An argument with a form of its own has no example.
    Example,
    /// The first sentence, by which a function is chosen, goes on and on.
    Long,
    /// Two descriptions say nearly the same.
    Overlap,
    /// Two names are nearly the same.
    Confusable,
    /// The name of an argument says nothing.
    ArgumentName,
    /// A call needs many arguments.
    ManyRequired,
    /// The schema says nothing of a value's shape, or what consumers refuse.
    Shapeless,
}

impl Rule {
    /// The rule's name, as it is written for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Purpose => "purpose",
            Self::Returns => "returns",
            Self::Example => "example",
            Self::Long => "long",
            Self::Overlap => "overlap",
            Self::Confusable => "confusable",
            Self::ArgumentName => "argument-name",
            Self::ManyRequired => "many-required",
            Self::Shapeless => "shapeless",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a model may stumble over in `specs`, which it sees together with `others`: in the order
/// of `specs`. Of two functions that are alike, the later one is told of.
pub fn lint(specs: &[FunctionSpec], others: &[FunctionSpec]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let profiles: Vec<_> = specs.iter().chain(others).map(alike::Profile::of).collect();
    for (index, spec) in specs.iter().enumerate() {
        rules::judge(spec, &mut findings);
        let before = profiles[..index].iter().chain(&profiles[specs.len()..]);
        findings.extend(alike::judge(&profiles[index], before));
    }
    findings
}
