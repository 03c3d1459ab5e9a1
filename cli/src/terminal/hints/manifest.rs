//! Exit codes and hints for errors of documents, grants and packages.

use tool_hub_manifest::{DocumentError, GrantError, VerifyError};

use super::{Hint, one};
use crate::terminal::exit::Exit;

impl Hint for DocumentError {
    fn exit(&self) -> Exit {
        Exit::User
    }

    fn hints(&self) -> Vec<String> {
        // The words of the parser of versions, which do not say what one looks like.
        if self.message.contains("version number") {
            return one("write three numbers: version = \"1.0.0\"");
        }
        let nearest = self.nearest.as_ref();
        nearest
            .map(|key| format!("did you mean `{key}`?"))
            .into_iter()
            .collect()
    }
}

impl Hint for GrantError {
    fn exit(&self) -> Exit {
        Exit::Refused
    }

    fn hints(&self) -> Vec<String> {
        one("leave the flag out: a tool is never granted more than its manifest asks for")
    }
}

impl Hint for VerifyError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(self.is_refusal())
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::DigestMismatch { .. } | Self::SizeMismatch { .. } => one(
                "the bytes were changed on their way or in their place; nothing of them was used",
            ),
            Self::NoComponentClaim => one("run: tool build"),
            Self::Manifest(error) => error.hints(),
            _ => Vec::new(),
        }
    }
}
