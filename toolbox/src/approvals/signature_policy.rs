//! The policy that named SSH keys must sign approvals: reads it, and checks signatures against it.
//!
//! Two files can require signatures. The machine's, `/etc/tool-hub/approvals.toml`, belongs to
//! root: programs that run as the user can neither change nor remove it, and if it exists the
//! user's own requirement is ignored. The user's is part of their `approvals.toml`, beside the
//! approvals. It binds programs that can run `tool` but cannot write the user's files; a program
//! with the user's shell can edit it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tool_hub_manifest::Digest;

use super::signature::{Signer, Statement};
use crate::error::Error;
use crate::files;
use crate::system_file::{self, ROOT, SYSTEM_DIRECTORY};

const SYSTEM_FILE: &str = "approvals.toml";

/// The keys, one of which has to sign every approval.
#[derive(Debug)]
pub struct SignaturePolicy {
    signers: Vec<Signer>,
    /// The file with the requirement.
    place: PathBuf,
    source: PolicySource,
}

/// The owner of the requirement: the machine's administrator or the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicySource {
    /// The machine's administrator, for all its users.
    System,
    /// The user.
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
    pub(super) fn read(own: &Path, signers: &[Signer]) -> Result<Option<Self>, Error> {
        if let Some(system) = system(Path::new(SYSTEM_DIRECTORY), ROOT)? {
            return Ok(Some(system));
        }
        Ok((!signers.is_empty()).then(|| Self {
            signers: signers.to_vec(),
            place: own.to_owned(),
            source: PolicySource::User,
        }))
    }

    /// The owner of the requirement.
    pub fn source(&self) -> PolicySource {
        self.source
    }

    /// The file with the requirement.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The keys.
    pub fn signers(&self) -> &[Signer] {
        &self.signers
    }

    /// The fingerprints of the keys, joined by "or".
    pub fn fingerprints(&self) -> String {
        let keys: Vec<String> = self.signers.iter().map(Signer::fingerprint).collect();
        keys.join(" or ")
    }

    /// True if `signature` approves `record` and is by one of the keys.
    pub(super) fn is_met_by(&self, record: &Digest, signature: Option<&str>) -> bool {
        self.check(&Statement::approval(record), signature).is_ok()
    }

    /// The statement that these keys need not sign approvals any more.
    pub fn release(&self) -> Statement {
        Statement::release(&self.signers)
    }

    /// Refuses a signature that is not of `statement`, or not by one of the keys.
    pub(super) fn check(
        &self,
        statement: &Statement,
        signature: Option<&str>,
    ) -> Result<(), Error> {
        match signature.is_some_and(|signature| self.is_signed(statement, signature)) {
            true => Ok(()),
            false => Err(self.no_signature()),
        }
    }

    /// The error where none of the keys signs.
    pub fn no_signature(&self) -> Error {
        Error::NoSignature {
            keys: self.fingerprints(),
            place: self.place.clone(),
        }
    }

    fn is_signed(&self, statement: &Statement, signature: &str) -> bool {
        let mut signers = self.signers.iter();
        signers.any(|signer| signer.verify(statement, signature))
    }
}

/// Reads the requirement from the file in `directory`. Both have to belong to `owner`.
fn system(directory: &Path, owner: u32) -> Result<Option<SignaturePolicy>, Error> {
    let Some((place, text)) = system_file::read(directory, SYSTEM_FILE, owner)? else {
        return Ok(None);
    };
    let file: SystemFile = files::parse_toml(&place, &text)?;
    if file.signers.is_empty() {
        return Err(Error::NoSigner { place });
    }
    Ok(Some(SignaturePolicy {
        signers: file.signers,
        place,
        source: PolicySource::System,
    }))
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
            .map_err(|error| error.to_string())
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
