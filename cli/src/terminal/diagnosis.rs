//! What an error means to the person in front of the terminal: the exit code, and what to
//! do next.

mod registry;

use std::fmt;
use std::process::ExitCode;

use tool_hub_agent::constraint::ConstraintError;
use tool_hub_agent::conversation::MessageError;
use tool_hub_agent::conversation::answer::FormatError;
use tool_hub_agent::conversation::chat_template::{ModelError, TemplateError};
use tool_hub_agent::prompt::PromptError;
use tool_hub_host::HostError;
use tool_hub_manifest::{DocumentError, GrantError, VerifyError};
use tool_hub_registry_client::{ClientError, StoreError};
use tool_hub_registry_server::RegistryError;
use tool_hub_serve::{AccessError, GatewayError, LoopError};
use url::Url;

use crate::terminal::printer::OutputLost;

/// The exit code when the reader of standard output went away: what a shell reports of any
/// program that a closed pipe ended, 128 and the number of SIGPIPE.
pub(crate) const CLOSED_PIPE: u8 = 128 + 13;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The user can mend it.
    User = 1,
    /// Nobody expected it.
    Unexpected = 2,
    /// A policy refused it: a digest, an approval, a limit.
    Refused = 3,
    /// The user stopped it: what a shell says of a program that Ctrl-C ended.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What is known about an error beyond its text.
#[derive(Debug)]
pub(crate) struct Diagnosis {
    pub(crate) exit: Exit,
    pub(crate) hints: Vec<String>,
}

/// Looks through the chain of causes for the first one that somebody understands.
pub(crate) fn of(error: &anyhow::Error) -> Diagnosis {
    for cause in error.chain() {
        let known = None
            .or_else(|| cause.downcast_ref::<Problem>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<ClientError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<StoreError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<RegistryError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<VerifyError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<HostError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<GrantError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<DocumentError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<TemplateError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<ConstraintError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<MessageError>().map(Hint::diagnosis))
            .or_else(|| cause.downcast_ref::<PromptError>().map(Hint::diagnosis));
        if let Some(diagnosis) = known {
            return diagnosis;
        }
    }
    let user_can_mend = error.chain().any(|cause| {
        cause.is::<std::io::Error>()
            || cause.is::<url::ParseError>()
            || cause.is::<toml_edit::de::Error>()
            || cause.is::<AccessError>()
            || cause.is::<GatewayError>()
            || cause.is::<LoopError>()
            || cause.is::<ModelError>()
            || cause.is::<FormatError>()
    });
    Diagnosis {
        exit: if user_can_mend {
            Exit::User
        } else {
            Exit::Unexpected
        },
        hints: Vec::new(),
    }
}

/// The registry that denied access, if that is the cause of the error: logging in may help.
pub(crate) fn unauthorized_registry(error: &anyhow::Error) -> Option<&Url> {
    error.chain().find_map(|cause| match cause.downcast_ref()? {
        ClientError::TokenMissing { endpoint, .. } | ClientError::RepoNotFound { endpoint, .. } => {
            Some(&**endpoint)
        }
        _ => None,
    })
}

/// Whether nothing is wrong but that nobody reads standard output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(OutputLost::nobody_reads)
}

/// Advice, kept apart from the errors that it is about.
trait Hint {
    fn exit(&self) -> Exit;
    fn hints(&self) -> Vec<String>;

    fn diagnosis(&self) -> Diagnosis {
        Diagnosis {
            exit: self.exit(),
            hints: self.hints(),
        }
    }
}

/// A failure that a command found out itself.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    exit: Exit,
    hints: Vec<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    /// Something the user can mend.
    pub(crate) fn user(message: impl Into<String>) -> Self {
        Self::new(Exit::User, message)
    }

    /// Something that a policy refused.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, message)
    }

    /// The user asked to stop.
    pub(crate) fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted")
    }

    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit,
            hints: Vec::new(),
            source: None,
        }
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds why it happened.
    pub(crate) fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl Hint for Problem {
    fn exit(&self) -> Exit {
        self.exit
    }

    fn hints(&self) -> Vec<String> {
        self.hints.clone()
    }
}

impl Hint for DocumentError {
    fn exit(&self) -> Exit {
        Exit::User
    }

    fn hints(&self) -> Vec<String> {
        let nearest = self.nearest.as_ref();
        nearest
            .map(|key| format!("did you mean `{key}`?"))
            .into_iter()
            .collect()
    }
}

impl Hint for ConstraintError {
    fn exit(&self) -> Exit {
        match self {
            Self::TooLarge { .. } => Exit::Refused,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Recursive { .. } => vec!["use: --format gbnf or --format lark".to_owned()],
            _ => Vec::new(),
        }
    }
}

