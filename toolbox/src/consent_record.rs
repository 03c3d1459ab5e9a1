//! Records a `GivenConsent`: loads the tool once, and writes it to toolbox, lock and approvals.

use std::collections::BTreeMap;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_host::{Approved, ImportAccess, Inspection, Tool};
use tool_hub_manifest::{
    Approval, Consent, Digest, FunctionName, GrantTree, LockedTool, Overrides, ToolKey, ToolName,
    ToolboxEntry, VariableName, digest_with_dependencies,
};
use tool_hub_registry_client::Store;

use crate::error::Error;
use crate::fetched::{Fetched, FetchedFrom, is_same_place};
use crate::known_makers::KnownMakers;
use crate::loaded::Loader;
use crate::open_toolbox::OpenToolbox;
use crate::settings::Settings;

/// The user's consent, with its way and time. Whoever makes one must have it.
#[derive(Debug)]
pub struct GivenConsent {
    approved: Approved,
    calls_functions: bool,
    consent: Consent,
    at: String,
}

impl GivenConsent {
    /// A consent to what was inspected, with `grants`, that was just given.
    ///
    /// # Errors
    /// [`Error::Host`] if the inspection refuses the tool, or the grants exceed what it asks for.
    pub fn now(
        inspection: &Inspection,
        grants: &GrantTree,
        consent: Consent,
    ) -> Result<Self, Error> {
        let now = OffsetDateTime::now_utc();
        let at = now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339)?;
        Ok(Self {
            approved: inspection.approve_tree(grants)?,
            calls_functions: calls_functions(inspection),
            consent,
            at,
        })
    }

    /// The consent that `locked` records, with the same grants, for what was inspected again.
    ///
    /// # Errors
    /// As [`now`](Self::now).
    pub fn before(inspection: &Inspection, locked: &LockedTool) -> Result<Self, Error> {
        Ok(Self {
            approved: inspection.approve_tree(&locked.grant_tree())?,
            calls_functions: calls_functions(inspection),
            consent: locked.approval.consent,
            at: locked.approval.at.clone(),
        })
    }
}

/// True if the tool imports the interface that calls other functions of the toolbox.
pub fn calls_functions(inspection: &Inspection) -> bool {
    let mut imports = inspection.imports.iter();
    imports.any(|import| import.access == ImportAccess::Toolbox)
}

/// A record that only has to be written, and signed before where that is required. The tool was
/// compiled.
#[derive(Debug)]
pub struct PreparedRecord<'a> {
    key: &'a ToolKey,
    entry: &'a ToolboxEntry,
    locked: LockedTool,
    unmasked: Vec<VariableName>,
}

impl<'a> PreparedRecord<'a> {
    /// Loads `fetched` once and keeps its bytes, to record it under `key`.
    ///
    /// # Errors
    /// If it cannot be loaded or kept.
    pub async fn new(
        key: &'a ToolKey,
        entry: &'a ToolboxEntry,
        fetched: &Fetched,
        given: GivenConsent,
        loader: &Loader<'_>,
    ) -> Result<Self, Error> {
        let settings = loader.settings;
        let approved = loader.known_as(key.as_str(), given.approved.clone());
        let storage = settings.storage(&fetched.origin.source());
        // Repos arrive through the store, so it has them before they are loaded.
        if fetched.bundle.is_some() {
            keep_bundled(fetched, loader.store)?;
        }
        let tool = loader.load_approved(approved, storage).await?;
        tool.prepare().await?;
        // Files have to be put there, since a tool runs as it was approved and not as the file
        // may be tomorrow.
        if let FetchedFrom::File { .. } | FetchedFrom::Server { .. } = &fetched.origin {
            loader.store.put(&fetched.verified)?;
        }
        let toolbox = OpenToolbox::open(settings)?;
        let before = toolbox.last_approved(key);
        Ok(Self {
            key,
            entry,
            locked: locked(key, entry, fetched, given, &tool, before),
            unmasked: tool.unmasked_variables().to_vec(),
        })
    }

    /// The secret variables whose values are too short to be masked: they are visible if the tool
    /// outputs them.
    pub fn unmasked_variables(&self) -> &[VariableName] {
        &self.unmasked
    }

    /// The record, whose approval has to be signed where
    /// [`to_be_signed`](crate::approvals::Approvals::to_be_signed) says so.
    pub fn locked(&self) -> &LockedTool {
        &self.locked
    }

    /// Writes the record to the toolbox in force, its lock and the user's approvals, with the
    /// `signature` of its approval.
    ///
    /// # Errors
    /// [`Error::NoSignature`] if one is required and this is none by a required key, and if a file
    /// cannot be changed.
    pub fn record(
        self,
        signature: Option<String>,
        settings: &Settings,
    ) -> Result<LockedTool, Error> {
        let Self {
            key, entry, locked, ..
        } = self;
        OpenToolbox::insert(settings, key, entry, locked.clone(), signature)?;
        for (_, locked) in locked.tree() {
            KnownMakers::note(settings, locked)?;
        }
        Ok(locked)
    }
}

/// Puts a tool of a bundle, and all that it depends on, where those that are pulled arrive.
fn keep_bundled(fetched: &Fetched, store: &Store) -> Result<(), Error> {
    store.put(&fetched.verified)?;
    if let FetchedFrom::Registry {
        endpoint, resolved, ..
    } = &fetched.origin
    {
        let package = (*fetched.verified.pin()).into();
        store.note_pulled(endpoint, &resolved.repo, &package)?;
    }
    let mut dependencies = fetched.dependencies.values();
    dependencies.try_for_each(|dependency| keep_bundled(dependency, store))
}

