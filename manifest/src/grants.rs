//! The `Grants` type: the rights that a user gave a tool, compared with what it asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::capability::{Access, Capabilities};
use crate::name::{DirectoryName, VariableName};
use crate::network::{Methods, Network};
use crate::origin::Origin;

/// The rights that a user gave a tool. Values of variables are not among them: a lock holds grants
/// and is shared, a secret is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grants {
    /// The web origins the tool may reach.
    #[serde(default, skip_serializing_if = "Network::is_empty")]
    pub network: Network,
    /// The credentials that the host puts into the tool's requests, each with the origin that
    /// receives it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub credentials: BTreeMap<VariableName, Origin>,
    /// The variables the tool may read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub variables: BTreeSet<VariableName>,
    /// The granted variables whose values the user marked as plain, not secret. Without this mark a
    /// value is kept secret, whatever the tool's author declares.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub plain_variables: BTreeSet<VariableName>,
    /// True if the tool may keep things from call to call, in a storage of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub storage: bool,
    /// The directories the tool may use, by the guest's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub directories: BTreeMap<DirectoryName, DirectoryGrant>,
}

/// A directory of the host that a tool may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectoryGrant {
    /// The path on the host.
    pub path: PathBuf,
    /// The access that the tool has there.
    pub access: Access,
    /// Dangerous places in, around or equal to this directory that the user accepted by insisting.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub despite: BTreeSet<PathBuf>,
}

/// Grants exceed what the tool asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// The tool does not ask for this origin.
    #[error("the tool does not ask for network access to {0}")]
    Network(Origin),
    /// The tool does not ask to use all of these methods with this origin.
    #[error("the tool asks for {origin} with {asked}, not with {granted}")]
    Methods {
        /// The origin.
        origin: Origin,
        /// The access that the tool asks for.
        asked: Methods,
        /// The access that was to be granted.
        granted: Methods,
    },
    /// The tool does not ask for this credential.
    #[error("the tool does not ask for a credential called {0}")]
    Credential(VariableName),
    /// The tool asks to have this credential sent elsewhere.
    #[error("the tool asks to have credential {name} sent to {asked}, not to {granted}")]
    CredentialOrigin {
        /// The credential.
        name: VariableName,
        /// The origin that the tool asks for.
        asked: Origin,
        /// The origin that was to be granted.
        granted: Origin,
    },
    /// The tool does not ask for this directory.
    #[error("the tool does not ask for a directory called `{0}`")]
    Directory(DirectoryName),
    /// The tool asks to read this directory only.
    #[error("the tool asks only to read directory `{0}`, not to write there")]
    DirectoryAccess(DirectoryName),
    /// The tool does not ask for this variable.
    #[error("the tool does not ask for variable {0}")]
    Variable(VariableName),
    /// The tool does not ask for storage.
    #[error("the tool does not ask for storage")]
    Storage,
}

impl Grants {
    /// Nothing is allowed but pure computation.
    pub fn none() -> Self {
        Self {
            network: Network::none(),
            credentials: BTreeMap::new(),
            variables: BTreeSet::new(),
            plain_variables: BTreeSet::new(),
            storage: false,
            directories: BTreeMap::new(),
        }
    }

    /// Also allows requests to `origin` with `methods`.
    pub fn network(mut self, origin: Origin, methods: Methods) -> Self {
        self.network.insert(origin, methods);
        self
    }

    /// Also has the host put credential `name` into requests to `origin`.
    pub fn credential(mut self, name: VariableName, origin: Origin) -> Self {
        self.credentials.insert(name, origin);
        self
    }

    /// Also allows the directory at `path`, which the guest sees as `name`.
    pub fn directory(
        mut self,
        name: DirectoryName,
        path: impl Into<PathBuf>,
        access: Access,
    ) -> Self {
        let grant = DirectoryGrant {
            path: path.into(),
            access,
            despite: BTreeSet::new(),
        };
        self.directories.insert(name, grant);
        self
    }

    /// Also grants variable `name`, whose value is kept secret.
    pub fn variable(mut self, name: VariableName) -> Self {
        self.plain_variables.remove(&name);
        self.variables.insert(name);
        self
    }

    /// Also grants variable `name`, whose value may be shown.
    pub fn plain_variable(mut self, name: VariableName) -> Self {
        self.plain_variables.insert(name.clone());
        self.variables.insert(name);
        self
    }

    /// Removes variable `name`; true if it was granted.
    pub fn remove_variable(&mut self, name: &VariableName) -> bool {
        self.plain_variables.remove(name);
        self.variables.remove(name)
    }

    /// True if the value of variable `name` must not be shown.
    pub fn is_secret(&self, name: &VariableName) -> bool {
        !self.plain_variables.contains(name)
    }

    /// Also allows a storage of the tool's own.
    pub fn storage(mut self) -> Self {
        self.storage = true;
        self
    }

    /// True if nothing is allowed but pure computation.
    pub fn is_none(&self) -> bool {
        *self == Self::none()
    }

