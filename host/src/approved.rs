//! Approval: verified bytes, grants within what was asked, and the values of variables.

use std::collections::BTreeMap;
use std::fmt;

use tool_hub_manifest::{Grants, ToolName, VariableName, Verified};

use crate::grant::ToolIdentity;
use crate::secret::{MASKED_BYTES_MIN, Secret};
use crate::{HostError, Storage};

/// A tool that may be loaded: bytes that were verified, and grants that do not go beyond
/// what its manifest asks for. It can only be made from both:
///
/// ```compile_fail,E0451
/// # use tool_hub_host::Approved;
/// fn forge(verified: tool_hub_manifest::Verified) -> Approved {
///     Approved { verified, grants: tool_hub_manifest::Grants::none(), values: Default::default(), storage: None, known_as: None, granted_with: None }
/// }
/// ```
///
/// and a host loads nothing else:
///
/// ```compile_fail,E0308
/// async fn load(host: tool_hub_host::Host, verified: tool_hub_manifest::Verified) {
///     let _ = host.load(verified).await;
/// }
/// ```
#[derive(Clone)]
pub struct Approved {
    verified: Verified,
    grants: Grants,
    values: BTreeMap<VariableName, Secret>,
    storage: Option<Storage>,
    known_as: Option<String>,
    granted_with: Option<String>,
}

impl fmt::Debug for Approved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approved")
            .field("tool", &self.verified)
            .field("grants", &self.grants)
            .field("values", &self.values)
            .field("storage", &self.storage)
            .finish()
    }
}

impl Approved {
    /// Approves `verified` with `grants`. Whoever calls this has the consent of the person
    /// in whose name the tool will run, for these bytes: [`Verified::pin`].
    ///
    /// # Errors
    /// When the grants go beyond what the manifest asks for.
    pub fn new(verified: Verified, grants: Grants) -> Result<Self, HostError> {
        grants.check_within(&verified.manifest().capabilities)?;
        Ok(Self {
            verified,
            grants,
            values: BTreeMap::new(),
            storage: None,
            known_as: None,
            granted_with: None,
        })
    }

    /// The same under the name by which the user knows the tool, which refusals use in place
    /// of the manifest's name.
    #[must_use]
    pub fn known_as(mut self, name: impl Into<String>) -> Self {
        self.known_as = Some(name.into());
        self
    }

    /// The command that grants the tool more, which refusals name with the flags that say
    /// what, such as `--allow-var API_KEY`. It is `tool grant NAME` where nothing else is
    /// said.
    #[must_use]
    pub fn granted_with(mut self, command: impl Into<String>) -> Self {
        self.granted_with = Some(command.into());
        self
    }

    /// Gives the granted variable `name` a value, which the tool may read.
    ///
    /// # Errors
    /// When the variable is not granted.
    pub fn with_variable(
        mut self,
        name: VariableName,
        value: impl Into<String>,
    ) -> Result<Self, HostError> {
        if !self.grants.variables.contains(&name) {
            return Err(HostError::VariableNotGranted {
                tool: self.name().clone(),
                name,
            });
        }
        self.values.insert(name, Secret::new(value.into()));
        Ok(self)
    }

    /// Binds the granted storage to a place. Where there is none, what the tool keeps is
    /// gone with the loaded [`Tool`](crate::Tool). Each tool needs a place of its own: what
    /// one keeps, every other one with the same place reads.
    ///
    /// # Errors
    /// When storage is not granted.
    pub fn with_storage(mut self, storage: Storage) -> Result<Self, HostError> {
        if !self.grants.storage {
            return Err(HostError::StorageNotGranted {
                tool: self.name().clone(),
            });
        }
        self.storage = Some(storage);
        Ok(self)
    }

    /// The granted variables that have no value yet. The tool finds them absent.
    pub fn unbound_variables(&self) -> impl Iterator<Item = &VariableName> {
        self.grants
            .variables
            .iter()
            .filter(|name| !self.values.contains_key(name))
    }

    /// The tool's name.
    pub fn name(&self) -> &ToolName {
        &self.verified.manifest().name
    }

    /// How the user knows the tool.
    pub(crate) fn known(&self) -> ToolIdentity {
        let name = self.known_as.as_deref().unwrap_or(self.name().as_str());
        let command = self.granted_with.clone();
        ToolIdentity {
            name: name.to_owned(),
            command: command.unwrap_or_else(|| format!("tool grant {name}")),
        }
    }

