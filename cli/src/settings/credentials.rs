//! Reads and writes `credentials.toml`: the tokens that `tool login` keeps, each under its
//! registry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tool_hub_registry_client::Token;
use url::Url;

use crate::files;

/// `credentials.toml`: readable by its user alone.
#[derive(Debug)]
pub(crate) struct Credentials {
    path: PathBuf,
    file: CredentialsFile,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialsFile {
    /// Tokens by the origin of their registry.
    #[serde(default)]
    tokens: BTreeMap<String, String>,
}

impl std::fmt::Debug for CredentialsFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.tokens.keys()).finish()
    }
}

impl Credentials {
    pub(crate) fn read(path: PathBuf) -> anyhow::Result<Self> {
        let file = match files::read_if_present(&path)? {
            Some(text) => toml_edit::de::from_str(&text)
                .with_context(|| format!("{} cannot be read", path.display()))?,
            None => CredentialsFile::default(),
        };
        Ok(Self { path, file })
    }

    /// The token of the registry at `endpoint`.
    pub(crate) fn token(&self, endpoint: &Url) -> anyhow::Result<Option<Token>> {
        match self.file.tokens.get(&origin(endpoint)) {
            Some(text) => text
                .parse::<Token>()
                .map(Some)
                .with_context(|| format!("{} holds no token for {endpoint}", self.path.display())),
            None => Ok(None),
        }
    }

    /// Keeps `token` for the registry at `endpoint`.
    pub(crate) fn keep(&mut self, endpoint: &Url, token: &str) -> anyhow::Result<()> {
        self.file.tokens.insert(origin(endpoint), token.to_owned());
        self.write()
    }

    /// Forgets the token of the registry at `endpoint`; tells whether there was one.
    pub(crate) fn forget(&mut self, endpoint: &Url) -> anyhow::Result<bool> {
        let was_there = self.file.tokens.remove(&origin(endpoint)).is_some();
        if was_there {
            self.write()?;
        }
        Ok(was_there)
    }

    fn write(&self) -> anyhow::Result<()> {
        let text = toml_edit::ser::to_string_pretty(&self.file)?;
        files::write_private(&self.path, text.as_bytes())
    }
}

fn origin(endpoint: &Url) -> String {
    endpoint.origin().ascii_serialization()
}
