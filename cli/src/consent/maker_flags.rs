//! The `MakerFlags`: which signer, publisher and repository the user accepts of a package.

use std::str::FromStr;

use clap::Args;
use tool_hub_manifest::{Digest, PackageSigner, SignerError, ToolKey};
use tool_hub_toolbox::builders::Builders;
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::other_maker::{MakerRole, OtherMaker};

use crate::terminal::escape::escape_line;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The advice to whoever reads of another maker.
pub(crate) const ASK: &str = "ask its author, by another way than the registry; if they say so";

/// The flags that say who may have signed a package, and what may have built it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MakerFlags {
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

impl MakerFlags {
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
                attestations.in_words(),
                words(expected.as_ref())
            ))
            .hint("ask its author, by another way than the registry, who builds it")
            .into());
        }
        let builders = Builders::from(fetched);
        if let Some(expected) = &self.built_from
            && expected != builders.built_from.as_deref().unwrap_or("none")
        {
            let subject = fetched.subject();
            return Err(Problem::refused(format!(
                "{subject} is {}, and --built-from asks for {expected}",
                escape_line(&builders.repository_in_words())
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

    /// Warns of each maker of the tool `key`, and of what it depends on, that is another one than
    /// when the user approved it. The digest that `approve` names says nothing of makers, so that
    /// it alone accepts none.
    pub(crate) fn check_changes(
        &self,
        key: &ToolKey,
        changes: Vec<OtherMaker>,
        approve: Option<Digest>,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        for other in changes {
            let is_given = match other.role {
                MakerRole::Signer => self.signer.is_some(),
                MakerRole::Publisher => self.attested_by.is_some(),
                MakerRole::Repository => self.built_from.is_some(),
            };
            // The flags are about the tool itself.
            let is_dependency = other.tool != key.as_str();
            let changed = escape_line(&other.to_string());
            if approve.is_none() || (is_given && !is_dependency) {
                printer.warning(&changed);
                continue;
            }
            return Err(Problem::refused(changed)
                .hint(match is_dependency {
                    false => format!("{ASK}, add: {}", flag_of(&other)),
                    true => load_alone(&other),
                })
                .into());
        }
        Ok(())
    }
}

/// The flag by which the user accepts this maker of the tool itself.
pub(crate) fn flag_of(other: &OtherMaker) -> String {
    let flag = match other.role {
        MakerRole::Signer => "--signer",
        MakerRole::Publisher => "--attested-by",
        MakerRole::Repository => "--built-from",
    };
    let value = escape_line(other.name.as_deref().unwrap_or("none"));
    format!("{flag} {}", shell_words::quote(&value))
}

/// The advice about the maker of a tool that is called by the one which is loaded: no flag of that
/// one accepts it.
pub(crate) fn load_alone(other: &OtherMaker) -> String {
    let (subject, flag) = (&other.subject, flag_of(other));
    format!("{ASK}, load it alone first: tool load {subject} {flag}")
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
