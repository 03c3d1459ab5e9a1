//! The `KnownRepo`: the last word of one repo on its versions, and the log when it was told.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Deprecation, Releases, RepoId, Severity, Version, Yank};
use tool_hub_registry_client::Client;

use super::told_yank::ToldYank;
use crate::error::Error;
use crate::remembered::Remember;
use crate::settings::Settings;

/// The most yanks that are looked up in a log at a time, the worst first.
const LOOKED_UP_MAX: usize = 20;
/// The most characters that are kept of a reason where not all would fit.
const REASON_CHARS_MAX: usize = 200;

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
            heard: self.heard.clone(),
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
        Ok(now)
    }

    /// Adds `releases` where the log cannot be asked which of two severities holds: the worse one
    /// stays.
    pub(super) fn with(mut self, releases: &Releases) -> Self {
        for (version, yank) in &releases.yanked {
            self.learn(version, yank, None);
        }
        self
    }

    /// Notes the state of the log for each yank of `releases`, each time that it is said: an older
    /// record does not take it back. The repo is asked once more after the log: whatever takes back
    /// what it says then is a later record.
    ///
    /// # Errors
    /// If a file of the user's cannot be read.
    pub(super) async fn hear(
        &mut self,
        releases: &Releases,
        repo: &RepoId,
        client: &Client,
        settings: &Settings,
    ) -> Result<(), Error> {
        self.heard
            .retain(|version, _| self.yanked.contains_key(version));
        let holds =
            |(version, yank): &(&Version, &Yank)| self.severity(version) == Some(yank.severity);
        let said: Vec<_> = releases.yanked.iter().filter(holds).collect();
        let Some((version, yank)) = said.first() else {
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
        let is_older = |version| self.heard.get(version).is_none_or(|heard| *heard < records);
        if !said.iter().any(|(version, _)| is_older(*version)) {
            return Ok(());
        }
        let Ok(again) = client.releases(repo).await else {
            return Ok(());
        };
        for (version, yank) in said {
            let again = again.yanked.get(version);
            if again.is_some_and(|again| again.severity == yank.severity) {
                self.learn(version, yank, Some(records));
            }
        }
        Ok(())
    }

    /// Learns what another process has `stored` since `before` was read: each yank that it knows
    /// otherwise.
    pub(super) fn learn_since(&mut self, before: &Self, stored: &Self) {
        for (version, yank) in &stored.yanked {
            let heard = stored.heard.get(version);
            let is_before = before.yanked.get(version) == Some(yank);
            if !is_before || before.heard.get(version) != heard {
                self.learn(version, yank, heard.copied());
            }
        }
    }

    /// Shortens reasons and leaves out yanks until the rest `fits`. The worst yanks are kept; of
    /// equal ones those of versions that are `in_use`, then those of the newest.
    pub(super) fn fitted(
        self,
        in_use: impl FnOnce() -> BTreeSet<Version>,
        fits: impl Fn(&Self) -> bool,
    ) -> Self {
        if fits(&self) {
            return self;
        }
        let in_use = in_use();
        let mut order: Vec<(Version, Yank)> = self.yanked.into_iter().collect();
        order.sort_by_key(|(version, yank)| {
            let rank = (yank.severity, in_use.contains(version), version.clone());
            Reverse(rank)
        });
        for (_, yank) in &mut order {
            yank.reason = yank.reason.cut(REASON_CHARS_MAX);
        }
        let worst = |count: usize| {
            let yanked: BTreeMap<_, _> = order[..count].iter().cloned().collect();
            let mut heard = self.heard.clone();
            heard.retain(|version, _| yanked.contains_key(version));
            Self {
                deprecated: self.deprecated.clone(),
                yanked,
                heard,
            }
        };
        let counts: Vec<usize> = (1..=order.len()).collect();
        worst(counts.partition_point(|count| fits(&worst(*count))))
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

    fn known(yanks: &[(&str, Severity, u64)]) -> KnownRepo {
        let mut known = KnownRepo::default();
        for (version, severity, records) in yanks {
            let version = version.parse().unwrap();
            known.learn(&version, &yank(*severity), Some(*records));
        }
        known
    }

    /// Two processes asked at once, and the other one has stored what it was told.
    #[test]
    fn what_was_stored_meanwhile_stays() {
        let (broken, malicious) = (Severity::Broken, Severity::Malicious);
        let before = known(&[("1.0.0", malicious, 4), ("1.1.0", broken, 4)]);
        let other = ("0.9.0", broken, 5);
        let told = ("2.0.0", malicious, 5);
        for (now, stored, expect) in [
            // A yank that was taken back stays so, unless the other one was told it again.
            (vec![other], vec![("1.0.0", malicious, 4)], vec![other]),
            (
                vec![other],
                vec![("1.0.0", malicious, 6)],
                vec![other, ("1.0.0", malicious, 6)],
            ),
            (
                vec![("1.1.0", broken, 4)],
                vec![("1.1.0", malicious, 5), told],
                vec![("1.1.0", malicious, 5), told],
            ),
            (
                vec![("1.1.0", malicious, 5)],
                vec![("1.1.0", broken, 6)],
                vec![("1.1.0", malicious, 6)],
            ),
        ] {
            let mut merged = known(&now);
            merged.learn_since(&before, &known(&stored));
            assert_eq!(merged, known(&expect), "{now:?} {stored:?}");
        }
    }

    #[test]
    fn the_worst_yanks_are_kept() {
        let (broken, malicious) = (Severity::Broken, Severity::Malicious);
        let mut all = known(&[
            ("1.0.0", malicious, 4),
            ("1.1.0", broken, 5),
            ("1.2.0", Severity::Vulnerable, 6),
            ("1.3.0", malicious, 7),
            ("1.4.0", broken, 8),
        ]);
        let long: String = "x".repeat(500);
        for yank in all.yanked.values_mut() {
            yank.reason = long.parse().unwrap();
        }
        let kept = |count: usize, in_use: &[&str]| {
            let in_use = || in_use.iter().map(|it| it.parse().unwrap()).collect();
            let kept = all.clone().fitted(in_use, |known| {
                let reasons = known.yanked.values().map(|yank| yank.reason.to_string());
                reasons.map(|reason| reason.len()).sum::<usize>() <= count * REASON_CHARS_MAX
            });
            assert!(kept.heard.keys().eq(kept.yanked.keys()));
            kept.yanked
                .keys()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(kept(1, &[]), ["1.3.0"]);
        assert_eq!(kept(1, &["1.0.0"]), ["1.0.0"]);
        assert_eq!(kept(2, &["1.1.0"]), ["1.0.0", "1.3.0"]);
        assert_eq!(kept(4, &["1.1.0"]), ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]);
        assert_eq!(kept(5, &[]).len(), 5);
        assert_eq!(all.clone().fitted(BTreeSet::new, |_| true), all);
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
