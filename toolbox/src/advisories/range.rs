//! Ranges of versions as OSV describes them, and whether they hold a version.
//!
//! The rules are those of the section "Evaluation" of the OSV schema.

use std::cmp::Ordering;

use semver::Version;
use serde::{Deserialize, Serialize};

/// A range of versions: what happened at which version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Range(Vec<Event>);

/// A change at a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It is affected from this version on; from the first one where there is none here.
    Introduced(Option<Version>),
    /// It is not affected from here on.
    Fixed(Version),
    /// It is not affected after this.
    LastAffected(Version),
    /// The advisory says nothing of this version and later ones; without one there is no limit.
    Limit(Option<Version>),
}

impl Range {
    /// The range of these events, in whatever order.
    pub fn new(mut events: Vec<Event>) -> Self {
        // Where a fix and a new fault are at one version, that version counts as affected.
        events.sort_by(|one, other| {
            one.order(other)
                .then_with(|| one.is_introduction().cmp(&other.is_introduction()))
        });
        Self(events)
    }

    /// True if `version` is in the range.
    pub fn holds(&self, version: &Version) -> bool {
        self.is_before_a_limit(version) && self.is_affected(version)
    }

    /// The first version after `version` in which it is mended.
    pub(crate) fn fixed_after(&self, version: &Version) -> Option<&Version> {
        let fixed = self.0.iter().filter_map(|event| match event {
            Event::Fixed(fixed) => Some(fixed),
            _ => None,
        });
        fixed
            .filter(|fixed| fixed.cmp_precedence(version) == Ordering::Greater)
            .min_by(|one, other| one.cmp_precedence(other))
    }

    fn is_affected(&self, version: &Version) -> bool {
        let mut affected = false;
        for event in &self.0 {
            match event {
                Event::Introduced(None) => affected = true,
                Event::Introduced(Some(at)) if version.cmp_precedence(at).is_ge() => {
                    affected = true;
                }
                Event::Fixed(at) if version.cmp_precedence(at).is_ge() => affected = false,
                Event::LastAffected(at) if version.cmp_precedence(at).is_gt() => affected = false,
                _ => {}
            }
        }
        affected
    }

    fn is_before_a_limit(&self, version: &Version) -> bool {
        let mut limits = self.0.iter().filter_map(|event| match event {
            Event::Limit(limit) => Some(limit),
            _ => None,
        });
        let Some(first) = limits.next() else {
            return true;
        };
        let is_before = |limit: &Option<Version>| match limit {
            Some(limit) => version.cmp_precedence(limit).is_lt(),
            None => true,
        };
        is_before(first) || limits.any(is_before)
    }
}

impl Event {
    fn version(&self) -> Option<&Version> {
        match self {
            Self::Introduced(at) | Self::Limit(at) => at.as_ref(),
            Self::Fixed(at) | Self::LastAffected(at) => Some(at),
        }
    }

    fn is_introduction(&self) -> bool {
        matches!(self, Self::Introduced(_))
    }

    fn order(&self, other: &Self) -> Ordering {
        match (self.version(), other.version()) {
            (Some(one), Some(other)) => one.cmp_precedence(other),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    /// Reads `<0`, `=1.0.0` (introduced), `!1.0.2` (fixed), `~1.0.1` (last affected), `|2.0.0`.
    fn range(text: &str) -> Range {
        let events = text.split(' ').map(|word| {
            let (kind, at) = word.split_at(1);
            match kind {
                "<" => Event::Introduced(None),
                "=" => Event::Introduced(Some(version(at))),
                "!" => Event::Fixed(version(at)),
                "~" => Event::LastAffected(version(at)),
                _ => Event::Limit((at != "*").then(|| version(at))),
            }
        });
        Range::new(events.collect())
    }

    #[track_caller]
    fn check(text: &str, inside: &[&str], outside: &[&str]) {
        for one in inside {
            assert!(range(text).holds(&version(one)), "{text} holds {one}");
        }
        for one in outside {
            assert!(
                !range(text).holds(&version(one)),
                "{text} does not hold {one}"
            );
        }
    }

    #[test]
    fn versions_are_in_ranges_as_the_schema_says() {
        check("<0", &["0.0.0-0", "9.9.9"], &[]);
        check(
            "<0 !1.0.2",
            &["0.1.0", "1.0.1", "1.0.2-rc.1"],
            &["1.0.2", "2.0.0"],
        );
        let two = "=1.0.0 !1.0.2 =3.0.0 !3.2.5";
        check(
            two,
            &["1.0.0", "1.0.1", "3.2.4"],
            &["0.9.0", "1.0.2", "2.0.0", "3.2.5"],
        );
        // Events need not be sorted.
        check(
            "!3.2.5 =3.0.0 !1.0.2 =1.0.0",
            &["1.0.1", "3.0.0"],
            &["1.0.2", "3.2.5"],
        );
        check("<0 ~2.1.214", &["2.1.214"], &["2.1.215", "2.2.0-a"]);
        check(
            "=1.0.0 |1.5.0 |1.8.0",
            &["1.0.0", "1.7.9"],
            &["1.8.0", "0.1.0"],
        );
        check("=1.0.0 |*", &["7.0.0"], &["0.1.0"]);
        check("=1.0.0 !1.2.0 =1.2.0", &["1.2.0", "1.1.0"], &["0.1.0"]);
        // Build metadata has no part in the order.
        check("<0 !1.0.2", &["1.0.1+a"], &["1.0.2+a"]);
        // A range that introduces nothing holds nothing.
        check("!1.0.0", &[], &["0.1.0", "2.0.0"]);
    }

    #[test]
    fn the_next_fix_is_named() {
        let two = range("=1.0.0 !1.0.2 =3.0.0 !3.2.5");
        let fixed = |at: &str| two.fixed_after(&version(at)).map(Version::to_string);
        assert_eq!(fixed("1.0.1").as_deref(), Some("1.0.2"));
        assert_eq!(fixed("3.0.0").as_deref(), Some("3.2.5"));
        assert_eq!(fixed("3.2.5"), None);
    }
}
