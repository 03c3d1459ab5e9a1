//! Holds a package's attestations against those that were verified when it was approved.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tool_hub_manifest::{Digest, LockedTool, PackageSigner};
use tool_hub_signing::AttestationKind;
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::package_attestations::PackageAttestations;

use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// Warns if somebody who attested to the tool called `path`, or to one that it depends on, as it
/// was approved does not attest to it any more. The digest that `approve` names does not say who
/// attests, so that flag alone does not accept the change; `is_named` says that another one does.
pub(crate) fn check_attestations(
    path: &str,
    before: Option<&LockedTool>,
    fetched: &Fetched,
    (approve, is_named): (Option<Digest>, bool),
    printer: &Printer,
) -> anyhow::Result<()> {
    let Some(before) = before else {
        return Ok(());
    };
    let now = fetched.attestations.publishers();
    let lost: BTreeSet<&PackageSigner> = before.attested_by.difference(&now).collect();
    if !lost.is_empty() {
        let changed = format!(
            "`{path}` was attested by {} when you approved it, and is {} now",
            one_of(lost),
            in_words(&fetched.attestations)
        );
        if approve.is_some() && !is_named {
            let new = match now.first() {
                Some(publisher) => publisher.to_string(),
                None => "none".to_owned(),
            };
            return Err(Problem::refused(changed)
                .hint(format!(
                    "ask its author, by another way than the registry; if they say so, add: --attested-by {}",
                    shell_words::quote(&new)
                ))
                .into());
        }
        printer.warning(&changed);
    }
    for (name, dependency) in &fetched.dependencies {
        let path = format!("{path}.{name}");
        let before = before.dependencies.get(name);
        // The flag is about the tool itself.
        check_attestations(&path, before, dependency, (approve, false), printer)?;
    }
    Ok(())
}

/// The attestations, as the end of a sentence.
pub(crate) fn in_words(attestations: &PackageAttestations) -> String {
    let verified: Vec<String> = attestations
        .verified()
        .iter()
        .map(|it| it.in_words())
        .collect();
    match verified.is_empty() {
        true => "not attested".to_owned(),
        false => verified.join(" and "),
    }
}

fn one_of(publishers: BTreeSet<&PackageSigner>) -> String {
    let names = publishers.into_iter().map(ToString::to_string);
    names.collect::<Vec<_>>().join(" and ")
}

/// The attestations that were verified, for programs: who made each, what it says, and the user's
/// name for the root.
pub(crate) fn attestations_json(attestations: &PackageAttestations) -> Value {
    let verified = attestations.verified().iter();
    verified
        .map(|attestation| {
            json!({
                "publisher": attestation.publisher,
                "says": match attestation.kind {
                    Some(AttestationKind::Built) => Some("built"),
                    Some(AttestationKind::Published) => Some("published"),
                    None => None,
                },
                "root_name": attestation.root_name,
            })
        })
        .collect()
}
