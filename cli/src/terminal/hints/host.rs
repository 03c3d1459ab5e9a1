//! Exit codes and hints for errors of the sandbox.

use tool_hub_host::HostError;

use super::{Hint, one};
use crate::terminal::exit::Exit;

impl Hint for HostError {
    fn exit(&self) -> Exit {
        match self {
            _ if self.is_refusal() => Exit::Refused,
            Self::Engine { .. } | Self::Compile { .. } | Self::Compiler { .. } => Exit::Unexpected,
            _ => Exit::User,
        }
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Grants(error) => error.hints(),
            Self::NotAComponent { .. } => {
                one("build a component, for example with: tool new NAME && tool build NAME")
            }
            Self::Directory { .. } => one("name another directory with --allow-dir NAME=PATH"),
            Self::Disagreement { .. } => {
                one("change tool.toml or the WIT so that they say the same, then build again")
            }
            Self::CompileLimit { .. } => {
                one("nothing was run; a component that takes so much is broken or hostile")
            }
            Self::NeedsTooMuch { .. } => {
                one("nothing was run; its author has to build it to need less")
            }
            Self::Compiler { .. } => one(
                "`tool` starts itself to compile; see that it may start processes and that \
                     memory is left, then run this again",
            ),
            Self::NoServers { .. } => {
                one("`tool call` and `tool serve` start servers; a bundle cannot hold one")
            }
            Self::Refused { .. } => one("see the whole report with: tool inspect"),
            _ => Vec::new(),
        }
    }
}
