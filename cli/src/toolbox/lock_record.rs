//! Records an approval: loads the tool once, so that it is known to work, and writes it to the
//! toolbox and its lock.

use std::collections::BTreeMap;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_host::{Approved, Inspection, Tool};
use tool_hub_manifest::{
    Approval, Consent, Digest, FunctionName, Grants, LockedTool, Source, ToolKey, ToolboxEntry,
};

use crate::consent::report;
use crate::session::Session;
use crate::terminal::progress::Spinner;
use crate::toolbox::loaded;
use crate::toolbox::open_toolbox::OpenToolbox;
use crate::toolbox::package::{Fetched, FetchedFrom};
use crate::toolbox::sandbox;

/// The user's consent, with its way and time.
pub(crate) struct GivenConsent {
    approved: Approved,
    calls_functions: bool,
    consent: Consent,
    at: String,
}

impl GivenConsent {
    /// A consent to what was inspected, with `grants`, that was just given.
    pub(crate) fn now(
        inspection: &Inspection,
        grants: Grants,
        consent: Consent,
    ) -> anyhow::Result<Self> {
        let at = OffsetDateTime::now_utc()
            .replace_nanosecond(0)?
            .format(&Rfc3339)?;
        Ok(Self {
            approved: inspection.approve(grants)?,
            calls_functions: report::calls_functions(inspection),
            consent,
            at,
        })
    }

    /// The consent that `locked` records, with the same grants, for what was inspected again.
    pub(crate) fn before(inspection: &Inspection, locked: &LockedTool) -> anyhow::Result<Self> {
        Ok(Self {
            approved: inspection.approve(locked.grants.clone())?,
            calls_functions: report::calls_functions(inspection),
            consent: locked.approval.consent,
            at: locked.approval.at.clone(),
        })
    }
}

/// Compiles `fetched`, keeps its bytes and records it under `key`.
pub(crate) async fn record(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    given: GivenConsent,
    session: &Session,
) -> anyhow::Result<LockedTool> {
    let Session { config, printer } = session;
    let host = sandbox::open_host(config)?;
    let spinner = Spinner::start(format!("compiling {key}"), printer);
    let approved = loaded::known_as(key, given.approved.clone());
    let storage = config.storage(&fetched.origin.source());
    let tool = loaded::load(&host, approved, storage, config).await;
    spinner.finish();
    let tool = tool?;
    for name in tool.unmasked_variables() {
        printer.warning(&format!(
            "the value of {name} is too short to be masked, so it is visible if `{key}` outputs it"
        ));
    }

    // Repos arrive through the store; files have to be put there, since a tool runs as it
    // was approved and not as the file may be tomorrow.
    if let FetchedFrom::File { .. } = &fetched.origin {
        config.open_store()?.put(&fetched.verified)?;
    }
    let toolbox = OpenToolbox::open(config)?;
    let before = toolbox.last_approved(key);
    let locked = locked(key, entry, fetched, given, &tool, before);
    OpenToolbox::insert(config, key, entry, locked.clone())?;
    Ok(locked)
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
    LockedTool {
        name: Some(key.clone()),
        version: fetched.verified.manifest().version.clone(),
        manifest: pin.manifest,
        component: pin.component,
        source,
        approval: Approval {
            digest: overrides.digest_with(pin),
            consent: given.consent,
            at: given.at,
        },
        signer: None,
        calls_functions: given.calls_functions,
        grants: given.approved.grants().clone(),
        called_by_key: before.and_then(|before| called_by_key(before, &functions)),
        functions,
        overrides,
    }
}

/// True if both are versions of one tool.
fn is_same_place(one: &Source, other: &Source) -> bool {
    match (one, other) {
        (
            Source::Registry { endpoint, repo, .. },
            Source::Registry {
                endpoint: other_endpoint,
                repo: other_repo,
                ..
            },
        ) => (endpoint, repo) == (other_endpoint, other_repo),
        (Source::File { path }, Source::File { path: other }) => path == other,
        _ => false,
    }
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
            calls_functions: false,
            grants: Grants::none(),
            functions: functions(names),
            called_by_key: called_by_key.map(|name| name.parse().unwrap()),
            overrides: tool_hub_manifest::Overrides::default(),
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

    #[test]
    fn versions_of_one_tool_come_from_one_place() {
        let registry = |repo: &str, commit: char| Source::Registry {
            endpoint: "https://hub.example".parse().unwrap(),
            repo: repo.parse().unwrap(),
            commit: commit.to_string().repeat(40).parse().unwrap(),
        };
        let file = Source::File { path: "/a".into() };
        assert!(is_same_place(
            &registry("ada/a", 'a'),
            &registry("ada/a", 'b')
        ));
        assert!(!is_same_place(
            &registry("ada/a", 'a'),
            &registry("bob/a", 'a')
        ));
        assert!(is_same_place(&file, &file.clone()));
        assert!(!is_same_place(&file, &registry("ada/a", 'a')));
    }
}
