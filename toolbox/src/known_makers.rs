//! The `KnownMakers`: who signed, and what built, the versions that the user approved last.

use tool_hub_manifest::RepoId;
use url::Url;

use crate::error::Error;
use crate::known_builders::{Builders, KnownBuilders};
use crate::known_signers::KnownSigners;
use crate::other_maker::OtherMaker;
use crate::provenance::Provenance;
use crate::settings::Settings;

/// The signers and builders of what the user approved, by registry and repo.
#[derive(Debug)]
pub struct KnownMakers {
    signers: KnownSigners,
    builders: KnownBuilders,
}

impl KnownMakers {
    /// Reads the files.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        Ok(Self {
            signers: KnownSigners::read(settings)?,
            builders: KnownBuilders::read(settings)?,
        })
    }

    /// True if the signer or a builder is known of what the user approved from `repo`.
    pub fn has(&self, endpoint: &Url, repo: &RepoId) -> bool {
        self.signers.has(endpoint, repo) || self.builders.has(endpoint, repo)
    }

    /// Refuses the tool called `path` whose maker, or that of one that it depends on, is another
    /// one. A digest says nothing of either, so that whoever approves by a digest did not see it.
    ///
    /// # Errors
    /// [`Error::OtherMaker`].
    pub fn check(&self, path: &str, from: &Provenance) -> Result<(), Error> {
        if let Some((before, now)) = self.change(from) {
            let tool = path.to_owned();
            return Err(OtherMaker { tool, before, now }.into());
        }
        for (name, from) in &from.dependencies {
            self.check(&format!("{path}.{name}"), from)?;
        }
        Ok(())
    }

    /// The maker of what was approved and that of this version, in words, if it is another one.
    fn change(&self, from: &Provenance) -> Option<(String, String)> {
        let signer = self.signers.of(&from.source);
        if let Some(before) = signer
            && from.signature.signer_compared_with(signer) != signer
        {
            return Some((format!("signed by {before}"), from.signature.in_words()));
        }
        let (before, now) = (self.builders.of(&from.source)?, Builders::from(from));
        if let Some(lost) = before.attested_by.difference(&now.attested_by).next() {
            return Some((format!("attested by {lost}"), "not".to_owned()));
        }
        let repository = before.built_from.as_ref()?;
        if before.built_from == now.built_from {
            return None;
        }
        let now = now.built_from.map_or_else(
            || "built from no repository that its registry names".to_owned(),
            |repository| format!("built from {repository}"),
        );
        Some((format!("built from {repository}"), now))
    }
}
