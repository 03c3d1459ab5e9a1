//! Reads and writes `credentials.toml`: a user's tokens for registries, and values for tools.
//! Each is for one origin.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Origin, VariableName};
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
    /// Values of tools' credentials, by the origin that receives them and by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<Origin, BTreeMap<VariableName, String>>,
}

impl std::fmt::Debug for CredentialsFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self
            .values
            .iter()
            .map(|(origin, named)| (origin, named.keys()));
        let names: Vec<_> = names.collect();
        f.debug_set()
            .entries(self.tokens.keys())
            .entries(names)
            .finish()
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

    /// The value of credential `name` for `origin`.
    pub fn value(&self, name: &VariableName, origin: &Origin) -> Option<&str> {
        let value = self.file.values.get(origin)?.get(name)?;
        Some(value)
    }

    /// The name and the origin of each value.
    pub fn values(&self) -> impl Iterator<Item = (&VariableName, &Origin)> {
        let values = self.file.values.iter();
        values.flat_map(|(origin, named)| named.keys().map(move |name| (name, origin)))
    }

    /// Keeps `value` as credential `name` for `origin`.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn keep_value(
        &mut self,
        name: &VariableName,
        origin: &Origin,
        value: &str,
    ) -> Result<(), Error> {
        let named = self.file.values.entry(origin.clone()).or_default();
        named.insert(name.clone(), value.to_owned());
        self.write()
    }

    /// Forgets the value of credential `name` for `origin`; tells whether there was one.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn forget_value(&mut self, name: &VariableName, origin: &Origin) -> Result<bool, Error> {
        let Some(named) = self.file.values.get_mut(origin) else {
            return Ok(false);
        };
        let was_there = named.remove(name).is_some();
        if named.is_empty() {
            self.file.values.remove(origin);
        }
        self.write()?;
        Ok(was_there)
    }

    fn write(&self) -> Result<(), Error> {
        files::write_private_toml(&self.path, &self.file)
    }
}

fn origin(endpoint: &Url) -> String {
    endpoint.origin().ascii_serialization()
}