fn locked(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    given: GivenConsent,
    tool: &Tool,
    before: Option<&LockedTool>,
) -> LockedTool {
    let pin = fetched.verified.pin();
    let functions: BTreeMap<FunctionName, Digest> = tool
        .functions()
        .iter()
        .map(|function| (function.name.clone(), function.spec.digest()))
        .collect();
    let source = fetched.origin.source();
    let before = before.filter(|before| is_same_place(&before.source, &source));
    let overrides = entry.overrides();
    let dependencies = locked_dependencies(fetched, &given.approved, (given.consent, &given.at));
    let digests = dependencies.iter();
    let digests = digests.map(|(name, locked)| (name, locked.approval.digest));
    LockedTool {
        name: Some(key.clone()),
        version: fetched.verified.manifest().version.clone(),
        manifest: pin.manifest,
        component: pin.component,
        source,
        approval: Approval {
            digest: digest_with_dependencies(overrides.digest_with(pin), digests),
            consent: given.consent,
            at: given.at,
        },
        signer: fetched.signature.signer().cloned(),
        attested_by: fetched.attestations.publishers(),
        logged: fetched.logged.clone(),
        allowed_advisories: fetched.allowed_advisories.clone(),
        calls_functions: given.calls_functions,
        grants: given.approved.grants().clone(),
        called_by_key: before.and_then(|before| called_by_key(before, &functions)),
        functions,
        overrides,
        dependencies,
    }
}

/// The records of the dependencies of `fetched`, which is `approved` with them. No agent sees their
/// functions.
fn locked_dependencies(
    fetched: &Fetched,
    approved: &Approved,
    given: (Consent, &str),
) -> BTreeMap<ToolName, LockedTool> {
    let pairs = fetched.dependencies.iter().zip(approved.dependencies());
    let locked = pairs.map(|((name, fetched), (_, approved))| {
        let dependencies = locked_dependencies(fetched, approved, given);
        let digests = dependencies.iter();
        let digests = digests.map(|(name, locked)| (name, locked.approval.digest));
        let pin = fetched.verified.pin();
        let locked = LockedTool {
            name: None,
            version: fetched.verified.manifest().version.clone(),
            manifest: pin.manifest,
            component: pin.component,
            source: fetched.origin.source(),
            approval: Approval {
                digest: digest_with_dependencies(pin.digest(), digests),
                consent: given.0,
                at: given.1.to_owned(),
            },
            signer: fetched.signature.signer().cloned(),
            attested_by: fetched.attestations.publishers(),
            logged: fetched.logged.clone(),
            allowed_advisories: fetched.allowed_advisories.clone(),
            calls_functions: false,
            grants: approved.grants().clone(),
            functions: BTreeMap::new(),
            called_by_key: None,
            overrides: Overrides::default(),
            dependencies,
        };
        (name.clone(), locked)
    });
    locked.collect()
}

/// The function of a new version with `functions` that agents know by the tool's name: the only one
/// of the version `before`, or the one that went on answering to that name then.
fn called_by_key(
    before: &LockedTool,
    functions: &BTreeMap<FunctionName, Digest>,
) -> Option<FunctionName> {
    let mut names = before.functions.keys();
    let known = match (names.next(), names.next()) {
        (Some(only), None) => Some(only),
        _ => before.called_by_key.as_ref(),
    };
    let known = known.filter(|name| functions.len() > 1 && functions.contains_key(*name));
    known.cloned()
}

#[cfg(test)]
mod tests {
    use tool_hub_manifest::{Grants, Source};

    use super::*;

    fn functions(names: &[&str]) -> BTreeMap<FunctionName, Digest> {
        let names = names.iter().map(|name| name.parse().unwrap());
        names.map(|name| (name, Digest::of(b""))).collect()
    }

    fn version(names: &[&str], called_by_key: Option<&str>) -> LockedTool {
        let digest = Digest::of(b"");
        LockedTool {
            name: None,
            version: semver::Version::new(1, 0, 0),
            manifest: digest,
            component: digest,
            source: Source::File {
                path: "/greeter".into(),
            },
            approval: Approval {
                digest,
                consent: Consent::Flag,
                at: String::new(),
            },
            signer: None,
            attested_by: std::collections::BTreeSet::new(),
            logged: None,
            allowed_advisories: std::collections::BTreeSet::new(),
            calls_functions: false,
            grants: Grants::none(),
            functions: functions(names),
            called_by_key: called_by_key.map(|name| name.parse().unwrap()),
            overrides: Overrides::default(),
            dependencies: BTreeMap::new(),
        }
    }

    #[test]
    fn the_only_function_of_an_earlier_version_keeps_the_short_name() {
        for (before, kept, now, expected) in [
            (&["greet"][..], None, &["bye", "greet"][..], Some("greet")),
            (&["greet"], None, &["bye", "hello"], None),
            (&["greet"], None, &["greet"], None),
            (&["bye", "greet"], None, &["bye", "greet", "wave"], None),
            (
                &["bye", "greet"],
                Some("greet"),
                &["greet", "wave"],
                Some("greet"),
            ),
            (&["bye", "greet"], Some("greet"), &["bye", "wave"], None),
        ] {
            let found = called_by_key(&version(before, kept), &functions(now));
            let found = found.as_ref().map(FunctionName::as_str);
            assert_eq!(found, expected, "{before:?} {kept:?} {now:?}");
        }
    }
}