    /// Where the tool keeps things, where it may.
    pub(crate) fn storage(&self) -> Option<Storage> {
        let storage = || self.storage.clone().unwrap_or_else(Storage::in_memory);
        self.grants.storage.then(storage)
    }

    /// The granted variables whose values are secret but too short to be masked: if the tool
    /// repeats one, it is shown.
    pub(crate) fn unmasked_variables(&self) -> impl Iterator<Item = &VariableName> {
        let secrets = self.secret_values();
        let short = secrets.filter(|(_, value)| value.reveal().len() < MASKED_BYTES_MIN);
        short.map(|(name, _)| name)
    }

    /// The values of all variables that the user did not mark as plain. The author's own marking is
    /// ignored: the values must be kept from the author's tool.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = Secret> {
        self.secret_values().map(|(_, value)| value.clone())
    }

    fn secret_values(&self) -> impl Iterator<Item = (&VariableName, &Secret)> {
        let values = self.values.iter();
        values.filter(|(name, _)| self.grants.is_secret(name))
    }

    /// The verified bytes.
    pub fn verified(&self) -> &Verified {
        &self.verified
    }

    /// What was granted.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value.reveal()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::{ComponentClaim, Manifest, Package, Version};

    fn verified(capabilities: &str) -> Verified {
        let component = b"bytes".to_vec();
        let mut manifest = Manifest::new("demo".parse().unwrap(), Version::new(0, 1, 0));
        manifest.component = Some(ComponentClaim::of(&component));
        let text = format!("{}\n{capabilities}", manifest.to_toml());
        let package = Package {
            manifest: text.into_bytes(),
            component,
        };
        Verified::check(package).unwrap()
    }

    #[test]
    fn grants_beyond_what_was_asked_are_refused() {
        let grants = Grants::none().variable("API_KEY".parse().unwrap());
        let error = Approved::new(verified(""), grants).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the tool does not ask for variable API_KEY"
        );
    }

    #[test]
    fn values_are_bound_to_granted_variables_and_never_shown() {
        let asked = "[capabilities]\nvariables = [{ name = \"API_KEY\", secret = true }]";
        let name: VariableName = "API_KEY".parse().unwrap();
        let refused = Approved::new(verified(asked), Grants::none()).unwrap();
        assert!(refused.with_variable(name.clone(), "hunter2").is_err());
        let grants = Grants::none().variable(name.clone());
        let approved = Approved::new(verified(asked), grants).unwrap();
        assert_eq!(approved.unbound_variables().count(), 1);
        let approved = approved.with_variable(name, "hunter2").unwrap();
        assert_eq!(approved.unbound_variables().count(), 0);
        assert!(!format!("{approved:?}").contains("hunter2"));
    }

    #[test]
    fn the_user_says_what_is_secret_and_the_author_does_not() {
        let asked = "[capabilities]\nvariables = [\
            { name = \"A\" }, { name = \"B\", secret = true }, { name = \"C\" }]";
        let name = |name: &str| name.parse::<VariableName>().unwrap();
        let grants = Grants::none()
            .variable(name("A"))
            .plain_variable(name("B"))
            .variable(name("C"));
        let approved = Approved::new(verified(asked), grants).unwrap();
        let approved = approved.with_variable(name("A"), "hunter2").unwrap();
        let approved = approved.with_variable(name("B"), "metric").unwrap();
        let approved = approved.with_variable(name("C"), "12").unwrap();
        let secrets: Vec<Secret> = approved.secrets().collect();
        let secrets: Vec<&str> = secrets.iter().map(Secret::reveal).collect();
        assert_eq!(secrets, ["hunter2", "12"]);
        let unmasked: Vec<_> = approved.unmasked_variables().collect();
        assert_eq!(unmasked, [&name("C")]);
    }

    #[test]
    fn storage_is_bound_where_it_is_granted() {
        let asked = "[capabilities]\nstorage = {}";
        let refused = Approved::new(verified(asked), Grants::none()).unwrap();
        assert!(refused.storage().is_none());
        let error = refused.with_storage(Storage::in_memory()).unwrap_err();
        assert_eq!(error.to_string(), "storage is not granted to tool `demo`");
        let approved = Approved::new(verified(asked), Grants::none().storage()).unwrap();
        assert!(approved.with_storage(Storage::in_memory()).is_ok());
    }
}
