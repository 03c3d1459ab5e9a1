//! The `Approved` type: verified bytes and grants within what the manifest asks, ready to load.
//! It also holds the values of granted variables and the place of granted storage.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tool_hub_manifest::{
    Confirmation, CredentialRequest, FunctionName, Grants, ServerDescription, ToolName,
    VariableName, Verified,
};

use crate::approval::denial::{GrantAdvice, RequiredGrant, ToolIdentity};
use crate::credential::{Credential, Credentials};
use crate::credential_source::{CredentialValue, Kept};
use crate::error::HostError;
use crate::recording::HttpRecorder;
use crate::secret::Secret;
use crate::secret::parts::MASKED_BYTES_MIN;
use crate::storage::Storage;

/// A tool that may be loaded: bytes that were verified, and grants that do not go beyond what its
/// manifest asks for. A person's consent becomes one in two ways:
/// [`Inspection::approve`](crate::Inspection::approve) after an inspection, and
/// [`Approved::from_lock_record`] when that consent was recorded before. There is no other:
///
/// ```compile_fail,E0451
/// # use tool_hub_host::Approved;
/// fn forge(verified: tool_hub_manifest::Verified) -> Approved {
///     Approved {
///         verified,
///         grants: tool_hub_manifest::Grants::none(),
///         values: Default::default(),
///         credentials: Default::default(),
///         confirmations: Default::default(),
///         storage: None,
///         known_as: None,
///         grant_advice: None,
///         recorder: None,
///         server: None,
///         dependencies: Default::default(),
///     }
/// }
/// ```
///
/// ```compile_fail,E0599
/// # use tool_hub_host::Approved;
/// fn skip_the_inspection(verified: tool_hub_manifest::Verified) {
///     let _ = Approved::new(verified, tool_hub_manifest::Grants::none());
/// }
/// ```
///
/// ```compile_fail,E0624
/// # use tool_hub_host::Approved;
/// fn skip_the_inspection(verified: tool_hub_manifest::Verified) {
///     let _ = Approved::within_request(verified, tool_hub_manifest::Grants::none());
/// }
/// ```
///
/// Neither takes bytes that were not verified:
///
/// ```compile_fail,E0308
/// # use tool_hub_host::Approved;
/// fn skip_the_check(package: tool_hub_manifest::Package) {
///     let _ = Approved::from_lock_record(package, tool_hub_manifest::Grants::none());
/// }
/// ```
///
/// and a host loads nothing but an `Approved`:
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
    credentials: BTreeMap<VariableName, CredentialValue>,
    confirmations: BTreeMap<FunctionName, Confirmation>,
    storage: Option<Storage>,
    known_as: Option<String>,
    grant_advice: Option<Arc<GrantAdvice>>,
    recorder: Option<Arc<dyn HttpRecorder>>,
    server: Option<Arc<ServerDescription>>,
    dependencies: BTreeMap<ToolName, Approved>,
}

impl fmt::Debug for Approved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approved")
            .field("tool", &self.verified)
            .field("grants", &self.grants)
            .field("values", &self.values)
            .field("credentials", &self.credentials)
            .field("storage", &self.storage)
            .finish()
    }
}

impl Approved {
    /// Restores an approval from its record: `verified` are the bytes that a person inspected and
    /// approved with `grants`, and the caller has checked that they are the recorded ones. Nothing
    /// is inspected here, so a record that a stranger may have written must not get this far.
    ///
    /// # Errors
    /// When the grants go beyond what the manifest asks for.
    pub fn from_lock_record(verified: Verified, grants: Grants) -> Result<Self, HostError> {
        Self::within_request(verified, grants)
    }

    /// Restores the approval of an MCP server from its record, as
    /// [`from_lock_record`](Self::from_lock_record) does that of a component.
    ///
    /// # Errors
    /// The same, and when `verified` is not the package of a server.
    pub fn server_from_lock_record(verified: Verified, grants: Grants) -> Result<Self, HostError> {
        let description = ServerDescription::of(&verified)?;
        let approved = Self::within_request(verified, grants)?;
        Ok(approved.of_server(Some(description.into())))
    }

    pub(crate) fn of_server(self, server: Option<Arc<ServerDescription>>) -> Self {
        Self { server, ..self }
    }

    /// The server that it is.
    pub(crate) fn server(&self) -> Option<&Arc<ServerDescription>> {
        self.server.as_ref()
    }

    /// Approves `verified` with `grants`, if they are within what the manifest asks for.
    pub(crate) fn within_request(verified: Verified, grants: Grants) -> Result<Self, HostError> {
        grants.check_within(&verified.manifest().capabilities)?;
        Ok(Self {
            verified,
            grants,
            values: BTreeMap::new(),
            credentials: BTreeMap::new(),
            confirmations: BTreeMap::new(),
            storage: None,
            known_as: None,
            grant_advice: None,
            recorder: None,
            server: None,
            dependencies: BTreeMap::new(),
        })
    }

    /// The same with the tools that it calls, by the names that its manifest has for them. The host
    /// refuses to load it with others than the manifest asks for.
    #[must_use]
    pub fn with_dependencies(self, dependencies: BTreeMap<ToolName, Self>) -> Self {
        Self {
            dependencies,
            ..self
        }
    }

    /// The tools that it calls.
    pub fn dependencies(&self) -> &BTreeMap<ToolName, Self> {
        &self.dependencies
    }

    /// The same under the name by which the user knows the tool, which refusals use in place
    /// of the manifest's name.
    #[must_use]
    pub fn known_as(mut self, name: impl Into<String>) -> Self {
        self.known_as = Some(name.into());
        self
    }

