//! The `LogRecord`: a version that was published, yanked or given back, or is by another signer.

use serde::{Deserialize, Deserializer, Serialize, de};
use time::OffsetDateTime;
use tool_hub_manifest::{ClaimedSigner, CommitId, Digest, RepoId, Severity, Version};

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
        /// The job that published it, where it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        publisher: Option<Box<JobIdentity>>,
        /// The time by the registry's clock.
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    /// The version of the record before this one is signed by somebody else than the version of
    /// the repo before it, or by nobody. A repo without such a record has no signer.
    Signer {
        /// The repo.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The signer; none of a version that is not signed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signer: Option<ClaimedSigner>,
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
    /// A record of a private repo: nothing but the digest of its opening.
    Hidden {
        /// The digest.
        sha256: Digest,
    },
    /// A record of a kind that this version does not know.
    #[serde(other)]
    Unknown,
}

/// The job of a build service, as its identity token named it to the registry. Its texts are shown
/// in lines of ours, so none has a control character.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobIdentity {
    /// The issuer of the token.
    #[serde(deserialize_with = "line")]
    pub issuer: String,
    /// The repository with the sources, as the build service names it.
    #[serde(deserialize_with = "line")]
    pub repository: String,
    /// The build service's number for the owner of that repository.
    #[serde(deserialize_with = "line")]
    pub owner_id: String,
    /// The file of the workflow.
    #[serde(deserialize_with = "line")]
    pub workflow: String,
    /// The environment.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_line"
    )]
    pub environment: Option<String>,
    /// The commit that was built, where the token said so.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_line"
    )]
    pub commit: Option<String>,
}

fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.contains(char::is_control) {
        true => Err(de::Error::custom("a job is named with a control character")),
        false => Ok(text),
    }
}

fn optional_line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    line(deserializer).map(Some)
}

impl JobIdentity {
    /// The repository with the sources, with what makes it one: the service and the owner's
    /// number, which another owner of the same name does not have.
    pub fn source(&self) -> String {
        let Self {
            issuer,
            repository,
            owner_id,
            ..
        } = self;
        format!("{repository} of {issuer} (owner {owner_id})")
    }
}

