//! The `KnownMakers`: who signed, and what built, the versions that the user approved last.
//! They are in files of their own, so a pin outlives the lock: a tool that is removed, or that
//! another toolbox gets, has it too.

use std::path::PathBuf;

use tool_hub_manifest::{LockedTool, PackageSigner, RepoId, Source};
use url::Url;

use crate::builders::Builders;
use crate::error::Error;
use crate::fetched::is_same_place;
use crate::other_maker::{MakerRole, OtherMaker};
use crate::provenance::Provenance;
use crate::remembered::Remembered;
use crate::settings::Settings;

const SIGNERS_FILE: &str = "known_signers.toml";
const BUILDERS_FILE: &str = "known_builders.toml";

/// Whoever signed a version, and what built it, where either is known.
#[derive(Debug, Clone, Default)]
pub struct Makers {
    /// The signer.
    pub signer: Option<PackageSigner>,
    builders: Builders,
}

impl From<&LockedTool> for Makers {
    fn from(locked: &LockedTool) -> Self {
        Self {
            signer: locked.signer.clone(),
            builders: locked.into(),
        }
    }
}

impl Makers {
    /// The makers of the version `from`, called `path`, that are others than these.
    fn changes(&self, path: &str, from: &Provenance) -> Vec<OtherMaker> {
        let mut changes = Vec::new();
        let mut add = |role, before, now, name| {
            changes.push(OtherMaker {
                tool: path.to_owned(),
                subject: from.subject.clone(),
                role,
                before,
                now,
                name,
            });
        };
        let signature = &from.signature;
        if let Some(before) = &self.signer
            && signature.signer_compared_with(Some(before)) != Some(before)
        {
            let name = signature.signer().map(ToString::to_string);
            let before = format!("signed by {before}");
            add(MakerRole::Signer, before, signature.in_words(), name);
        }
        let (before, now) = (&self.builders, Builders::from(from));
        let lost = before.attested_by.difference(&now.attested_by);
        let lost: Vec<String> = lost.map(ToString::to_string).collect();
        if !lost.is_empty() {
            let name = now.attested_by.first().map(ToString::to_string);
            let before = format!("attested by {}", lost.join(" and "));
            let now = from.attestations.in_words();
            add(MakerRole::Publisher, before, now, name);
        }
        if before.built_from.is_some() && before.built_from != now.built_from {
            let (before, words) = (before.repository_in_words(), now.repository_in_words());
            add(MakerRole::Repository, before, words, now.built_from);
        }
        changes
    }

    /// These, with what `others` know where these do not.
    fn or(self, others: Self) -> Self {
        let (own, other) = (self.builders, others.builders);
        Self {
            signer: self.signer.or(others.signer),
            builders: Builders {
                attested_by: match own.attested_by.is_empty() {
                    true => other.attested_by,
                    false => own.attested_by,
                },
                built_from: own.built_from.or(other.built_from),
            },
        }
    }
}

/// The signers and builders of what the user approved, by registry and repo. Repos whose tools were
/// approved without one are not in them.
#[derive(Debug)]
pub struct KnownMakers {
    signers: Remembered<PackageSigner>,
    builders: Remembered<Builders>,
}

impl KnownMakers {
    /// Reads the files.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Ok(Self {
            signers: Remembered::read(&place(settings, SIGNERS_FILE))?,
            builders: Remembered::read(&place(settings, BUILDERS_FILE))?,
        })
    }

    /// True if the signer or a builder is known of what the user approved from `repo`.
    pub fn has(&self, endpoint: &Url, repo: &RepoId) -> bool {
        self.signers.of(endpoint, repo).is_some() || self.builders.of(endpoint, repo).is_some()
    }

    /// Notes the makers of what the user approved.
    ///
    /// # Errors
    /// If a file cannot be read or changed.
    pub(crate) fn note(settings: &Settings, approved: &LockedTool) -> Result<(), Error> {
        let Some((endpoint, repo)) = approved.source.repo() else {
            return Ok(());
        };
        let Makers { signer, builders } = approved.into();
        let builders = Some(builders).filter(|it| *it != Builders::default());
        let (signers_file, builders_file) = (
            place(settings, SIGNERS_FILE),
            place(settings, BUILDERS_FILE),
        );
        Remembered::note(&signers_file, endpoint, repo, signer.as_ref())?;
        Remembered::note(&builders_file, endpoint, repo, builders.as_ref())
    }

    /// The makers of the version from this place that the user approved last.
    fn of(&self, source: &Source) -> Makers {
        let Some((endpoint, repo)) = source.repo() else {
            return Makers::default();
        };
        let builders = self.builders.of(endpoint, repo).cloned();
        Makers {
            signer: self.signers.of(endpoint, repo).cloned(),
            builders: builders.unwrap_or_default(),
        }
    }

    /// The makers that those of a version from `source` are compared with: the ones that `approved`
    /// records, if that is of the same tool; where it records none, those of the version that the
    /// user approved last, in whatever toolbox.
    pub fn before(&self, approved: Option<&LockedTool>, source: &Source) -> Makers {
        let repo = |source: &Source| Some(source.repo()?.1.folded());
        let is_same = |approved: &&LockedTool| {
            is_same_place(&approved.source, source)
                || (repo(source).is_some() && repo(&approved.source) == repo(source))
        };
        match approved.filter(is_same) {
            Some(approved) => Makers::from(approved).or(self.of(source)),
            None => self.of(source),
        }
    }

    /// The makers that are others than `before`, of the tool called `path`; then those of the tools
    /// that it depends on which are others than those of what the user approved last.
    pub fn changes(&self, path: &str, before: &Makers, from: &Provenance) -> Vec<OtherMaker> {
        let mut changes = before.changes(path, from);
        for (name, from) in &from.dependencies {
            let before = self.of(&from.source);
            changes.extend(self.changes(&format!("{path}.{name}"), &before, from));
        }
        changes
    }

    /// Refuses the tool called `path` whose maker, or that of one that it depends on, is another
    /// one. A digest says nothing of either, so that whoever approves by a digest did not see it.
    ///
    /// # Errors
    /// [`Error::OtherMaker`].
    pub fn check(&self, path: &str, from: &Provenance) -> Result<(), Error> {
        let changes = self.changes(path, &self.of(&from.source), from);
        match changes.into_iter().next() {
            Some(other) => Err(Box::new(other).into()),
            None => Ok(()),
        }
    }
}

fn place(settings: &Settings, file: &str) -> PathBuf {
    settings.user.join(file)
}
