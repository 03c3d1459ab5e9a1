//! The policy that named SSH keys must sign approvals: reads it, obtains signatures, checks them.
//!
//! Two files can require signatures. The machine's, `/etc/tool-hub/approvals.toml`, belongs to
//! root: programs that run as the user can neither change nor remove it, and if it exists the
//! user's own requirement is ignored. The user's is part of their `approvals.toml`, beside the
//! approvals. It binds programs that can run `tool` but cannot write the user's files; a program
//! with the user's shell can edit it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use tool_hub_manifest::Digest;

use crate::files;
use crate::terminal::problem::Problem;

use super::signature::{Signer, Statement};

/// The directory in which the machine's administrator can require signed approvals.
pub(crate) const SYSTEM_DIRECTORY: &str = "/etc/tool-hub";

const SYSTEM_FILE: &str = "approvals.toml";
const ROOT: u32 = 0;

/// The keys, one of which has to sign every approval.
#[derive(Debug)]
pub(crate) struct SignaturePolicy {
    signers: Vec<Signer>,
    /// The file with the requirement.
    place: PathBuf,
    source: PolicySource,
}

/// The owner of the requirement: the machine's administrator or the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PolicySource {
    System,
    User,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemFile {
    signers: Vec<Signer>,
}

impl SignaturePolicy {
    /// Reads the machine's requirement. If there is none, returns the user's, made of `signers`
    /// from the file at `own`.
    ///
    /// # Errors
    /// If the machine's file exists and cannot be trusted.
    pub(super) fn read(own: &Path, signers: &[Signer]) -> anyhow::Result<Option<Self>> {
        if let Some(system) = system(Path::new(SYSTEM_DIRECTORY), ROOT)? {
            return Ok(Some(system));
        }
        Ok((!signers.is_empty()).then(|| Self {
            signers: signers.to_vec(),
            place: own.to_owned(),
            source: PolicySource::User,
        }))
    }

    pub(crate) fn source(&self) -> PolicySource {
        self.source
    }

    /// The file with the requirement.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The fingerprints of the keys, joined by "or".
    pub(crate) fn fingerprints(&self) -> String {
        let keys: Vec<String> = self.signers.iter().map(Signer::fingerprint).collect();
        keys.join(" or ")
    }

    /// True if `signature` approves `record` and is by one of the keys.
    pub(super) fn is_met_by(&self, record: &Digest, signature: Option<&String>) -> bool {
        let statement = Statement::approval(record);
        let signed = |signature: &String| {
            let mut signers = self.signers.iter();
            signers.any(|signer| signer.verify(&statement, signature))
        };
        signature.is_some_and(signed)
    }

    /// Returns a signature of the approval of `record`.
    ///
    /// # Errors
    /// If none of the keys signs it.
    pub(super) fn sign_approval(&self, record: &Digest, home: &Path) -> anyhow::Result<String> {
        self.sign(&Statement::approval(record), home)
    }

    /// Requires a signature of the statement that these keys need not sign approvals any more.
    ///
    /// # Errors
    /// If none of the keys signs it.
    pub(super) fn sign_release(&self, home: &Path) -> anyhow::Result<()> {
        self.sign(&Statement::release(&self.signers), home)
            .map(drop)
    }

    fn sign(&self, statement: &Statement, home: &Path) -> anyhow::Result<String> {
        for signer in &self.signers {
            if let Some(signature) = signer.sign(statement, home)? {
                return Ok(signature);
            }
        }
        Err(Problem::refused(format!(
            "no signature by {}, which {} requires",
            self.fingerprints(),
            self.place.display()
        ))
        .hint("load the key into ssh-agent, plug it in, or put it into ~/.ssh; see: ssh-add -l")
        .into())
    }
}

/// Reads the requirement from the file in `directory`. Both have to belong to `owner`.
fn system(directory: &Path, owner: u32) -> anyhow::Result<Option<SignaturePolicy>> {
    let place = directory.join(SYSTEM_FILE);
    let Some(text) = files::read_if_present(&place)? else {
        return Ok(None);
    };
    for path in [directory, &place] {
        if !belongs_to(path, owner)? {
            return Err(Problem::refused(format!(
                "{} can be changed by users other than root, so it cannot be trusted",
                path.display()
            ))
            .hint(format!(
                "run as root: chown root {0} && chmod go-w {0}",
                path.display()
            ))
            .into());
        }
    }
    let file: SystemFile = toml_edit::de::from_str(&text)
        .with_context(|| format!("{} cannot be read", place.display()))?;
    if file.signers.is_empty() {
        let nobody = format!("{} lists no key, so no approval is valid", place.display());
        return Err(Problem::refused(nobody)
            .hint("list a key in `signers`, or remove the file")
            .into());
    }
    Ok(Some(SignaturePolicy {
        signers: file.signers,
        place,
        source: PolicySource::System,
    }))
}

#[cfg(unix)]
fn belongs_to(path: &Path, owner: u32) -> anyhow::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    const OTHERS_WRITE: u32 = 0o022;
    let found = path.symlink_metadata()?;
    Ok(found.uid() == owner && found.mode() & OTHERS_WRITE == 0)
}

/// Systems without Unix owners have no machine-wide file.
#[cfg(not(unix))]
fn belongs_to(_: &Path, _: u32) -> anyhow::Result<bool> {
    Ok(false)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as strangers leave them"
)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPb5j4W3EMZfbSaGezTib1Z/OmYk4mlAdMe00YQDsca3 ada";

    /// Reads `text` as the machine's file, with these modes of the file and of its directory.
    /// Returns the number of keys, or the error.
    fn requires(text: &str, [file, above]: [u32; 2]) -> Result<usize, String> {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join(SYSTEM_FILE);
        std::fs::write(&place, text).unwrap();
        std::fs::set_permissions(&place, Permissions::from_mode(file)).unwrap();
        std::fs::set_permissions(directory.path(), Permissions::from_mode(above)).unwrap();
        let owner = place.metadata().unwrap().uid();
        assert!(
            system(directory.path(), owner + 1).is_err(),
            "another user's"
        );
        let read = system(directory.path(), owner);
        read.map(|required| required.map_or(0, |required| required.signers.len()))
            .map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn the_machine_s_file_is_its_administrator_s() {
        let text = format!("signers = [{KEY:?}]\n");
        assert_eq!(requires(&text, [0o644, 0o755]), Ok(1));
        for modes in [
            [0o664, 0o755],
            [0o646, 0o755],
            [0o644, 0o775],
            [0o644, 0o777],
        ] {
            let error = requires(&text, modes).unwrap_err();
            assert!(error.contains("cannot be trusted"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_read_requires_more_than_anybody_has() {
        for text in [
            "signers = []",
            "",
            "signers = [\"ssh-ed25519 AAAA\"]",
            "signers = 1",
            "signers = [] # \n approved = []",
        ] {
            assert!(requires(text, [0o644, 0o755]).is_err(), "{text}");
        }
    }

    #[test]
    fn no_file_requires_nothing_and_a_link_is_not_believed() {
        let directory = tempfile::tempdir().unwrap();
        let owner = directory.path().metadata().unwrap().uid();
        assert!(system(directory.path(), owner).unwrap().is_none());
        let elsewhere = directory.path().join("elsewhere");
        std::fs::write(&elsewhere, format!("signers = [{KEY:?}]")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, directory.path().join(SYSTEM_FILE)).unwrap();
        // The mode of a link itself is writable for everybody.
        assert!(system(directory.path(), owner).is_err());
    }
}
