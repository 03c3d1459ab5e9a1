//! The `Inspection` of a tool: reports to decide on, and `approve`, which loads it with grants.

use tool_hub_host::{Approved, HostError};
use tool_hub_manifest::{Digest, ToolKey};
use tool_hub_toolbox::Error as ToolboxError;
use tool_hub_toolbox::approvals::Approvals;
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::inspection_report::{Advice, Detail, inspection_report};
use tool_hub_toolbox::known_makers::KnownMakers;
use tool_hub_toolbox::policy::error::PolicyError;
use tool_hub_toolbox::policy::policies::Policies;
use tool_hub_toolbox::policy::subject::RightsSubject;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::sensitive;

use crate::error::Error;
use crate::grant_request::GrantRequest;
use crate::tools::{Members, Tools};
use crate::workspace::Workspace;

/// A tool that was verified and inspected. Nothing of it ran.
pub struct Inspection {
    workspace: Workspace,
    inspection: tool_hub_host::Inspection,
    from: Provenance,
}

impl Inspection {
    pub(crate) fn new(
        workspace: Workspace,
        fetched: &Fetched,
        from: Provenance,
    ) -> Result<Self, Error> {
        Ok(Self {
            inspection: fetched.inspect()?,
            workspace,
            from,
        })
    }

    /// The host's own inspection, with all that it found. Its texts are a stranger's, unescaped.
    pub fn found(&self) -> &tool_hub_host::Inspection {
        &self.inspection
    }

    /// The digest that an approval names.
    pub fn digest(&self) -> String {
        self.inspection.approval_digest.to_string()
    }

    /// The owner of the repo that it is from, if it is from a registry.
    pub fn publisher(&self) -> Option<&str> {
        self.from.source.repo().map(|(_, repo)| repo.owner())
    }

    /// The signer, as `tool load --signer` takes it: the fingerprint of a key, or an identity.
    pub fn signer(&self) -> Option<String> {
        self.from.signature.signer().map(ToString::to_string)
    }

    /// The day on which it was published, if the registry told it.
    pub fn published(&self) -> Option<&str> {
        self.from.published.as_deref()
    }

    /// About ten lines to decide on, with a stranger's text escaped.
    pub fn report(&self) -> String {
        self.formatted(Detail::Decision)
    }

    /// The same with imports and all descriptions.
    pub fn full_report(&self) -> String {
        self.formatted(Detail::Everything)
    }

    fn formatted(&self, detail: Detail) -> String {
        let advice = Advice {
            more: "see the full report",
            grant: None,
        };
        inspection_report(&self.from, &self.inspection, detail, advice)
    }

    /// Approves the tool with the digest `approved` and loads it. Whoever calls this has the
    /// consent of the person in whose name the tool will run, and who read the inspection.
    ///
    /// # Errors
    /// When the digest is another one, when there are refusals, when it is signed or built by
    /// somebody else than what the user approved last from its repo, when the grants go beyond what
    /// the tool asks for, where approvals have to be signed, and when the tool cannot be loaded.
    ///
    /// # Panics
    /// On a thread of the runtime.
    pub fn approve(&self, approved: &str, grants: GrantRequest) -> Result<Tools, Error> {
        let actual = self.inspection.approval_digest;
        if approved.parse::<Digest>() != Ok(actual) {
            return Err(Error::OtherDigest {
                approved: approved.chars().take(80).collect(),
                actual,
            });
        }
        let settings = self.workspace.settings();
        Approvals::refuse_unrecorded("an approval by a program", settings)?;
        check_refusals(&self.inspection)?;
        let manifest = self.inspection.verified().manifest();
        let key = ToolKey::from(&manifest.name);
        KnownMakers::read(settings)?.check(key.as_str(), &self.from)?;
        let granted = grants.grants(&manifest.capabilities, settings);
        let storage = granted.storage.then(|| self.from.source.clone());
        let policies = Policies::read(settings).map_err(ToolboxError::from)?;
        let mut tool = self.inspection.approve(granted)?.known_as(key.as_str());
        check_rights(&policies, key.as_str(), &tool).map_err(ToolboxError::from)?;
        sensitive::check(tool.grants(), settings)?;
        tool = grants.give_values(tool)?;
        let members = Members::Approved {
            key,
            approved: Box::new(tool),
            storage,
        };
        Tools::load(self.workspace.clone(), members)
    }
}

