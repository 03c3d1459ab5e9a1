//! Validated names of accounts and repositories, with the errors for those that are not valid.

use std::fmt;
use std::str::FromStr;

/// Longest account or repository name in bytes.
const WORD_BYTES_MAX: usize = 96;

/// First path segments that mean something else, so that no account may take them.
const RESERVED: &[&str] = &[
    "api",
    "models",
    "datasets",
    "spaces",
    "kernels",
    "buckets",
    "health",
    "ready",
    "metrics",
    "login",
    "logout",
    "settings",
    "organizations",
    "docs",
    "static",
    "assets",
    "admin",
    "new",
    "join",
    "hub",
];

/// The reason why a name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name breaks the grammar.
    #[error(
        "the name {name:?} is not valid: use 1 to 96 of A-Z a-z 0-9 . _ -, no leading or trailing . or -, no --, no .., not ending in .git"
    )]
    Grammar {
        /// The given name, cut to a readable length.
        name: String,
    },
    /// A pattern of repositories is neither `owner/name` nor `owner/*`.
    #[error("the pattern {pattern:?} is not valid: write owner/name or owner/*")]
    Pattern {
        /// The given pattern, cut to a readable length.
        pattern: String,
    },
    /// The name is a word the protocol uses.
    #[error("the name {name:?} is reserved")]
    Reserved {
        /// The given name.
        name: String,
    },
}

/// The name of a user or an organisation: both share one name space, and names that differ only in
/// case are the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountName(String);

/// The second half of a repository id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryName(String);

macro_rules! word {
    ($type:ident, $check:ident) => {
        impl $type {
            /// The name as it was written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The form under which names are compared: two names with the same folded form are the
            /// same name.
            #[must_use]
            pub fn folded(&self) -> String {
                self.0.to_ascii_lowercase()
            }
        }

        impl FromStr for $type {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                $check(text)?;
                Ok(Self(text.to_owned()))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

word!(AccountName, check_account);
word!(RepositoryName, check_word);

fn check_account(text: &str) -> Result<(), NameError> {
    check_word(text)?;
    if RESERVED.contains(&text.to_ascii_lowercase().as_str()) {
        return Err(NameError::Reserved {
            name: text.to_owned(),
        });
    }
    Ok(())
}

fn check_word(text: &str) -> Result<(), NameError> {
    let at_edge = |c: char| c == '.' || c == '-';
    let valid = !text.is_empty()
        && text.len() <= WORD_BYTES_MAX
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && !text.starts_with(at_edge)
        && !text.ends_with(at_edge)
        && !text.contains("--")
        && !text.contains("..")
        && !text.to_ascii_lowercase().ends_with(".git");
    if valid {
        Ok(())
    } else {
        Err(NameError::Grammar {
            name: text.chars().take(WORD_BYTES_MAX + 1).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expect: bool) {
        assert_eq!(input.parse::<RepositoryName>().is_ok(), expect, "{input:?}");
    }

    #[test]
    fn repository_names() {
        check("a", true);
        check("Text_stats-1.0", true);
        check("_x", true);
        check(&"a".repeat(96), true);
        check(&"a".repeat(97), false);
        check("", false);
        check(".", false);
        check("..", false);
        check("a..b", false);
        check("a--b", false);
        check("-a", false);
        check("a-", false);
        check(".a", false);
        check("a.", false);
        check("a.git", false);
        check("a.GIT", false);
        check("a/b", false);
        check("a\\b", false);
        check("a b", false);
        check("a\0b", false);
        check("\u{430}bc", false);
        check("a%2fb", false);
    }

    #[test]
    fn accounts_may_not_take_the_words_of_the_protocol() {
        assert_eq!(
            "API".parse::<AccountName>(),
            Err(NameError::Reserved {
                name: "API".to_owned()
            })
        );
        assert!("alice".parse::<AccountName>().is_ok());
        assert!("api".parse::<RepositoryName>().is_ok());
    }
}
