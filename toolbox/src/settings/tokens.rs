//! Chooses the token for a registry: `HF_TOKEN`, a stored one, or that of the command `hf`.
//!
//! A token is shown only to the registry that it was given for.

use std::path::{Path, PathBuf};

use tool_hub_registry_client::Token;
use url::Url;

use crate::credentials::Credentials;
use crate::error::Error;
use crate::files;

/// The user's tokens, and the registry that each one is for.
#[derive(Debug)]
pub(super) struct Tokens {
    /// The value of `HF_TOKEN`.
    pub(super) env_token: Option<Token>,
    /// The registry of `HF_TOKEN` and of the `hf` command's token file: the one that all clients of
    /// the Hub use in this environment. `--endpoint`, `config.toml` and a toolbox may name another
    /// registry, which must not be able to collect these tokens.
    pub(super) hub_endpoint: Url,
    /// The file in which the `hf` command keeps its token.
    pub(super) hub_file: PathBuf,
    /// The file with the tokens that the user stored, by the origin of their registry.
    pub(super) stored_file: PathBuf,
}

/// The source of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenOrigin {
    /// The variable `HF_TOKEN`.
    Variable,
    /// The tokens that the user stored.
    Stored,
    /// The file of the `hf` command.
    HubFile,
}

impl Tokens {
    /// The token to show to `endpoint`. This is the only place that decides it.
    pub(super) fn find(&self, endpoint: &Url) -> Result<Option<(Token, TokenOrigin)>, Error> {
        let is_hub = endpoint.origin() == self.hub_endpoint.origin();
        if let Some(token) = self.env_token.as_ref().filter(|_| is_hub) {
            return Ok(Some((token.clone(), TokenOrigin::Variable)));
        }
        if let Some(token) = Credentials::read(self.stored_file.clone())?.token(endpoint)? {
            return Ok(Some((token, TokenOrigin::Stored)));
        }
        let kept = is_hub
            .then(|| read_token_file(&self.hub_file))
            .transpose()?;
        Ok(kept.flatten().map(|token| (token, TokenOrigin::HubFile)))
    }
}

fn read_token_file(path: &Path) -> Result<Option<Token>, Error> {
    let text = files::read_if_present(path)?.unwrap_or_default();
    match text.trim() {
        "" => Ok(None),
        token => token.parse().map(Some).map_err(|source| Error::NoToken {
            path: path.to_owned(),
            source,
        }),
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as strangers leave them"
)]
mod tests {
    use super::*;

    const HUB: &str = "https://hub.example.org/base";
    const OTHER: &str = "https://other.example.org";

    /// A user who has every kind of token, except where `change` removes one.
    fn tokens(directory: &Path, change: impl FnOnce(&mut Tokens)) -> Tokens {
        let mut tokens = Tokens {
            env_token: Some("hf_environment".parse().unwrap()),
            hub_endpoint: HUB.parse().unwrap(),
            hub_file: directory.join("token"),
            stored_file: directory.join("credentials.toml"),
        };
        std::fs::write(&tokens.hub_file, "hf_file\n").unwrap();
        change(&mut tokens);
        tokens
    }

    #[track_caller]
    fn check(tokens: &Tokens, endpoint: &str, expect: Option<&str>) {
        let found = tokens.find(&endpoint.parse().unwrap()).unwrap();
        assert_eq!(
            found.as_ref().map(|(token, _)| token.expose()),
            expect,
            "{endpoint}"
        );
    }

    fn log_in(tokens: &Tokens, endpoint: &str, token: &str) {
        let mut kept = Credentials::read(tokens.stored_file.clone()).unwrap();
        kept.keep(&endpoint.parse().unwrap(), token).unwrap();
    }

    #[test]
    fn the_hub_s_tokens_are_for_its_own_origin() {
        let directory = tempfile::tempdir().unwrap();
        for (has, expect) in [(true, "hf_environment"), (false, "hf_file")] {
            let tokens = tokens(directory.path(), |it| {
                it.env_token.take_if(|_| !has);
            });
            for same in [
                HUB,
                "https://hub.example.org",
                "https://HUB.example.org:443/x",
            ] {
                check(&tokens, same, Some(expect));
            }
            for other in [
                OTHER,
                "http://hub.example.org/base",
                "https://hub.example.org:8443/base",
                "https://sub.hub.example.org",
                "https://hub.example.org.evil.example",
                "https://hub.example.org@evil.example",
                "http://127.0.0.1:8080",
            ] {
                check(&tokens, other, None);
            }
        }
    }

    #[test]
    fn another_registry_is_shown_what_was_kept_for_it() {
        let directory = tempfile::tempdir().unwrap();
        let tokens = tokens(directory.path(), |_| {});
        log_in(&tokens, OTHER, "hf_other");
        log_in(&tokens, HUB, "hf_hub");
        check(&tokens, "https://other.example.org/deep", Some("hf_other"));
        check(&tokens, "http://other.example.org", None);
        check(&tokens, HUB, Some("hf_environment"));
        let without = Tokens {
            env_token: None,
            ..tokens
        };
        check(&without, HUB, Some("hf_hub"));
    }
}
