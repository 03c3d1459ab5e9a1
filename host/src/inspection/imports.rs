//! Imports in plain words: which of them give a tool power, and which a language's runtime
//! merely brings along.

use std::fmt;

use serde::Serialize;

/// What an import could do if everything were granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Power {
    /// Nothing: plumbing that other imports need, or ending the call.
    Nothing,
    /// Reach other machines.
    Network,
    /// Read or change files.
    Files,
    /// Read variables and settings.
    Variables,
    /// Tell the time and wait.
    Clock,
    /// Draw random numbers.
    Random,
    /// Write to captured streams that nobody reads as input.
    StandardStreams,
    /// Show progress to the person and ask questions.
    Person,
    /// Unknown to this host.
    Unsupported,
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Network => "network",
            Self::Files => "files",
            Self::Variables => "variables",
            Self::Clock => "clock",
            Self::Random => "random numbers",
            Self::StandardStreams => "standard streams",
            Self::Person => "asks the person",
            Self::Unsupported => "unsupported",
        })
    }
}

/// What an import comes to in this tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effect {
    /// It works, and it is harmless.
    Harmless,
    /// It works as far as the user grants what the manifest asks for.
    Grantable,
    /// It does nothing: the manifest asks for nothing of the kind, so every use meets an
    /// empty environment or a refusal. Language runtimes import much that a tool never uses.
    Inert,
    /// It is never linked.
    Refused,
}

/// One interface that a component imports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedImport {
    /// The interface's name.
    pub interface: String,
    /// What it could do.
    pub power: Power,
    /// What it comes to in this tool.
    pub effect: Effect,
    /// The same in plain words.
    pub says: String,
    /// The functions the component takes from it.
    pub functions: Vec<String>,
}