    /// Says how a person gives the tool a grant, such as by a command. Refusals repeat what
    /// `advice` returns for the grants that would allow what was refused, after the words "a person
    /// can grant it"; without advice they say no more than that.
    #[must_use]
    pub fn with_grant_advice(
        mut self,
        advice: impl Fn(&[RequiredGrant]) -> String + Send + Sync + 'static,
    ) -> Self {
        self.grant_advice = Some(Arc::new(advice));
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

    /// Gives the granted credential `name` a value, which the host sends and the tool never sees: a
    /// text, or a [`CredentialSource`](crate::CredentialSource) that is asked before each request.
    ///
    /// # Errors
    /// When the credential is not granted.
    pub fn with_credential(
        mut self,
        name: VariableName,
        value: impl Into<CredentialValue>,
    ) -> Result<Self, HostError> {
        if !self.grants.credentials.contains_key(&name) {
            return Err(HostError::CredentialNotGranted {
                tool: self.name().clone(),
                name,
            });
        }
        self.credentials.insert(name, value.into());
        Ok(self)
    }

    /// Has a person confirm the calls of `function` that `confirm` names, beside those that the
    /// author names. Does nothing if the tool has no such function.
    #[must_use]
    pub fn with_confirmation(mut self, function: FunctionName, confirm: Confirmation) -> Self {
        self.confirmations.insert(function, confirm);
        self
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

    /// Has `recorder` record or answer the tool's HTTP requests, for its tests. It is asked about
    /// those that are granted, and about no other.
    #[must_use]
    pub fn with_recorder(mut self, recorder: Arc<dyn HttpRecorder>) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// The tool's name.
    pub fn name(&self) -> &ToolName {
        &self.verified.manifest().name
    }

    /// The name by which the user knows the tool.
    pub fn known_name(&self) -> &str {
        self.known_as.as_deref().unwrap_or(self.name().as_str())
    }

    /// The calls of `function` that a person has to confirm, where `author` names some.
    pub(crate) fn confirmation(
        &self,
        function: &FunctionName,
        author: Option<Confirmation>,
    ) -> Option<Confirmation> {
        match (author, self.confirmations.get(function)) {
            (Some(author), Some(users)) => Some(author.or(users)),
            (author, users) => author.or_else(|| users.cloned()),
        }
    }

    /// The tool as the user knows it.
    pub(crate) fn identity(&self) -> ToolIdentity {
        ToolIdentity::new(self.known_name().to_owned()).with_advice(self.grant_advice.clone())
    }

    /// What records and answers its requests.
    pub(crate) fn recorder(&self) -> Option<&Arc<dyn HttpRecorder>> {
        self.recorder.as_ref()
    }

    /// The tool's storage, if it is granted.
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

    /// The values of credentials, and of all variables that the user did not mark as plain. The
    /// author's own marking is ignored: the values must be kept from the author's tool.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = Secret> {
        let variables = self.secret_values().map(|(_, value)| value);
        let fixed = self
            .credentials
            .values()
            .filter_map(|value| match &value.0 {
                Kept::Fixed(value) => Some(Secret::new(value.clone())),
                // The gate masks what it puts into a request.
                Kept::Changing(_) => None,
            });
        variables.cloned().chain(fixed)
    }

    fn secret_values(&self) -> impl Iterator<Item = (&VariableName, &Secret)> {
        let values = self.values.iter();
        values.filter(|(name, _)| self.grants.is_secret(name))
    }

    /// The granted credentials, with their values where they have one.
    pub(crate) fn credentials(&self) -> Credentials {
        self.credential_requests()
            .map(|request| Credential::new(request.clone(), self.credentials.get(&request.name)))
            .collect()
    }

    /// The same for whoever sends them itself.
    pub(crate) fn granted_credentials(&self) -> Vec<(CredentialRequest, Option<CredentialValue>)> {
        let value = |request: &CredentialRequest| self.credentials.get(&request.name).cloned();
        self.credential_requests()
            .map(|request| (request.clone(), value(request)))
            .collect()
    }

    fn credential_requests(&self) -> impl Iterator<Item = &CredentialRequest> {
        let asked = self.verified.manifest().capabilities.credentials.iter();
        asked.filter(|request| self.grants.credentials.get(&request.name) == Some(&request.origin))
    }

    /// The verified bytes.
    pub fn verified(&self) -> &Verified {
        &self.verified
    }

    /// The grants.
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
            interpreter: None,
            sbom: None,
        };
        Verified::check(package).unwrap()
    }

    #[test]
    fn grants_beyond_what_was_asked_are_refused() {
        let grants = Grants::none().variable("API_KEY".parse().unwrap());
        let error = Approved::within_request(verified(""), grants).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the tool does not ask for variable API_KEY"
        );
    }

    #[test]
    fn values_are_bound_to_granted_variables_and_never_shown() {
        let asked = "[capabilities]\nvariables = [{ name = \"API_KEY\", secret = true }]";
        let name: VariableName = "API_KEY".parse().unwrap();
        let refused = Approved::within_request(verified(asked), Grants::none()).unwrap();
        assert!(refused.with_variable(name.clone(), "hunter2").is_err());
        let grants = Grants::none().variable(name.clone());
        let approved = Approved::within_request(verified(asked), grants).unwrap();
        let approved = approved.with_variable(name.clone(), "hunter2").unwrap();
        assert!(approved.values.contains_key(&name));
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
        let approved = Approved::within_request(verified(asked), grants).unwrap();
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
        let refused = Approved::within_request(verified(asked), Grants::none()).unwrap();
        assert!(refused.storage().is_none());
        let error = refused.with_storage(Storage::in_memory()).unwrap_err();
        assert_eq!(error.to_string(), "storage is not granted to tool `demo`");
        let approved = Approved::within_request(verified(asked), Grants::none().storage()).unwrap();
        assert!(approved.with_storage(Storage::in_memory()).is_ok());
    }
}
