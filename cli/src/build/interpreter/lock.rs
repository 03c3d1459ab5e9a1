//! The lock of the interpreter that a project takes from another package: `interpreter.lock`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{CommitId, Digest, Pin, RepoId, Version};
use url::Url;

use crate::files;
use crate::terminal::problem::Problem;

/// The name of the file, beside `tool.toml`.
pub(in crate::build) const LOCK: &str = "interpreter.lock";
/// The only format of it there is.
const FORMAT: u32 = 1;
const HEADING: &str = "# Written by `tool build`: the interpreter that `[build]` in tool.toml names. Keep it with\n\
     # your sources; every build takes these bytes.\n";

/// The package whose interpreter a project takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InterpreterLock {
    format: u32,
    /// The package as tool.toml names it.
    pub(super) named: String,
    /// Its version.
    pub(super) version: Version,
    /// The digest of its interpreter.
    pub(super) interpreter: Digest,
    /// The digest of its manifest's bytes.
    manifest: Digest,
    /// The digest of its component's bytes.
    component: Digest,
    /// Where it was pulled from; a directory is the one that is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) registry: Option<LockedRepo>,
}

/// A commit on a registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockedRepo {
    pub(super) endpoint: Url,
    pub(super) repo: RepoId,
    pub(super) commit: CommitId,
}

impl InterpreterLock {
    pub(super) fn new(
        named: &str,
        version: Version,
        interpreter: Digest,
        pin: Pin,
        registry: Option<LockedRepo>,
    ) -> Self {
        Self {
            format: FORMAT,
            named: named.to_owned(),
            version,
            interpreter,
            manifest: pin.manifest,
            component: pin.component,
            registry,
        }
    }

    /// The lock of the project in `directory`, if it has one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(directory: &Path) -> anyhow::Result<Option<Self>> {
        let path = directory.join(LOCK);
        let text = files::read_if_present(&path)?;
        text.map(|text| Self::parse(&text)).transpose()
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let wrong = |why: String| {
            Problem::user(format!("{LOCK} is not a valid lock"))
                .caused_by(why)
                .hint(format!(
                    "write it anew: remove {LOCK}, then run: tool build"
                ))
        };
        let lock: Self = toml_edit::de::from_str(text).map_err(|error| wrong(error.to_string()))?;
        match lock.format {
            FORMAT => Ok(lock),
            other => Err(wrong(format!("it has format {other}, and {FORMAT} is known")).into()),
        }
    }

    /// Writes it beside the manifest in `directory`.
    pub(super) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let text = format!("{HEADING}{}", toml_edit::ser::to_string_pretty(self)?);
        Ok(files::write(&directory.join(LOCK), text.as_bytes())?)
    }

    /// The digests of the package.
    pub(super) fn pin(&self) -> Pin {
        Pin {
            manifest: self.manifest,
            component: self.component,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let pin = Pin {
            manifest: Digest::of(b"m"),
            component: Digest::of(b"c"),
        };
        let repo = LockedRepo {
            endpoint: "https://registry.example/".parse().unwrap(),
            repo: "ada/weather".parse().unwrap(),
            commit: "1".repeat(40).parse().unwrap(),
        };
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        assert_eq!(InterpreterLock::read(directory).unwrap(), None);
        for registry in [Some(repo), None] {
            let lock = InterpreterLock::new(
                "ada/weather@^1",
                Version::new(1, 2, 0),
                Digest::of(b"i"),
                pin,
                registry,
            );
            lock.write(directory).unwrap();
            assert_eq!(
                InterpreterLock::read(directory).unwrap(),
                Some(lock.clone())
            );
            assert_eq!(lock.pin(), pin);
        }
        let text = std::fs::read_to_string(directory.join(LOCK)).unwrap();
        for wrong in [
            text.replace("format = 1", "format = 2"),
            text.replace("interpreter = ", "other = "),
            String::new(),
        ] {
            let error = InterpreterLock::parse(&wrong).unwrap_err();
            assert_eq!(error.to_string(), "interpreter.lock is not a valid lock");
        }
    }
}