    /// Holds the grants against what was asked.
    ///
    /// # Errors
    /// The first grant that goes beyond `asked`.
    pub fn check_within(&self, asked: &Capabilities) -> Result<(), GrantError> {
        for (origin, methods) in self.network.iter() {
            match asked.network.methods(origin) {
                None => return Err(GrantError::Network(origin.clone())),
                Some(asked) if !methods.are_within(asked) => {
                    return Err(GrantError::Methods {
                        origin: origin.clone(),
                        asked: asked.clone(),
                        granted: methods.clone(),
                    });
                }
                Some(_) => {}
            }
        }
        for (name, origin) in &self.credentials {
            match asked.credential(name) {
                None => return Err(GrantError::Credential(name.clone())),
                Some(request) if request.origin != *origin => {
                    return Err(GrantError::CredentialOrigin {
                        name: name.clone(),
                        asked: request.origin.clone(),
                        granted: origin.clone(),
                    });
                }
                Some(_) => {}
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
        for name in self.variables.iter().chain(&self.plain_variables) {
            if asked.variable(name).is_none() {
                return Err(GrantError::Variable(name.clone()));
            }
        }
        if self.storage && asked.storage.is_none() {
            return Err(GrantError::Storage);
        }
        Ok(())
    }

    /// The part of these grants that `asked` still asks for.
    #[must_use]
    pub fn within(mut self, asked: &Capabilities) -> Self {
        self.network = self.network.common(&asked.network);
        self.credentials.retain(|name, origin| {
            let request = asked.credential(name);
            request.is_some_and(|request| request.origin == *origin)
        });
        self.retain_variables(|name| asked.variable(name).is_some());
        self.storage &= asked.storage.is_some();
        self.directories.retain(|name, grant| {
            let request = asked.directory(name);
            if let Some(request) = request {
                grant.access = grant.access.min(request.access);
            }
            request.is_some()
        });
        self
    }

    /// Removes the variables for which `remain` is false.
    pub(crate) fn retain_variables(&mut self, remain: impl Fn(&VariableName) -> bool) {
        self.variables.retain(&remain);
        self.plain_variables.retain(&remain);
    }

    /// The part of `asked` that these grants do not hold.
    #[must_use]
    pub fn missing(&self, asked: &Capabilities) -> Capabilities {
        let mut missing = asked.clone();
        missing.network = asked.network.beyond(&self.network);
        missing
            .credentials
            .retain(|request| self.credentials.get(&request.name) != Some(&request.origin));
        missing
            .directories
            .retain(|request| !self.directories.contains_key(&request.name));
        missing
            .variables
            .retain(|request| !self.variables.contains(&request.name));
        if self.storage {
            missing.storage = None;
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Capabilities {
        toml::from_str(
            r#"
            network = [
                "https://example.com",
                { origin = "https://read.example", methods = ["GET", "HEAD"] },
            ]
            credentials = [{ name = "TOKEN", origin = "https://example.com", basic = true }]
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
            Grants::none().network("https://example.com".parse().unwrap(), Methods::Any),
            None,
        );
        check(
            Grants::none().network("http://example.com".parse().unwrap(), Methods::Any),
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
        let token = |origin: &str| {
            Grants::none().credential("TOKEN".parse().unwrap(), origin.parse().unwrap())
        };
        check(token("https://example.com"), None);
        check(
            token("https://read.example"),
            Some(
                "the tool asks to have credential TOKEN sent to https://example.com, not to https://read.example",
            ),
        );
        assert!(token("https://read.example").within(&asked()).is_none());
        assert_eq!(
            token("https://read.example")
                .missing(&asked())
                .credentials
                .len(),
            1
        );
        assert_eq!(
            token("https://example.com").missing(&asked()).credentials,
            []
        );
        check(Grants::none().variable("API_KEY".parse().unwrap()), None);
        check(
            Grants::none().variable("HOME".parse().unwrap()),
            Some("the tool does not ask for variable HOME"),
        );
        check(
            Grants::none().storage(),
            Some("the tool does not ask for storage"),
        );
        check(
            Grants::none().plain_variable("HOME".parse().unwrap()),
            Some("the tool does not ask for variable HOME"),
        );
        let read =
            |methods| Grants::none().network("https://read.example".parse().unwrap(), methods);
        check(read(Methods::Only(["GET".parse().unwrap()].into())), None);
        check(
            read(Methods::Only(
                ["GET".parse().unwrap(), "PUT".parse().unwrap()].into(),
            )),
            Some("the tool asks for https://read.example with GET HEAD, not with GET PUT"),
        );
        check(
            read(Methods::Any),
            Some("the tool asks for https://read.example with GET HEAD, not with any method"),
        );
    }

    #[test]
    fn values_are_secret_unless_the_user_says_otherwise() {
        let name: VariableName = "API_KEY".parse().unwrap();
        // The format of versions without plain variables.
        let old: Grants = toml::from_str("variables = ['API_KEY']").unwrap();
        assert!(old.is_secret(&name));
        assert_eq!(old, Grants::none().variable(name.clone()));
        let plain = Grants::none().plain_variable(name.clone());
        assert!(!plain.is_secret(&name));
        let read: Grants = toml::from_str(&toml::to_string(&plain).unwrap()).unwrap();
        assert_eq!(read, plain);
        assert!(plain.clone().within(&Capabilities::default()).is_none());
        let mut taken = plain.clone();
        assert!(taken.remove_variable(&name) && taken.is_none());
        assert!(plain.variable(name.clone()).is_secret(&name));
    }
}
