//! The key that a command signs a package with: the name of a kept one, or a PEM file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use tool_hub_manifest::{KeyName, NameError, Verified};
use tool_hub_registry_client::SignatureFiles;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::package_signature::{self, KeyProof};
use tool_hub_toolbox::settings::Settings;
use tool_hub_toolbox::signing_keys::{SigningKeys, certificate_chain};

/// A key as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SigningKey {
    /// One that is kept.
    Named(KeyName),
    /// One in a PEM file.
    File(PathBuf),
}

impl FromStr for SigningKey {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.contains(['/', '.', '\\']) {
            true => Ok(Self::File(PathBuf::from(text))),
            false => Ok(Self::Named(text.parse()?)),
        }
    }
}

impl SigningKey {
    /// Signs the package with this card and these attestations, and the `certificate` of the key if
    /// there is one.
    pub(crate) fn sign(
        &self,
        package: &Verified,
        with: (&[u8], Option<Vec<u8>>),
        certificate: Option<&Path>,
        settings: &Settings,
    ) -> Result<SignatureFiles, Error> {
        let keys = SigningKeys::read(settings)?;
        let (key, rotation) = match self {
            Self::Named(name) => (keys.private(name)?, keys.rotation(name)?),
            Self::File(path) => (SigningKeys::private_key(&settings.place(path))?, None),
        };
        let proof = match certificate {
            Some(path) => KeyProof::Certificate(certificate_chain(&settings.place(path))?),
            None => KeyProof::PublicKey { rotation },
        };
        package_signature::sign(package, with, &key, proof)
    }
}
