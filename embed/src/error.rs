//! The `Error` of finding, approving, loading or publishing a tool, its `ErrorKind`, and its hints.

use std::error::Error as StdError;
use std::io;

use tool_hub_host::HostError;
use tool_hub_manifest::{Digest, NameError, SpecError};
use tool_hub_registry_client::ClientError;
use tool_hub_serve::CatalogueError;
use tool_hub_toolbox::Error as ToolboxError;
use tool_hub_toolbox::policy::error::PolicyError;

/// Finding, inspecting, approving, loading or publishing a tool failed. What goes wrong in a call
/// is an [`Outcome`](tool_hub_host::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The toolbox, its settings or a package cannot be used.
    #[error(transparent)]
    Toolbox(#[from] ToolboxError),
    /// The host refuses the tool, or cannot load it.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The registry does not answer as hoped.
    #[error(transparent)]
    Registry(#[from] ClientError),
    /// The functions cannot be offered together.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A function cannot be offered under its name.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The text names no repo.
    #[error("this is no repo to publish to")]
    NotARepo {
        /// The rule that it breaks.
        source: NameError,
    },
    /// The card of a package cannot be read.
    #[error("README.md beside the package cannot be read")]
    Card {
        /// The cause.
        source: io::Error,
    },
    /// The approval names another tool, or another version of this one.
    #[error("the approval names {approved}, but this is {actual}")]
    OtherDigest {
        /// The digest in the approval.
        approved: String,
        /// The tool's own.
        actual: Digest,
    },
    /// The grants are not written as grants are.
    #[error("the grants cannot be read: {reason}")]
    Grants {
        /// The mistake.
        reason: String,
    },
    /// This process is a fork of the one that makes the call.
    #[error("the call is made by the process that this one was forked from")]
    Forked,
    /// The runtime could not be started.
    #[error("the threads that run tools could not be started")]
    Runtime {
        /// The cause.
        source: io::Error,
    },
}

/// The kind of an error, for languages that have a class for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A policy refuses: a digest, an approval, a limit.
    Refused,
    /// A registry, or the way there.
    Registry,
    /// Something that the caller can mend.
    Other,
}

impl Error {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        let is_refusal = match self {
            Self::Toolbox(error) => error.is_refusal(),
            Self::Host(error) => error.is_refusal(),
            Self::Registry(error) => error.is_refusal(),
            Self::OtherDigest { .. } => true,
            _ => false,
        };
        match self {
            _ if is_refusal => ErrorKind::Refused,
            Self::Registry(_) => ErrorKind::Registry,
            Self::Toolbox(error) if is_of_registry(error) => ErrorKind::Registry,
            _ => ErrorKind::Other,
        }
    }

    /// Advice to the caller, if there is any for this error.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Toolbox(error) => return hint_of_toolbox(error),
            Self::Registry(error) => return hint_of_client(error),
            Self::NotARepo { .. } => "write owner/name",
            Self::OtherDigest { .. } => {
                "inspect the tool again and approve the digest that the inspection shows"
            }
            Self::Grants { .. } => {
                "write for example {\"network\": [\"https://api.example\"], \"storage\": true}"
            }
            Self::Forked => "call the tool again in this process, in an event loop of its own",
            Self::Host(HostError::Grants(_)) => {
                "grant no more than the inspection's capabilities say"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// The error and its causes on one line.
    pub fn text(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        text
    }
}

fn is_of_registry(error: &ToolboxError) -> bool {
    match error {
        ToolboxError::Client(_) => true,
        ToolboxError::NotLoaded { source, .. } | ToolboxError::Dependency { source, .. } => {
            is_of_registry(source)
        }
        _ => false,
    }
}

fn hint_of_toolbox(error: &ToolboxError) -> Option<String> {
    let hint = match error {
        ToolboxError::NotAReference { text, there, .. } if there.is_some() => {
            return Some(format!("for the file or directory, write ./{text}"));
        }
        ToolboxError::NotAReference { .. } => "write owner/name, owner/name@1.2.0, or ./a/path",
        ToolboxError::Unrecorded { .. } => {
            "load the tool into a toolbox, which asks for the signature: tool load"
        }
        ToolboxError::OtherMaker(other) => {
            return Some(format!(
                "ask its author, by another way than the registry; if they say so, approve it with: tool load {}",
                other.subject
            ));
        }
        ToolboxError::NotBuilt { .. } => "build it first: tool build",
        ToolboxError::NothingThere { .. } | ToolboxError::NoComponent { .. } => "look at the path",
        ToolboxError::NotApproved { key, origin, .. }
        | ToolboxError::NotSigned { key, origin, .. } => {
            return Some(format!("run: tool load {origin} --as {key}"));
        }
        ToolboxError::Malicious(malicious) => {
            let (key, origin) = (&malicious.key, &malicious.origin);
            return Some(format!(
                "take another version with: tool load {origin} --as {key}; or run: tool remove {key}"
            ));
        }
        ToolboxError::Policy(PolicyError::Refused(refusal)) => {
            return Some(match &refusal.contact {
                Some(contact) => format!("ask {contact}"),
                None => "ask whoever administers this machine".to_owned(),
            });
        }
        ToolboxError::Policy(_) => "ask whoever administers this machine to mend the policy",
        ToolboxError::Advised(refused) => {
            let origin = &refused.origin;
            return Some(match (&refused.fixed, &refused.called_by) {
                (Some(_), Some(tool)) => format!("take the mended version with: tool load {tool}"),
                (Some(fixed), None) => {
                    format!("take the mended version with: tool load {origin}@{fixed}")
                }
                (None, _) => "see the advisory with: tool audit".to_owned(),
            });
        }
        ToolboxError::TextsChanged { key, .. } => return Some(format!("run: tool load {key}")),
        ToolboxError::NoSuchTool { known, .. } if known.is_empty() => {
            "the toolbox is empty; load a tool with: tool load owner/name"
        }
        ToolboxError::NoSuchTool { known, .. } => {
            let known: Vec<&str> = known.iter().map(|key| key.as_str()).collect();
            return Some(format!("the toolbox has: {}", known.join(", ")));
        }
        ToolboxError::NoToolbox { .. } => "name the directory that toolbox.toml is in",
        ToolboxError::DangerousDirectory { .. } => {
            "grant a directory that holds only what the tool needs, such as a subdirectory"
        }
        ToolboxError::NotLoaded { source, .. } | ToolboxError::Dependency { source, .. } => {
            return hint_of_toolbox(source);
        }
        ToolboxError::Client(source) => return hint_of_client(source),
        _ => return None,
    };
    Some(hint.to_owned())
}

fn hint_of_client(error: &ClientError) -> Option<String> {
    let hint = match error {
        ClientError::RepoNotFound { .. } => "look at the name, and set HF_TOKEN if it is private",
        ClientError::TokenMissing { .. } | ClientError::TokenRefused { .. } => {
            "set HF_TOKEN to a token of that registry, and HF_ENDPOINT to its URL"
        }
        ClientError::Unreachable { .. } => {
            "check the network, or name another registry with HF_ENDPOINT"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}
