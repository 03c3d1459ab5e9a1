//! The `PackageSigner`: a key, or the `SignerIdentity` that a trusted root gives a certificate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::key_fingerprint::{FingerprintError, KeyFingerprint};
use crate::string_conversions::string_conversions;

/// The most bytes of a subject or an issuer.
const NAME_BYTES_MAX: usize = 512;
const BY: &str = " by ";
const UNDER: &str = " under ";

/// The signer of a package, as it is pinned. Printed as `SHA256:…` for a key, and as
/// `ada@example.com under SHA256:…` or `https://… by https://… under SHA256:…` for an identity.
///
/// A value alone says nothing about who signed what: it may stand in a lock that somebody else
/// wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PackageSigner {
    /// Whoever has this key.
    Key(KeyFingerprint),
    /// Whoever gets a certificate for this identity. Its key is another one each time.
    Identity(SignerIdentity),
}

/// A name, and who vouches for it. Names are printable ASCII, so none looks like another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignerIdentity {
    subject: String,
    issuer: Option<String>,
    root: KeyFingerprint,
}

/// The text names no signer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignerError {
    /// The fingerprint of a key or a root is wrong.
    #[error(transparent)]
    Fingerprint(#[from] FingerprintError),
    /// A name cannot be told apart from others.
    #[error(
        "a signer is named by printable ASCII, at most {NAME_BYTES_MAX} bytes, without ` by ` and ` under ` in it"
    )]
    Name,
}

impl SignerIdentity {
    /// The identity `subject`, such as an address, the URI of a workflow or the subject of a
    /// certificate, under the root with this fingerprint; `issuer` is who told a keyless
    /// certificate authority of it.
    ///
    /// # Errors
    /// [`SignerError::Name`].
    pub fn new(
        subject: String,
        issuer: Option<String>,
        root: KeyFingerprint,
    ) -> Result<Self, SignerError> {
        let are_names = is_signer_name(&subject) && issuer.as_deref().is_none_or(is_signer_name);
        are_names
            .then_some(Self {
                subject,
                issuer,
                root,
            })
            .ok_or(SignerError::Name)
    }

    /// The name.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The OpenID Connect issuer that says so, of a keyless signature.
    pub fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// The key of the root certificate.
    pub fn root(&self) -> KeyFingerprint {
        self.root
    }
}

/// True if `name` can be told apart from others, and from the words between names.
pub(crate) fn is_signer_name(name: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && name.trim() == name
        && !name.contains(BY)
        && !name.contains(UNDER)
}

impl PackageSigner {
    /// The key by which the user knows the signer: its own, or that of the root.
    pub fn known_by(&self) -> KeyFingerprint {
        match self {
            Self::Key(key) => *key,
            Self::Identity(identity) => identity.root,
        }
    }
}

impl From<KeyFingerprint> for PackageSigner {
    fn from(key: KeyFingerprint) -> Self {
        Self::Key(key)
    }
}

impl fmt::Display for PackageSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.fmt(f),
            Self::Identity(identity) => identity.fmt(f),
        }
    }
}

impl fmt::Display for SignerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        if let Some(issuer) = &self.issuer {
            write!(f, "{BY}{issuer}")?;
        }
        write!(f, "{UNDER}{}", self.root)
    }
}

impl FromStr for PackageSigner {
    type Err = SignerError;

    fn from_str(text: &str) -> Result<Self, SignerError> {
        let Some((name, root)) = text.rsplit_once(UNDER) else {
            return Ok(Self::Key(text.parse()?));
        };
        let (subject, issuer) = match name.split_once(BY) {
            Some((subject, issuer)) => (subject, Some(issuer.to_owned())),
            None => (name, None),
        };
        SignerIdentity::new(subject.to_owned(), issuer, root.parse()?).map(Self::Identity)
    }
}

string_conversions!(PackageSigner, SignerError);

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> KeyFingerprint {
        KeyFingerprint::of(b"root")
    }

    #[test]
    fn signers_round_trip() {
        let workflow = "https://forge.example/acme/x/.build/release.yml";
        for signer in [
            PackageSigner::Key(root()),
            identity("ada@example.com", None),
            identity("CN=Ada Lovelace,O=Acme", None),
            identity(workflow, Some("https://issuer.example")),
        ] {
            let text = signer.to_string();
            assert_eq!(text.parse(), Ok(signer), "{text}");
        }
    }

    fn identity(subject: &str, issuer: Option<&str>) -> PackageSigner {
        let issuer = issuer.map(str::to_owned);
        PackageSigner::Identity(SignerIdentity::new(subject.to_owned(), issuer, root()).unwrap())
    }

    /// A text that can be read in two ways, or looks like something else, is no name.
    #[test]
    fn names_are_not_ambiguous() {
        let long = "a".repeat(NAME_BYTES_MAX + 1);
        for name in [
            "",
            " ada",
            "ada by eve",
            "ada under eve",
            "ad\u{430}",
            "ada\u{202e}",
            "ada\n",
            &long,
        ] {
            let new =
                |subject: &str, issuer| SignerIdentity::new(subject.to_owned(), issuer, root());
            assert_eq!(new(name, None), Err(SignerError::Name), "{name}");
            let issued = new("ada", Some(name.to_owned()));
            assert_eq!(issued, Err(SignerError::Name), "{name}");
        }
        for text in [
            "ada",
            "ada under SHA256:x",
            " under ",
            "ada by under SHA256:",
        ] {
            assert!(text.parse::<PackageSigner>().is_err(), "{text}");
        }
    }
}
