//! Reads and writes `variables.toml`: values of variables that a user had in other configurations.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::VariableName;

use crate::error::Error;
use crate::files;

/// `variables.toml`: readable by its user alone.
#[derive(Debug)]
pub struct KeptVariables {
    path: PathBuf,
    file: VariablesFile,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariablesFile {
    #[serde(default)]
    values: BTreeMap<VariableName, String>,
}

impl std::fmt::Debug for VariablesFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

impl KeptVariables {
    pub(super) fn read(path: PathBuf) -> Result<Self, Error> {
        let file = files::read_toml(&path)?.unwrap_or_default();
        Ok(Self { path, file })
    }

    /// The value of the variable `name`.
    pub fn value(&self, name: &VariableName) -> Option<&str> {
        self.file.values.get(name).map(String::as_str)
    }

    /// Keeps `value` as the variable `name`.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn keep(&mut self, name: &VariableName, value: &str) -> Result<(), Error> {
        self.file.values.insert(name.clone(), value.to_owned());
        files::write_private_toml(&self.path, &self.file)
    }

    /// Forgets the value of the variable `name`; tells whether there was one.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn forget(&mut self, name: &VariableName) -> Result<bool, Error> {
        let was_there = self.file.values.remove(name).is_some();
        if was_there {
            files::write_private_toml(&self.path, &self.file)?;
        }
        Ok(was_there)
    }
}