impl Hint for TemplateError {
    fn exit(&self) -> Exit {
        match self {
            Self::TooMuch { .. } => Exit::Refused,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Refused { .. } => {
                vec!["another --template of the model may take the conversation".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

impl Hint for MessageError {
    fn exit(&self) -> Exit {
        match self {
            Self::TooMuch { .. } => Exit::Refused,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Unexpected { .. } => {
                vec!["--from says whose form it has: hf, openai, responses or anthropic".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

impl Hint for PromptError {
    fn exit(&self) -> Exit {
        match self {
            Self::LongTemplate | Self::LongPrompt => Exit::Refused,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Hint for GrantError {
    fn exit(&self) -> Exit {
        Exit::Refused
    }

    fn hints(&self) -> Vec<String> {
        vec![
            "leave the flag out: a tool is never granted more than its manifest asks for"
                .to_owned(),
        ]
    }
}

impl Hint for VerifyError {
    fn exit(&self) -> Exit {
        match self {
            Self::Manifest(_) | Self::NotText | Self::NoComponentClaim => Exit::User,
            _ => Exit::Refused,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::DigestMismatch { .. } | Self::SizeMismatch { .. } => vec![
                "the bytes were changed on their way or in their place; nothing of them was used"
                    .to_owned(),
            ],
            Self::NoComponentClaim => vec!["run: tool build".to_owned()],
            Self::Manifest(error) => error.hints(),
            _ => Vec::new(),
        }
    }
}

impl Hint for StoreError {
    fn exit(&self) -> Exit {
        match self {
            Self::Io { .. } | Self::Missing { .. } | Self::Busy { .. } => Exit::User,
            _ => Exit::Refused,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Missing { .. }
            | Self::Damaged { .. }
            | Self::TooLarge { .. }
            | Self::Unverified { .. } => {
                vec![
                    "load the tool again: what is missing or damaged is pulled anew and verified"
                        .to_owned(),
                ]
            }
            Self::Busy { .. } => {
                vec!["wait for the other `tool` to end, then run this again".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

impl Hint for HostError {
    fn exit(&self) -> Exit {
        match self {
            Self::Grants(error) => error.exit(),
            Self::Refused { .. }
            | Self::TooBig { .. }
            | Self::NeedsTooMuch { .. }
            | Self::NeedsFeature { .. }
            | Self::CompileLimit { .. } => Exit::Refused,
            Self::Engine { .. } | Self::Compile { .. } | Self::Compiler { .. } => Exit::Unexpected,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Grants(error) => error.hints(),
            Self::NotAComponent { .. } => {
                vec![
                    "build a component, for example with: tool new NAME && tool build NAME"
                        .to_owned(),
                ]
            }
            Self::Directory { .. } => {
                vec!["name another directory with --allow-dir NAME=PATH".to_owned()]
            }
            Self::Disagreement { .. } => {
                vec![
                    "change tool.toml or the WIT so that they say the same, then build again"
                        .to_owned(),
                ]
            }
            Self::CompileLimit { .. } => {
                vec![
                    "nothing was run; a component that takes so much is broken or hostile"
                        .to_owned(),
                ]
            }
            Self::NeedsTooMuch { .. } => {
                vec!["nothing was run; its author has to build it to need less".to_owned()]
            }
            Self::Compiler { .. } => {
                vec![
                    "`tool` starts itself to compile; see that it may start processes and that \
                     memory is left, then run this again"
                        .to_owned(),
                ]
            }
            Self::Refused { .. } => vec!["see the whole report with: tool inspect".to_owned()],
            _ => Vec::new(),
        }
    }
}

impl Hint for ClientError {
    fn exit(&self) -> Exit {
        match self {
            Self::NotVerified { source, .. } => source.exit(),
            Self::Store(error) => error.exit(),
            Self::PinMismatch { .. }
            | Self::VersionExists { .. }
            | Self::VersionMismatch { .. }
            | Self::SizeMismatch { .. }
            | Self::TooLarge { .. }
            | Self::Nonsense { .. }
            | Self::Redirect { .. }
            | Self::RepoMoved { .. }
            | Self::VisibilityDiffers { .. } => Exit::Refused,
            Self::Setup { .. } => Exit::Unexpected,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        let one = |hint: &str| vec![hint.to_owned()];
        match self {
            Self::Unreachable { .. }
            | Self::Broken { .. }
            | Self::Stalled { .. }
            | Self::TimedOut { .. } => {
                one("check the network, or name another registry with --endpoint or HF_ENDPOINT")
            }
            // `Config::token_advice` says which token was shown and how to log in.
            Self::TokenMissing { .. } => Vec::new(),
            Self::TokenRefused { .. } => one(
                "the token may be revoked or for another registry; log in again with: tool login",
            ),
            Self::Forbidden { .. } => {
                one("ask the owner for the right, or look who you are with: tool whoami")
            }
            Self::RepoNotFound {
                signed_in: false, ..
            } => one("look for tools with: tool search; if it is private, log in first"),
            Self::RepoNotFound { .. } => one("look for tools with: tool search"),
            Self::RepoMoved { now, .. } => vec![format!(
                "a repo that moved may have another owner; if you trust {}, use that name: {now}",
                now.owner()
            )],
            Self::VersionExists { .. } => one(
                "a pushed version never changes; raise `version` in tool.toml, build and push again",
            ),
            Self::Conflict { .. } | Self::TagFailed { .. } => one("run the same push again"),
            Self::RateLimited {
                retry_after: Some(wait),
                ..
            } => vec![format!("wait {} s, then run this again", wait.as_secs())],
            Self::RateLimited { .. } | Self::ServerFailed { .. } => {
                one("run this again a little later")
            }
            Self::FileMissing { .. } => {
                one("tools hold tool.toml and tool.wasm; publish one with: tool push")
            }
            Self::VisibilityDiffers { .. } => one("leave --private out, or push to another repo"),
            Self::NotVerified { source, .. } => source.hints(),
            Self::PinMismatch { .. } => {
                one("the registry changed what a commit holds; do not trust it before you know why")
            }
            Self::Store(error) => error.hints(),
            _ => Vec::new(),
        }
    }
}
