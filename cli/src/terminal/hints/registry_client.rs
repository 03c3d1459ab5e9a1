//! Exit codes and hints for errors of the registry's client and of the store.

use tool_hub_manifest::Severity;
use tool_hub_registry_client::{Act, ClientError, StoreError};

use super::{Hint, one};
use crate::terminal::exit::Exit;

const CHECK_THE_NETWORK: &str =
    "check the network, or name another registry with --endpoint or HF_ENDPOINT";

impl Hint for ClientError {
    fn exit(&self) -> Exit {
        match self {
            _ if self.is_refusal() => Exit::Refused,
            Self::Setup { .. } => Exit::Unexpected,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Unreachable {
                endpoint,
                mirror_of: Some(registry),
                ..
            } => vec![
                CHECK_THE_NETWORK.to_owned(),
                format!("`mirrors` in config.toml sends requests for {registry} to {endpoint}"),
            ],
            Self::Unreachable { .. }
            | Self::Broken { .. }
            | Self::Stalled { .. }
            | Self::TimedOut { .. } => one(CHECK_THE_NETWORK),
            // `token_advice` says which token was shown and how to log in.
            Self::TokenMissing { .. } => Vec::new(),
            Self::TokenRefused { .. } => one(
                "the token may be revoked or for another registry; log in again with: tool login",
            ),
            Self::Forbidden {
                act: Act::ExchangeIdentity(repo),
                ..
            } => vec![format!(
                "whoever may manage the repo sees who may publish with: tool registry publisher list {repo}"
            )],
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
            Self::VersionYanked { yank, .. } if yank.severity == Severity::Malicious => {
                one("no version that is malicious is loaded; look for another with: tool search")
            }
            Self::VersionYanked { .. } => {
                one("load another version, or this one nevertheless with --allow-yanked")
            }
            Self::BuildMetadata { .. } => one(
                "its author publishes it under a number of its own, such as 1.0.1 or 1.0.1-rc.1, without `+`",
            ),
            Self::ReleasesUnreadable { .. } => {
                one("tell the owner of the repo: nobody can see which versions are yanked")
            }
            Self::DatasetLog { .. } => one(
                "nothing was loaded; tell whoever keeps the data set; config.toml can name a copy of it: `dataset` and `endpoint` below `[logs]`",
            ),
            Self::VersionExists { .. }
            | Self::VersionNotSigned { .. }
            | Self::VersionNotAttested { .. } => one(
                "a pushed version never changes; raise `version` in tool.toml, build and push again",
            ),
            Self::PublishersOnly { repo } => vec![format!(
                "publish in the workflow of one, or have its owner change that with: tool registry publisher only {repo} --off"
            )],
            Self::TagFailed { source, .. } if matches!(**source, Self::Forbidden { .. }) => one(
                "no version was published; the registry says above who may publish one, or why nobody may",
            ),
            Self::Conflict { .. } | Self::TagFailed { .. } => one("run the same command again"),
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

impl Hint for StoreError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(self.is_refusal())
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Missing { .. }
            | Self::Damaged { .. }
            | Self::TooLarge { .. }
            | Self::Unverified { .. } => {
                one("load the tool again: what is missing or damaged is pulled anew and verified")
            }
            Self::Busy { .. } => one("wait for the other `tool` to end, then run this again"),
            _ => Vec::new(),
        }
    }
}