/// A record is hidden, and nothing says of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a record of the log is hidden, and what was sent does not open it")]
pub struct OpeningError;

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
            Self::Version { repo, .. }
            | Self::Signer { repo, .. }
            | Self::Yank { repo, .. }
            | Self::Unyank { repo, .. } => Some(repo),
            Self::Hidden { .. } | Self::Unknown => None,
        }
    }

    /// True for two records of the publication of one commit, at whatever time.
    pub fn is_of_same_commit(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Version { commit: one, .. },
                Self::Version {
                    commit: another, ..
                },
            ) => one == another && self.repo() == other.repo() && self.version() == other.version(),
            _ => false,
        }
    }

    /// The record that the version of this one is by `signer`; none where this is of no version.
    pub fn of_signer(&self, signer: Option<ClaimedSigner>) -> Option<Self> {
        match self {
            Self::Version {
                repo, version, at, ..
            } => Some(Self::Signer {
                repo: repo.clone(),
                version: version.clone(),
                signer,
                at: *at,
            }),
            _ => None,
        }
    }

    /// The version that it is about; none where its kind is not known.
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Version { version, .. }
            | Self::Signer { version, .. }
            | Self::Yank { version, .. }
            | Self::Unyank { version, .. } => Some(version),
            Self::Hidden { .. } | Self::Unknown => None,
        }
    }

    /// The record that hides this one, and what opens it: `salt`, which nobody can guess, and the
    /// bytes of this one.
    pub fn hide(&self, salt: &str) -> (Self, String) {
        let record = String::from_utf8(self.to_bytes()).expect("JSON is text");
        let opening = format!("{salt} {record}");
        let sha256 = Digest::of(opening.as_bytes());
        (Self::Hidden { sha256 }, opening)
    }

    /// The record that `opening` shows this one to hide; this one itself where nothing is hidden.
    ///
    /// # Errors
    /// If `opening` is missing, or of another record.
    pub fn opened(self, opening: Option<&str>) -> Result<Self, OpeningError> {
        let Self::Hidden { sha256 } = self else {
            return Ok(self);
        };
        let opening = opening.ok_or(OpeningError)?;
        if Digest::of(opening.as_bytes()) != sha256 {
            return Err(OpeningError);
        }
        let (_, record) = opening.split_once(' ').ok_or(OpeningError)?;
        Self::from_bytes(record.as_bytes()).map_err(|_| OpeningError)
    }

    /// The time by the registry's clock; none where its kind is not known.
    pub fn at(&self) -> Option<OffsetDateTime> {
        match self {
            Self::Version { at, .. }
            | Self::Signer { at, .. }
            | Self::Yank { at, .. }
            | Self::Unyank { at, .. } => Some(*at),
            Self::Hidden { .. } | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_a_job_says_whose() {
        let digest = format!("sha256:{}", "0".repeat(64));
        let commit = "1".repeat(40);
        let with = |publisher: &str| {
            format!(
                r#"{{"kind":"version","repo":"ada/x","version":"1.2.0","commit":"{commit}","manifest":"{digest}",{publisher}"at":"2027-01-15T08:00:00Z"}}"#
            )
        };
        let job = r#""publisher":{"issuer":"https://gitlab.com","repository":"a/b","owner_id":"7","workflow":"c.yml"},"#;
        for text in [with(""), with(job)] {
            let record = LogRecord::from_bytes(text.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(record.to_bytes()).unwrap(), text);
            let LogRecord::Version { publisher, .. } = record else {
                panic!("{record:?}");
            };
            let workflow = publisher.map(|job| job.workflow);
            assert_eq!(workflow.is_some(), text.contains("publisher"));
        }
        // A line of its own in whatever shows it.
        for field in ["a/b", "https://gitlab.com", "c.yml"] {
            let forged = job.replace(field, r"x\nok: loaded");
            assert!(LogRecord::from_bytes(with(&forged).as_bytes()).is_err());
        }
        let forged = job.replace("\"c.yml\"", r#""c.yml","commit":"1\u001b[2K""#);
        assert!(LogRecord::from_bytes(with(&forged).as_bytes()).is_err());
    }

    /// Programs from before there were such records read them as a kind that they do not know.
    #[test]
    fn a_signer_is_a_record() {
        let with = |signer: &str| {
            format!(
                r#"{{"kind":"signer","repo":"ada/x","version":"1.2.0",{signer}"at":"2027-01-15T08:00:00Z"}}"#
            )
        };
        let key = r#""signer":{"key":"SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"},"#;
        for text in [with(""), with(key), with(r#""signer":{},"#)] {
            let record = LogRecord::from_bytes(text.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(record.to_bytes()).unwrap(), text);
            assert_eq!(record.repo().unwrap().as_str(), "ada/x");
            assert!(record.version().is_some() && record.at().is_some());
            let LogRecord::Signer { signer, .. } = record else {
                panic!("{record:?}");
            };
            assert_eq!(signer.is_some(), text.contains("\"signer\":{"));
        }
    }

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
        let (hidden, opening) = record.hide("0123");
        assert!(
            !String::from_utf8(hidden.to_bytes())
                .unwrap()
                .contains("ada")
        );
        assert_eq!(hidden.clone().opened(Some(&opening)), Ok(record.clone()));
        assert_eq!(hidden.clone().opened(None), Err(OpeningError));
        assert_eq!(hidden.opened(Some("0123 {}")), Err(OpeningError));
        assert_eq!(record.clone().opened(None), Ok(record));
        let later = LogRecord::from_bytes(br#"{"kind":"vote","by":"ada"}"#).unwrap();
        assert_eq!(later, LogRecord::Unknown);
        assert!(LogRecord::from_bytes(b"{}").is_err());
    }
}
