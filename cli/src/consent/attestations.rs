//! Holds whoever built a package, and attested to it, against those of when it was approved.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tool_hub_manifest::{Digest, PackageSigner};
use tool_hub_signing::AttestationKind;
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::known_builders::{Builders, KnownBuilders};
use tool_hub_toolbox::package_attestations::PackageAttestations;

use crate::terminal::escape::escape_line;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The flags that accept a change of what builds a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AcceptedBuilders {
    /// The digest that the user approves. It does not say what built the package, so that flag
    /// alone accepts no change.
    pub(crate) approve: Option<Digest>,
    /// True if a flag says who has to attest to it.
    pub(crate) names_publisher: bool,
    /// True if a flag says what it has to be built from.
    pub(crate) names_repository: bool,
}

impl AcceptedBuilders {
    /// Those for what a tool depends on: the flags about builders are about the tool itself.
    fn of_dependency(self) -> Self {
        Self {
            names_publisher: false,
            names_repository: false,
            ..self
        }
    }
}

/// The flag that accepts one change.
pub(crate) struct AcceptingFlag {
    pub(crate) name: &'static str,
    /// The value that accepts it.
    pub(crate) value: Option<String>,
    pub(crate) is_given: bool,
}

/// Warns if somebody who attested to the tool called `path`, or to one that it depends on, as the
/// user approved it does not attest to it any more, and if it is built from another repository.
pub(crate) fn check_builders(
    path: &str,
    before: Option<&Builders>,
    fetched: &Fetched,
    known: &KnownBuilders,
    accepted: AcceptedBuilders,
    printer: &Printer,
) -> anyhow::Result<()> {
    let now = Builders::from(fetched);
    let nothing = Builders::default();
    let before = before.unwrap_or(&nothing);
    let lost: BTreeSet<&PackageSigner> = before.attested_by.difference(&now.attested_by).collect();
    if !lost.is_empty() {
        let changed = format!(
            "`{path}` was attested by {} when you approved it, and is {} now",
            one_of(lost),
            in_words(&fetched.attestations)
        );
        let accepting = AcceptingFlag {
            name: "--attested-by",
            value: now.attested_by.first().map(ToString::to_string),
            is_given: accepted.names_publisher,
        };
        warn_or_refuse(changed, accepting, path, fetched, accepted.approve, printer)?;
    }
    if before.built_from.is_some() && before.built_from != now.built_from {
        let changed = format!(
            "`{path}` was {} when you approved it, and is {} now",
            built_from(before.built_from.as_deref()),
            built_from(now.built_from.as_deref())
        );
        let accepting = AcceptingFlag {
            name: "--built-from",
            value: now.built_from,
            is_given: accepted.names_repository,
        };
        warn_or_refuse(changed, accepting, path, fetched, accepted.approve, printer)?;
    }
    for (name, dependency) in &fetched.dependencies {
        let path = format!("{path}.{name}");
        let before = known.of(&dependency.origin.source());
        let accepted = accepted.of_dependency();
        check_builders(&path, before, dependency, known, accepted, printer)?;
    }
    Ok(())
}

/// Warns that something `changed`; refuses it where only a digest was approved.
pub(crate) fn warn_or_refuse(
    changed: String,
    accepting: AcceptingFlag,
    path: &str,
    fetched: &Fetched,
    approve: Option<Digest>,
    printer: &Printer,
) -> anyhow::Result<()> {
    if approve.is_none() || accepting.is_given {
        printer.warning(&changed);
        return Ok(());
    }
    let flag = accepting.name;
    let value = accepting.value.as_deref().unwrap_or("none");
    let value = shell_words::quote(value);
    let ask = "ask its author, by another way than the registry; if they say so";
    Err(Problem::refused(changed)
        // Only the path of a dependency has a dot.
        .hint(match path.contains('.') {
            false => format!("{ask}, add: {flag} {value}"),
            true => {
                let subject = fetched.subject();
                format!("{ask}, load it alone first: tool load {subject} {flag} {value}")
            }
        })
        .into())
}

/// The repository that a version was built from, as the end of a sentence.
pub(crate) fn built_from(repository: Option<&str>) -> String {
    repository.map_or_else(
        || "built from no repository that its registry names".to_owned(),
        |repository| format!("built from {}", escape_line(repository)),
    )
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
