//! The `Releases` type, `releases.toml`: which versions of a tool were yanked or deprecated.
//! The file is at the head of a repo's default branch, because tags never move.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError};
use crate::package_file;
use crate::reference::ToolRef;
use crate::string_conversions::string_conversions;

const HEADING: &str = "\
# Written by `tool yank` and `tool deprecate`. Yanked versions stay where they are, so that locks
# go on, and are not chosen for anybody else.
";
/// The largest `releases.toml`: everybody who looks at the tool keeps what it says.
pub const RELEASES_BYTES_MAX: usize = 128 << 10;
/// The most versions that are yanked.
const YANKED_MAX: usize = 1000;
/// The most characters of a reason.
const REASON_CHARS_MAX: usize = 500;

/// The state of a tool's versions since they were published, as its owner says it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Releases {
    /// Present if nobody should begin to use the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Deprecation>,
    /// The versions that were taken back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub yanked: BTreeMap<Version, Yank>,
}

/// A version that its owner took back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Yank {
    /// The severity.
    pub severity: Severity,
    /// The reason.
    pub reason: Reason,
    /// The version or the tool to use in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<ToolRef>,
}

/// The reason why a version was yanked is of one of these kinds, from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It does not work.
    Broken,
    /// It can be attacked.
    Vulnerable,
    /// It attacks its users. Nothing loads or serves it any more.
    Malicious,
}

/// A tool that nobody should begin to use. Its versions are chosen as before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deprecation {
    /// The reason.
    pub reason: Reason,
    /// The tool to use in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<ToolRef>,
}

/// An owner's reason in a line, at most 500 characters. It is a stranger's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Reason(String);

/// A text is no reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a reason is one line of 1 to {REASON_CHARS_MAX} characters")]
pub struct ReasonError;

impl Releases {
    /// True if no version is yanked and the tool is not deprecated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Writes it as `releases.toml`. Reading it back gives an equal value.
    pub fn to_toml(&self) -> String {
        format!("{HEADING}{}", document::write(self))
    }
}

impl FromStr for Releases {
    type Err = DocumentError;

    fn from_str(text: &str) -> Result<Self, DocumentError> {
        let bytes = text.len();
        if bytes > RELEASES_BYTES_MAX {
            return Err(DocumentError::whole(
                package_file::RELEASES,
                format!("the document has {bytes} bytes, at most {RELEASES_BYTES_MAX} are read"),
            ));
        }
        let releases: Self = document::parse(package_file::RELEASES, text)?;
        match releases.yanked.len() {
            count if count > YANKED_MAX => Err(DocumentError::whole(
                package_file::RELEASES,
                format!("{count} versions are yanked, at most {YANKED_MAX} may be"),
            )),
            _ => Ok(releases),
        }
    }
}

impl Reason {
    /// Its beginning, if it is longer than so many characters.
    pub fn cut(&self, chars_max: usize) -> Self {
        match self.0.char_indices().nth(chars_max) {
            Some((end, _)) => Self(self.0[..end].trim_end().to_owned()),
            None => self.clone(),
        }
    }
}

impl Severity {
    /// Its name, as in `releases.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Vulnerable => "vulnerable",
            Self::Malicious => "malicious",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Yank {
    /// Writes the severity and the reason, such as `broken: it loses the last line`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.reason)?;
        replaced(f, self.replaced_by.as_ref())
    }
}

impl fmt::Display for Deprecation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        replaced(f, self.replaced_by.as_ref())
    }
}

fn replaced(f: &mut fmt::Formatter<'_>, by: Option<&ToolRef>) -> fmt::Result {
    by.map_or(Ok(()), |by| write!(f, "; use {by}"))
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Reason {
    type Err = ReasonError;

    fn from_str(text: &str) -> Result<Self, ReasonError> {
        let text = text.trim();
        let fits = (1..=REASON_CHARS_MAX).contains(&text.chars().count());
        if fits && !text.contains(char::is_control) {
            return Ok(Self(text.to_owned()));
        }
        Err(ReasonError)
    }
}

string_conversions!(Reason, ReasonError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written() {
        let mut releases = Releases::default();
        assert_eq!(releases.to_toml().parse(), Ok(releases.clone()));
        releases.deprecated = Some(Deprecation {
            reason: "nobody looks after it".parse().unwrap(),
            replaced_by: Some("ada/other".parse().unwrap()),
        });
        releases.yanked.insert(
            "1.2.0-rc.1+a".parse().unwrap(),
            Yank {
                severity: Severity::Malicious,
                reason: "it sends \"keys\" elsewhere".parse().unwrap(),
                replaced_by: Some("ada/x@1.2.1".parse().unwrap()),
            },
        );
        let text = releases.to_toml();
        assert!(text.contains("[yanked.\"1.2.0-rc.1+a\"]"), "{text}");
        assert_eq!(text.parse(), Ok(releases.clone()));
        let yank = releases.yanked.values().next().unwrap();
        let said = "malicious: it sends \"keys\" elsewhere; use ada/x@1.2.1";
        assert_eq!(yank.to_string(), said);
    }

    #[track_caller]
    fn check_refused(text: &str, expect: &str) {
        let error = text.parse::<Releases>().unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
    }

    #[test]
    fn mistakes_are_told() {
        let yank = |rest: &str| format!("[yanked.\"1.0.0\"]\n{rest}");
        let place = "releases.toml line 2, column 10";
        check_refused(&yank("severity='bad'\nreason='x'"), place);
        check_refused(&yank("reason='x'"), "missing field `severity`");
        check_refused(
            &yank("severity='broken'\nreason=' '"),
            "a reason is one line",
        );
        check_refused(
            &yank("severity='broken'\nreason=\"a\\nb\""),
            "a reason is one line",
        );
        let long = "x".repeat(REASON_CHARS_MAX + 1);
        check_refused(
            &yank(&format!("severity='broken'\nreason='{long}'")),
            "a reason is",
        );
        let many: String = (0..=YANKED_MAX)
            .map(|patch| format!("[yanked.\"1.0.{patch}\"]\nseverity='broken'\nreason='x'\n"))
            .collect();
        check_refused(&many, "1001 versions are yanked, at most 1000 may be");
        let (_, fewer) = many.split_once("[yanked.\"1.0.1\"]").unwrap();
        let fewer = format!("[yanked.\"1.0.1\"]{fewer}");
        assert_eq!(fewer.parse::<Releases>().unwrap().yanked.len(), YANKED_MAX);
        // Reasons of a sentence fit, and whole pages do not.
        let with_reasons = |chars| many.replace("'x'", &format!("'{}'", "x".repeat(chars)));
        check_refused(&with_reasons(100), "bytes, at most 131072 are read");
        let text = with_reasons(70);
        let (fewer, _) = text.split_once("[yanked.\"1.0.1000\"]").unwrap();
        assert_eq!(fewer.parse::<Releases>().unwrap().yanked.len(), YANKED_MAX);
        check_refused(
            "[yanked.one]\nseverity='broken'\nreason='x'",
            "unexpected character",
        );
        check_refused("yankd = {}", "unknown field `yankd`");
    }

    #[test]
    fn the_beginning_of_a_reason_is_a_reason() {
        let reason: Reason = "it löst alles".parse().unwrap();
        for (chars, expect) in [(1, "i"), (3, "it"), (5, "it lö"), (13, "it löst alles")] {
            let cut = reason.cut(chars);
            assert_eq!(cut.to_string(), expect);
            assert_eq!(cut.to_string().parse(), Ok(cut));
        }
    }
}
