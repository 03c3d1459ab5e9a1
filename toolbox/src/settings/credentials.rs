//! Reads and writes `credentials.toml`: the tokens that a user stored, each under its registry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_registry_client::Token;
use url::Url;

use crate::error::Error;
use crate::files;

/// `credentials.toml`: readable by its user alone.
#[derive(Debug)]
pub struct Credentials {
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
    pub(super) fn read(path: PathBuf) -> Result<Self, Error> {
        let file = files::read_toml(&path)?.unwrap_or_default();
        Ok(Self { path, file })
    }

    /// The token of the registry at `endpoint`.
    ///
    /// # Errors
    /// [`Error::NoTokenFor`].
    pub fn token(&self, endpoint: &Url) -> Result<Option<Token>, Error> {
        match self.file.tokens.get(&origin(endpoint)) {
            Some(text) => text.parse().map(Some).map_err(|source| Error::NoTokenFor {
                path: self.path.clone(),
                endpoint: Box::new(endpoint.clone()),
                source,
            }),
            None => Ok(None),
        }
    }

    /// Keeps `token` for the registry at `endpoint`.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn keep(&mut self, endpoint: &Url, token: &str) -> Result<(), Error> {
        self.file.tokens.insert(origin(endpoint), token.to_owned());
        self.write()
    }

    /// Forgets the token of the registry at `endpoint`; tells whether there was one.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn forget(&mut self, endpoint: &Url) -> Result<bool, Error> {
        let was_there = self.file.tokens.remove(&origin(endpoint)).is_some();
        if was_there {
            self.write()?;
        }
        Ok(was_there)
    }

    fn write(&self) -> Result<(), Error> {
        files::write_private_toml(&self.path, &self.file)
    }
}

fn origin(endpoint: &Url) -> String {
    endpoint.origin().ascii_serialization()
}
