//! The `KnownRepo`: the last word of one repo on its versions, and the log when it was told.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Deprecation, Releases, RepoId, Severity, Version, Yank};
use tool_hub_registry_client::Client;

use super::told_yank::ToldYank;
use crate::error::Error;
use crate::remembered::Remember;
use crate::settings::Settings;

/// The most yanks that are looked up in a log at a time, the worst first.
const LOOKED_UP_MAX: usize = 20;

/// What is known of one repo.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownRepo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deprecated: Option<Deprecation>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) yanked: BTreeMap<Version, Yank>,
    /// The number of records that the log had when a yank was told: a record before that cannot
    /// take it back. Files of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    heard: BTreeMap<Version, u64>,
}

impl KnownRepo {
    /// What is known once the repo says `releases`: that, and each yank that was worse before and
    /// of which nobody can tell yet whether it was taken back.
    ///
    /// # Errors
    /// The errors of [`ToldYank::is_taken_back`].
    pub(super) async fn after(
        &self,
        releases: &Releases,
        repo: &RepoId,
        client: &Client,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let mut now = Self {
            deprecated: releases.deprecated.clone(),
            yanked: releases.yanked.clone(),
            heard: BTreeMap::new(),
        };
        let eased =
            |(version, yank): &(&Version, &Yank)| now.severity(version) < Some(yank.severity);
        let mut eased: Vec<_> = self.yanked.iter().filter(eased).collect();
        eased.sort_by_key(|(_, yank)| Reverse(yank.severity));
        for (number, (version, yank)) in eased.into_iter().enumerate() {
            let (severity, said) = (yank.severity, now.severity(version));
            let told = ToldYank {
                repo,
                version,
                severity,
            };
            let heard = self.heard.get(version).copied().unwrap_or_default();
            let is_over =
                number < LOOKED_UP_MAX && told.is_taken_back(said, heard, client, settings).await?;
            if !is_over {
                yank_at_least(&mut now.yanked, version, yank);
            }
        }
        now.hear(self, releases, repo, client, settings).await?;
        Ok(now)
    }

    /// Notes the state of the log for each yank of `releases` that was not known `before`. The repo
    /// is asked once more after the log: whatever takes back what it says then is a later record.
    async fn hear(
        &mut self,
        before: &Self,
        releases: &Releases,
        repo: &RepoId,
        client: &Client,
        settings: &Settings,
    ) -> Result<(), Error> {
        self.heard.clone_from(&before.heard);
        self.heard
            .retain(|version, _| self.yanked.contains_key(version));
        let is_new = |(version, yank): &(&Version, &Yank)| {
            let severity = Some(yank.severity);
            let is_known = before.severity(version) == severity;
            self.severity(version) == severity && !(is_known && before.heard.contains_key(version))
        };
        let new: Vec<_> = releases.yanked.iter().filter(is_new).collect();
        let Some((version, yank)) = new.first() else {
            return Ok(());
        };
        let told = ToldYank {
            repo,
            version,
            severity: yank.severity,
        };
        let Some(records) = told.log_records(client, settings).await? else {
            return Ok(());
        };
        let Ok(again) = client.releases(repo).await else {
            return Ok(());
        };
        for (version, yank) in new {
            let again = again.yanked.get(version);
            if again.is_some_and(|again| again.severity == yank.severity) {
                self.heard.insert(version.clone(), records);
            }
        }
        Ok(())
    }

    /// Learns of a yank, and the number of records of the log that has it, if that was asked. One
    /// that is known and worse stays.
    pub(super) fn learn(&mut self, version: &Version, yank: &Yank, records: Option<u64>) {
        yank_at_least(&mut self.yanked, version, yank);
        if let Some(records) = records {
            let heard = self.heard.entry(version.clone()).or_default();
            *heard = records.max(*heard);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.deprecated.is_none() && self.yanked.is_empty()
    }

    fn severity(&self, version: &Version) -> Option<Severity> {
        self.yanked.get(version).map(|yank| yank.severity)
    }
}

impl Remember for KnownRepo {
    /// Every yank, with the worse severity and the later state of the log.
    fn merged(mut self, other: Self) -> Self {
        self.deprecated = self.deprecated.or(other.deprecated);
        for (version, yank) in &other.yanked {
            self.learn(version, yank, other.heard.get(version).copied());
        }
        self
    }
}

impl From<KnownRepo> for Releases {
    fn from(known: KnownRepo) -> Self {
        Self {
            deprecated: known.deprecated,
            yanked: known.yanked,
        }
    }
}

/// Puts a yank among those that were said, unless the version is yanked as severely there.
pub(crate) fn yank_at_least(yanked: &mut BTreeMap<Version, Yank>, version: &Version, yank: &Yank) {
    match yanked.entry(version.clone()) {
        Entry::Vacant(entry) => {
            entry.insert(yank.clone());
        }
        Entry::Occupied(mut entry) if entry.get().severity < yank.severity => {
            entry.insert(yank.clone());
        }
        Entry::Occupied(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yank(severity: Severity) -> Yank {
        Yank {
            severity,
            reason: "x".parse().unwrap(),
            replaced_by: None,
        }
    }

    /// Earlier versions wrote no more than what the repo said.
    #[test]
    fn an_old_file_is_read_on() {
        let old = "[deprecated]\nreason = 'old'\n[yanked.\"1.0.0\"]\nseverity = 'malicious'\n\
                   reason = 'it steals'\nreplaced_by = 'ada/x@1.0.1'\n";
        let known: KnownRepo = toml_edit::de::from_str(old).unwrap();
        let version = Version::new(1, 0, 0);
        assert_eq!(known.severity(&version), Some(Severity::Malicious));
        assert_eq!(known.deprecated.clone().unwrap().to_string(), "old");
        assert!(known.heard.is_empty());
        assert_eq!(Releases::from(known), old.parse().unwrap());
        assert!(toml_edit::de::from_str::<KnownRepo>("yankd = {}").is_err());
    }

    #[test]
    fn the_worse_yank_and_the_later_state_stay() {
        let mut known = KnownRepo::default();
        let version = Version::new(1, 0, 0);
        for (said, records, expect) in [
            (Severity::Vulnerable, Some(7), (Severity::Vulnerable, 7)),
            (Severity::Broken, None, (Severity::Vulnerable, 7)),
            (Severity::Malicious, Some(5), (Severity::Malicious, 7)),
            (Severity::Vulnerable, Some(9), (Severity::Malicious, 9)),
        ] {
            known.learn(&version, &yank(said), records);
            let found = (known.severity(&version).unwrap(), known.heard[&version]);
            assert_eq!(found, expect);
        }
        let text = toml_edit::ser::to_string_pretty(&known).unwrap();
        assert!(text.contains("[heard]\n\"1.0.0\" = 9\n"), "{text}");
        assert_eq!(toml_edit::de::from_str::<KnownRepo>(&text).unwrap(), known);
    }
}
