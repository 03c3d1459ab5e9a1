//! Grants: what a user allowed, never more than the tool asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Access, Capabilities, DirectoryName, Origin, VariableName};

/// What a user allowed a tool. Values of variables are not part of it: a lock holds grants
/// and is shared, a secret is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grants {
    /// The web origins the tool may reach.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub network: BTreeSet<Origin>,
    /// The variables the tool may read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub variables: BTreeSet<VariableName>,
    /// The directories the tool may use, by the guest's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub directories: BTreeMap<DirectoryName, DirectoryGrant>,
}

/// A directory of the host that a tool may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectoryGrant {
    /// Where it is on the host.
    pub path: PathBuf,
    /// What may be done there.
    pub access: Access,
}

/// Grants exceed what the tool asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// The tool does not ask for this origin.
    #[error("the tool does not ask for network access to {0}")]
    Network(Origin),
    /// The tool does not ask for this directory.
    #[error("the tool does not ask for a directory called `{0}`")]
    Directory(DirectoryName),
    /// The tool asks to read this directory only.
    #[error("the tool asks only to read directory `{0}`, not to write there")]
    DirectoryAccess(DirectoryName),
    /// The tool does not ask for this variable.
    #[error("the tool does not ask for variable {0}")]
    Variable(VariableName),
}

impl Grants {
    /// Nothing is allowed but pure computation.
    pub fn none() -> Self {
        Self {
            network: BTreeSet::new(),
            variables: BTreeSet::new(),
            directories: BTreeMap::new(),
        }
    }

    /// Also allows requests to `origin`.
    pub fn network(mut self, origin: Origin) -> Self {
        self.network.insert(origin);
        self
    }

    /// Also allows the directory at `path`, which the guest sees as `name`.
    pub fn directory(
        mut self,
        name: DirectoryName,
        path: impl Into<PathBuf>,
        access: Access,
    ) -> Self {
        let path = path.into();
        self.directories
            .insert(name, DirectoryGrant { path, access });
        self
    }

    /// Also allows variable `name` to be read.
    pub fn variable(mut self, name: VariableName) -> Self {
        self.variables.insert(name);
        self
    }

    /// Whether nothing is allowed but pure computation.
    pub fn is_none(&self) -> bool {
        self.network.is_empty() && self.variables.is_empty() && self.directories.is_empty()
    }

    /// Holds the grants against what was asked.
    ///
    /// # Errors
    /// The first grant that goes beyond `asked`.
    pub fn check_within(&self, asked: &Capabilities) -> Result<(), GrantError> {
        for origin in &self.network {
            if !asked.network.contains(origin) {
                return Err(GrantError::Network(origin.clone()));
            }
        }
        for (name, grant) in &self.directories {
            match asked.directory(name) {
                None => return Err(GrantError::Directory(name.clone())),
                Some(request) if grant.access > request.access => {
                    return Err(GrantError::DirectoryAccess(name.clone()));
                }
                Some(_) => {}
            }
        }
        for name in &self.variables {
            if asked.variable(name).is_none() {
                return Err(GrantError::Variable(name.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Capabilities {
        toml::from_str(
            r#"
            network = ["https://example.com"]
            directories = [{ name = "notes", access = "read" }]
            variables = [{ name = "API_KEY", secret = true }]
            "#,
        )
        .unwrap()
    }

    #[track_caller]
    fn check(grants: Grants, expect: Option<&str>) {
        let error = grants
            .check_within(&asked())
            .err()
            .map(|error| error.to_string());
        assert_eq!(error.as_deref(), expect);
    }

    #[test]
    fn a_grant_never_exceeds_what_was_asked() {
        let notes: DirectoryName = "notes".parse().unwrap();
        check(Grants::none(), None);
        check(
            Grants::none().network("https://example.com".parse().unwrap()),
            None,
        );
        check(
            Grants::none().network("http://example.com".parse().unwrap()),
            Some("the tool does not ask for network access to http://example.com"),
        );
        check(
            Grants::none().directory(notes.clone(), "x", Access::Read),
            None,
        );
        check(
            Grants::none().directory(notes, "x", Access::ReadWrite),
            Some("the tool asks only to read directory `notes`, not to write there"),
        );
        check(
            Grants::none().directory("other".parse().unwrap(), "x", Access::Read),
            Some("the tool does not ask for a directory called `other`"),
        );
        check(Grants::none().variable("API_KEY".parse().unwrap()), None);
        check(
            Grants::none().variable("HOME".parse().unwrap()),
            Some("the tool does not ask for variable HOME"),
        );
    }
}
