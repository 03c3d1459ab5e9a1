//! The `LogRecord`: one version that was published, or one that was yanked or given back.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tool_hub_manifest::{CommitId, Digest, RepoId, Severity, Version};

/// One leaf of the log. What is hashed are its bytes as they were appended, a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum LogRecord {
    /// A version was published.
    Version {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The commit that its tag names.
        commit: CommitId,
        /// The digest of the manifest.
        manifest: Digest,
        /// The digest of the component.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        component: Option<Digest>,
        /// The time by the registry's clock.
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    /// A version was yanked, or the severity changed.
    Yank {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The severity.
        severity: Severity,
        /// The time by the registry's clock.
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    /// A version that was yanked was given back.
    Unyank {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The time by the registry's clock.
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    /// A record of a kind that this version does not know.
    #[serde(other)]
    Unknown,
}

impl LogRecord {
    /// The bytes that are appended to the log.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a record is made of strings")
    }

    /// Reads the bytes of a leaf.
    ///
    /// # Errors
    /// If they are no record.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The repo that it is about; none where its kind is not known.
    pub fn repo(&self) -> Option<&RepoId> {
        match self {
            Self::Version { repo, .. } | Self::Yank { repo, .. } | Self::Unyank { repo, .. } => {
                Some(repo)
            }
            Self::Unknown => None,
        }
    }

    /// The time by the registry's clock; none where its kind is not known.
    pub fn at(&self) -> Option<OffsetDateTime> {
        match self {
            Self::Version { at, .. } | Self::Yank { at, .. } | Self::Unyank { at, .. } => Some(*at),
            Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_line_of_json() {
        let record = LogRecord::Yank {
            repo: "ada/x".parse().unwrap(),
            version: Version::new(1, 2, 0),
            severity: Severity::Malicious,
            at: OffsetDateTime::from_unix_timestamp(1_800_000_000).unwrap(),
        };
        let text = r#"{"kind":"yank","repo":"ada/x","version":"1.2.0","severity":"malicious","at":"2027-01-15T08:00:00Z"}"#;
        assert_eq!(String::from_utf8(record.to_bytes()).unwrap(), text);
        assert_eq!(LogRecord::from_bytes(text.as_bytes()).unwrap(), record);
        let later = LogRecord::from_bytes(br#"{"kind":"vote","by":"ada"}"#).unwrap();
        assert_eq!(later, LogRecord::Unknown);
        assert!(LogRecord::from_bytes(b"{}").is_err());
    }
}
