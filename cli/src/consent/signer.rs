//! Holds a package's signer against `--signer`, and against the one that was approved before.

use std::str::FromStr;

use clap::Args;
use serde_json::{Value, json};
use tool_hub_manifest::{Digest, PackageSigner, SignerError, ToolKey};
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::known_builders::Builders;
use tool_hub_toolbox::known_signers::KnownSigners;
use tool_hub_toolbox::open_toolbox::Member;
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::signing_keys::SigningKeys;

use crate::consent::attestations::{
    AcceptedBuilders, AcceptingFlag, built_from, in_words, warn_or_refuse,
};
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The flags that say who may have signed a package, and what may have built it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SignerFlag {
    /// Accept it from this signer only: the fingerprint of a key, an identity as inspections
    /// name it with --json, or `none` for unsigned
    ///
    /// With --approve, a tool whose signer is another one than you approved is only taken
    /// if this names the new one.
    #[arg(long, value_name = "SIGNER|none")]
    signer: Option<ExpectedSigner>,

    /// Accept it only with an attestation by this publisher, as inspections name it with --json, or
    /// `none` for one without
    ///
    /// With --approve, a tool to which somebody attested when you approved it and does not any
    /// more is only taken with this.
    #[arg(long, value_name = "PUBLISHER|none")]
    attested_by: Option<ExpectedSigner>,

    /// Accept it only if it was built from this repository, as inspections name it with --json, or
    /// `none` where the registry names none
    ///
    /// With --approve, a tool that a build service built from a repository when you approved it,
    /// and from another one or none now, is only taken with this.
    #[arg(long, value_name = "REPOSITORY|none")]
    built_from: Option<String>,
}

/// The signer that the user expects.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ExpectedSigner(Option<PackageSigner>);

impl FromStr for ExpectedSigner {
    type Err = SignerError;

    fn from_str(text: &str) -> Result<Self, SignerError> {
        match text {
            "none" => Ok(Self(None)),
            text => Ok(Self(Some(text.parse()?))),
        }
    }
}

impl SignerFlag {
    /// The changes of builders that these flags accept, beside a digest that the user approves.
    pub(crate) fn accepted_builders(&self, approve: Option<Digest>) -> AcceptedBuilders {
        AcceptedBuilders {
            approve,
            names_publisher: self.attested_by.is_some(),
            names_repository: self.built_from.is_some(),
        }
    }

    /// Refuses a package of another signer, publisher or repository than the flags name.
    pub(crate) fn check(&self, fetched: &Fetched) -> anyhow::Result<()> {
        let (signature, attestations) = (&fetched.signature, &fetched.attestations);
        let publishers = attestations.publishers();
        if let Some(ExpectedSigner(expected)) = &self.attested_by
            && expected
                .as_ref()
                .map_or(!publishers.is_empty(), |it| !publishers.contains(it))
        {
            let subject = fetched.subject();
            return Err(Problem::refused(format!(
                "{subject} is {}, and --attested-by asks for {}",
                in_words(attestations),
                words(expected.as_ref())
            ))
            .hint("ask its author, by another way than the registry, who builds it")
            .into());
        }
        let repository = Builders::from(fetched).built_from;
        if let Some(expected) = &self.built_from
            && *expected != repository.clone().unwrap_or_else(|| "none".to_owned())
        {
            let subject = fetched.subject();
            return Err(Problem::refused(format!(
                "{subject} is {}, and --built-from asks for {expected}",
                built_from(repository.as_deref())
            ))
            .hint("ask its author, by another way than the registry, what it is built from")
            .into());
        }
        match &self.signer {
            Some(ExpectedSigner(expected)) if expected.as_ref() != signature.signer() => {
                let subject = fetched.subject();
                Err(Problem::refused(format!(
                    "{subject} is {}, and --signer asks for {}",
                    signature.in_words(),
                    words(expected.as_ref())
                ))
                .hint("ask its author, by another way than the registry, how they sign")
                .into())
            }
            _ => Ok(()),
        }
    }

    /// Warns if a tool that was signed by `before` as the user approved it is signed by somebody
    /// else, or no more. The digest that `--approve` names does not say who signed it, so that
    /// flag alone does not accept the change.
    pub(crate) fn check_change(
        &self,
        key: &ToolKey,
        before: Option<&PackageSigner>,
        fetched: &Fetched,
        approve: Option<Digest>,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        let is_given = self.signer.is_some();
        check_signer(key.as_str(), before, fetched, is_given, approve, printer)
    }
}

/// Warns if a tool that the one called `path` depends on is signed by somebody else than when the
/// user approved it, alone or with another tool. The digest that `approve` names does not say who
/// signed it, so that flag alone does not accept the change.
pub(crate) fn check_signers_of_dependencies(
    path: &str,
    fetched: &Fetched,
    known: &KnownSigners,
    approve: Option<Digest>,
    printer: &Printer,
) -> anyhow::Result<()> {
    for (name, dependency) in &fetched.dependencies {
        let path = format!("{path}.{name}");
        let before = known.of(&dependency.origin.source());
        check_signer(&path, before, dependency, false, approve, printer)?;
        check_signers_of_dependencies(&path, dependency, known, approve, printer)?;
    }
    Ok(())
}

fn check_signer(
    path: &str,
    before: Option<&PackageSigner>,
    fetched: &Fetched,
    is_given: bool,
    approve: Option<Digest>,
    printer: &Printer,
) -> anyhow::Result<()> {
    let signature = &fetched.signature;
    let compared = signature.signer_compared_with(before);
    let Some(signer) = before.filter(|_| before != compared) else {
        return Ok(());
    };
    let changed = format!(
        "`{path}` was signed by {signer} when you approved it, and is {} now",
        signature.in_words()
    );
    let accepting = AcceptingFlag {
        name: "--signer",
        value: signature.signer().map(ToString::to_string),
        is_given,
    };
    warn_or_refuse(changed, accepting, path, fetched, approve, printer)
}

/// Says that the key which signed a tool as the user approved it was replaced, as that key itself
/// says.
pub(crate) fn tell_of_rotation(
    key: &ToolKey,
    before: Option<&PackageSigner>,
    fetched: &Fetched,
    printer: &Printer,
) {
    let signature = &fetched.signature;
    let Some(old) = before.filter(|old| signature.replaces_signer(old)) else {
        return;
    };
    if signature.signer() != Some(old) {
        printer.note(&format!(
            "`{key}` is {} now; {old}, which signed it when you approved it, says that this key replaces it",
            signature.in_words()
        ));
    }
}

fn words(signer: Option<&PackageSigner>) -> String {
    signer.map_or_else(|| "none".to_owned(), |signer| signer.to_string())
}

/// The signer for programs: the fingerprint of a key and the user's name for it, or an identity and
/// the user's name for its root; `null` where there is none.
pub(crate) fn signer_json(signature: &PackageSignature) -> Value {
    let name = signature.signer_name();
    match signature.signer() {
        Some(PackageSigner::Key(key)) => json!({ "fingerprint": key, "name": name }),
        Some(signer @ PackageSigner::Identity(identity)) => json!({
            "identity": signer,
            "subject": identity.subject(),
            "issuer": identity.issuer(),
            "root": identity.root(),
            "name": name,
        }),
        None => Value::Null,
    }
}

/// The signer of a tool of the toolbox, as [`signer_json`].
pub(crate) fn signer_of(member: Member<'_>, keys: &SigningKeys) -> Value {
    signer_json(&PackageSignature::recorded(member.locked, keys))
}