/// Holds the grants and limits of the tool called `path`, and of all that it depends on, against
/// `policies`.
fn check_rights(policies: &Policies, path: &str, approved: &Approved) -> Result<(), PolicyError> {
    let rights = RightsSubject {
        grants: approved.grants(),
        limits: Some(&approved.verified().manifest().limits),
    };
    policies.check_rights(&format!("`{path}`"), &rights)?;
    let mut dependencies = approved.dependencies().iter();
    dependencies.try_for_each(|(name, dependency)| {
        check_rights(policies, &format!("{path}.{name}"), dependency)
    })
}

/// Refuses what the host would never run.
pub(crate) fn check_refusals(inspection: &tool_hub_host::Inspection) -> Result<(), Error> {
    match inspection.refusals.is_empty() {
        true => Ok(()),
        false => Err(Error::Host(HostError::Refused {
            tool: inspection.name.clone(),
            refusals: inspection.refusals.clone(),
        })),
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as people leave them"
)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use tool_hub_host::authoring::derive_manifest;
    use tool_hub_manifest::{Grants, Package, Verified};

    use crate::error::ErrorKind;
    use crate::fetching::load;
    use crate::process;

    use super::*;

    /// The workspace of a user whose home is `home`.
    fn workspace(home: &Path) -> Workspace {
        let place = home.to_str().unwrap().to_owned();
        let variables = BTreeMap::from([("TOOL_HUB_HOME", place.clone()), ("HOME", place)]);
        let lookup = move |name: &str| variables.get(name).map(Into::into);
        Workspace::new(lookup, home, None).unwrap()
    }

    #[test]
    fn a_policy_binds_a_program_too() {
        let home = tempfile::tempdir().unwrap();
        let component = wat::parse_file("tests/answers.wat").unwrap();
        let answers = home.path().join("answers.wasm");
        fs::write(&answers, component).unwrap();
        let answers = answers.to_str().unwrap();
        let workspace = workspace(home.path());
        let loaded = || {
            let process = process::get(&workspace).unwrap();
            process.block_on(load(&workspace, answers))
        };
        let rule = |text: &str| fs::write(home.path().join("policy.toml"), text).unwrap();

        let inspection = loaded().unwrap();
        rule("contact = 'Ann'\n[capabilities]\nmemory_mib = 64");
        let approved = inspection.approve(&inspection.digest(), GrantRequest::none());
        let error = approved.err().unwrap();
        assert!(
            error.to_string().contains("`capabilities.memory_mib`"),
            "{error}"
        );
        assert_eq!(error.hint().as_deref(), Some("ask Ann"));
        assert_eq!(error.kind(), ErrorKind::Refused);
        rule("sources.files = false");
        let error = loaded().err().unwrap();
        assert!(error.to_string().contains("`sources.files`"), "{error}");
        rule("sources.file = false");
        let error = loaded().err().unwrap();
        assert!(
            error.to_string().contains("a policy cannot be read"),
            "{error}"
        );
    }

    #[test]
    fn a_policy_binds_what_a_tool_calls() {
        let home = tempfile::tempdir().unwrap();
        let rule = "[capabilities]\nmemory_mib = 64";
        fs::write(home.path().join("policy.toml"), rule).unwrap();
        let policies = Policies::read(workspace(home.path()).settings()).unwrap();
        let approved = |memory_mib| {
            let component = wat::parse_file("tests/answers.wat").unwrap();
            let mut manifest = derive_manifest(&component, "answers".parse().unwrap()).unwrap();
            manifest.limits.memory_mib = memory_mib;
            let verified = Verified::check(Package {
                manifest: manifest.to_toml().into_bytes(),
                component,
                interpreter: None,
                sbom: None,
            });
            Approved::from_lock_record(verified.unwrap(), Grants::none()).unwrap()
        };
        let calling = |units| {
            let dependencies = BTreeMap::from([("units".parse().unwrap(), units)]);
            approved(Some(32)).with_dependencies(dependencies)
        };
        let within = check_rights(&policies, "answers", &calling(approved(Some(64))));
        assert!(within.is_ok(), "{within:?}");
        let beyond = check_rights(&policies, "answers", &calling(approved(None)));
        let error = beyond.unwrap_err().to_string();
        assert!(error.contains("`answers.units`"), "{error}");
        assert!(error.contains("`capabilities.memory_mib`"), "{error}");
    }
}
