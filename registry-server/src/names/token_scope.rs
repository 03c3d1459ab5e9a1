//! The scope of a token: the repositories in which it has the rights of its owner.

use std::fmt;
use std::str::FromStr;

use super::account_and_repository::{AccountName, NameError, RepositoryName};

/// `owner/name` for one repository, `owner/*` for all of an owner. It means repositories of every
/// kind, by the name that they have at the moment of the request, and letters of either case are
/// the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryPattern {
    owner: AccountName,
    /// `None` for all of the owner's.
    name: Option<RepositoryName>,
}

impl RepositoryPattern {
    /// The owner in folded form.
    pub(crate) fn owner_folded(&self) -> String {
        self.owner.folded()
    }

    /// The name in folded form; `None` for all of the owner's.
    pub(crate) fn name_folded(&self) -> Option<String> {
        self.name.as_ref().map(RepositoryName::folded)
    }

    /// `owner/name`; `None` for all of an owner's.
    pub(crate) fn repository(&self) -> Option<String> {
        let name = self.name.as_ref()?;
        Some(format!("{}/{name}", self.owner))
    }

    /// True if it means the repository `owner/name`.
    pub(crate) fn covers(&self, owner: &str, name: &str) -> bool {
        self.owner.as_str().eq_ignore_ascii_case(owner)
            && self
                .name
                .as_ref()
                .is_none_or(|own| own.as_str().eq_ignore_ascii_case(name))
    }
}

impl FromStr for RepositoryPattern {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (owner, name) = text.split_once('/').ok_or_else(|| NameError::Pattern {
            pattern: text.chars().take(200).collect(),
        })?;
        Ok(Self {
            owner: owner.parse()?,
            name: match name {
                "*" => None,
                name => Some(name.parse()?),
            },
        })
    }
}

impl fmt::Display for RepositoryPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{}/{name}", self.owner),
            None => write!(f, "{}/*", self.owner),
        }
    }
}

/// The repositories in which a token has its owner's rights. In all others it has a stranger's: it
/// reads what is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenScope {
    /// Everywhere its owner has rights.
    All,
    /// Only in repositories that one of these patterns covers. An empty list covers none.
    Only(Vec<RepositoryPattern>),
}

impl TokenScope {
    /// True if the repository `owner/name` is within the scope.
    pub(crate) fn covers(&self, owner: &str, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(patterns) => patterns.iter().any(|pattern| pattern.covers(owner, name)),
        }
    }

    /// The form in which a scope is stored; `None` for all.
    pub(crate) fn stored(&self) -> Option<String> {
        match self {
            Self::All => None,
            Self::Only(patterns) => {
                let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
                Some(patterns.join(" ").to_ascii_lowercase())
            }
        }
    }

    /// Reads what was stored. A pattern that is not one covers nothing.
    pub(crate) fn from_stored(stored: Option<&str>) -> Self {
        stored.map_or(Self::All, |text| {
            Self::Only(
                text.split(' ')
                    .filter_map(|pattern| pattern.parse().ok())
                    .collect(),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(patterns: &[&str], owner: &str, name: &str, expect: bool) {
        let patterns = patterns.iter().map(|text| text.parse().unwrap()).collect();
        let scope = TokenScope::Only(patterns);
        assert_eq!(
            scope.covers(owner, name),
            expect,
            "{scope:?} {owner}/{name}"
        );
        let again = TokenScope::from_stored(scope.stored().as_deref());
        assert_eq!(
            again.covers(owner, name),
            expect,
            "{again:?} {owner}/{name}"
        );
    }

    #[test]
    fn a_pattern_covers_exactly_what_it_says() {
        check(&["alice/a"], "alice", "a", true);
        check(&["Alice/A"], "alice", "a", true);
        check(&["alice/a"], "ALICE", "A", true);
        check(&["alice/a"], "alice", "ab", false);
        check(&["alice/a"], "alic", "e/a", false);
        check(&["alice/a"], "bob", "a", false);
        check(&["alice/*"], "alice", "anything", true);
        check(&["alice/*"], "alice2", "anything", false);
        check(&["bob/b", "alice/a"], "alice", "a", true);
        check(&[], "alice", "a", false);
    }

    #[test]
    fn a_damaged_scope_covers_nothing() {
        for stored in ["", " ", "*", "*/*", "alice"] {
            let scope = TokenScope::from_stored(Some(stored));
            assert!(!scope.covers("alice", "a"), "{stored:?}");
        }
        assert!(TokenScope::from_stored(None).covers("alice", "a"));
    }

    #[test]
    fn patterns_that_are_none() {
        for text in [
            "",
            "alice",
            "*",
            "*/a",
            "*/*",
            "alice/",
            "alice/a*",
            "alice/a/b",
            "/a",
        ] {
            assert!(text.parse::<RepositoryPattern>().is_err(), "{text:?}");
        }
    }
}
