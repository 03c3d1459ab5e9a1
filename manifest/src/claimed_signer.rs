//! The `ClaimedSigner`: the signer that a package's signature names, as a registry's log says it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::key_fingerprint::KeyFingerprint;
use crate::package_signer::{PackageSigner, SignerIdentity, is_signer_name};

/// The signer of a package, as far as somebody can tell who does not choose the roots that its
/// readers trust. In JSON `{"key":"SHA256:…"}`, or without what is not known
/// `{"subject":"…","issuer":"…","root":"SHA256:…"}`, or `{}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Members", into = "Members")]
pub enum ClaimedSigner {
    /// Whoever has this key, with which the signature was verified.
    Key(KeyFingerprint),
    /// Whoever gets a certificate for this name. The signature was verified with the certificate.
    Identity(ClaimedIdentity),
    /// There is a signature, and it was not verified. A form that a later version writes is read
    /// as this, too.
    Unknown,
}

/// A name in a certificate. Names are printable ASCII, as those of a [`SignerIdentity`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedIdentity {
    subject: String,
    issuer: Option<String>,
    root: Option<KeyFingerprint>,
}

#[derive(Default, Serialize, Deserialize)]
struct Members {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<String>,
}

impl ClaimedSigner {
    /// The signer with a certificate for `subject`, of which `issuer` told a keyless certificate
    /// authority, and for which nobody vouched. [`Unknown`](Self::Unknown) where a name is none
    /// that can be told apart from others.
    pub fn unvouched(subject: String, issuer: Option<String>) -> Self {
        let are_names = is_signer_name(&subject) && issuer.as_deref().is_none_or(is_signer_name);
        match are_names {
            true => Self::Identity(ClaimedIdentity {
                subject,
                issuer,
                root: None,
            }),
            false => Self::Unknown,
        }
    }

    /// True if it does not contradict that the signature is `verified` to be of this signer. Roots
    /// are not compared: of a certificate that is under two, each reader may trust another one.
    pub fn may_be(&self, verified: &PackageSigner) -> bool {
        match (self, verified) {
            (Self::Key(key), PackageSigner::Key(verified)) => key == verified,
            (Self::Identity(claimed), PackageSigner::Identity(verified)) => {
                claimed.subject == verified.subject()
                    && claimed.issuer.as_deref() == verified.issuer()
            }
            (Self::Unknown, _) => true,
            _ => false,
        }
    }

    /// True if a package that is `claimed` to be signed so cannot be the one whose signer was
    /// `pinned`; none is claimed of an unsigned package. A signature that could not be verified is
    /// pinned as none, but one by a key that is in the package always can be.
    pub fn contradicts_pin(claimed: Option<&Self>, pinned: Option<&PackageSigner>) -> bool {
        match (claimed, pinned) {
            (None, pinned) => pinned.is_some(),
            (Some(claimed), Some(pinned)) => !claimed.may_be(pinned),
            (Some(claimed), None) => matches!(claimed, Self::Key(_)),
        }
    }

    /// True if `signer`, none of an unsigned package, is another one than `before`, or may be. One
    /// that is not known may be another one each time.
    pub fn is_change(before: Option<&Self>, signer: Option<&Self>) -> bool {
        signer == Some(&Self::Unknown) || signer != before
    }
}

impl From<KeyFingerprint> for ClaimedSigner {
    fn from(key: KeyFingerprint) -> Self {
        Self::Key(key)
    }
}

impl From<SignerIdentity> for ClaimedSigner {
    fn from(identity: SignerIdentity) -> Self {
        Self::Identity(ClaimedIdentity {
            subject: identity.subject().to_owned(),
            issuer: identity.issuer().map(str::to_owned),
            root: Some(identity.root()),
        })
    }
}

impl From<Members> for ClaimedSigner {
    fn from(members: Members) -> Self {
        let root = members.root.map(|root| root.parse::<KeyFingerprint>());
        match (members.key, members.subject, root) {
            (Some(key), None, None) => key.parse().map_or(Self::Unknown, Self::Key),
            (None, Some(subject), None) => Self::unvouched(subject, members.issuer),
            (None, Some(subject), Some(Ok(root))) => {
                let identity = SignerIdentity::new(subject, members.issuer, root);
                identity.map_or(Self::Unknown, Self::from)
            }
            _ => Self::Unknown,
        }
    }
}

impl From<ClaimedSigner> for Members {
    fn from(signer: ClaimedSigner) -> Self {
        match signer {
            ClaimedSigner::Key(key) => Self {
                key: Some(key.to_string()),
                ..Self::default()
            },
            ClaimedSigner::Identity(identity) => Self {
                key: None,
                subject: Some(identity.subject),
                issuer: identity.issuer,
                root: identity.root.map(|root| root.to_string()),
            },
            ClaimedSigner::Unknown => Self::default(),
        }
    }
}

impl fmt::Display for ClaimedSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.fmt(f),
            Self::Identity(identity) => {
                f.write_str(&identity.subject)?;
                if let Some(issuer) = &identity.issuer {
                    write!(f, " by {issuer}")?;
                }
                match &identity.root {
                    Some(root) => write!(f, " under {root}"),
                    None => f.write_str(", for whom nobody vouches"),
                }
            }
            Self::Unknown => f.write_str("somebody unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU";

    fn read(json: &str) -> ClaimedSigner {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn claims_round_trip() {
        let key = format!(r#"{{"key":"{KEY}"}}"#);
        let vouched =
            format!(r#"{{"subject":"ada@a.example","issuer":"https://i.example","root":"{KEY}"}}"#);
        let unvouched = r#"{"subject":"CN=Ada"}"#;
        for json in [&key, &vouched, unvouched, "{}"] {
            assert_eq!(serde_json::to_string(&read(json)).unwrap(), json);
        }
        assert_eq!(read(&key).to_string(), KEY);
        let said = format!("ada@a.example by https://i.example under {KEY}");
        assert_eq!(read(&vouched).to_string(), said);
        let said = "CN=Ada, for whom nobody vouches";
        assert_eq!(read(unvouched).to_string(), said);
    }

    /// A name is never taken for a key, nor one name for another.
    #[test]
    fn a_form_that_is_not_known_names_nobody() {
        let both = format!(r#"{{"key":"{KEY}","subject":"ada"}}"#);
        for json in [
            r#"{"key":"SHA512:abc"}"#,
            r#"{"subject":"ada by eve"}"#,
            r#"{"subject":"\u202eada"}"#,
            r#"{"subject":"ada","root":"x"}"#,
            r#"{"issuer":"https://i.example"}"#,
            r#"{"pgp":"ada"}"#,
            &both,
        ] {
            assert_eq!(read(json), ClaimedSigner::Unknown, "{json}");
        }
        let named_as_a_key = ClaimedSigner::unvouched(KEY.to_owned(), None);
        assert!(!named_as_a_key.may_be(&PackageSigner::Key(KEY.parse().unwrap())));
    }

    #[test]
    fn a_claim_is_held_against_what_was_verified() {
        let (key, other) = (KeyFingerprint::of(b""), KeyFingerprint::of(b"other"));
        let identity = |subject: &str, issuer: Option<&str>| {
            let issuer = issuer.map(str::to_owned);
            SignerIdentity::new(subject.to_owned(), issuer, key).unwrap()
        };
        let ada = PackageSigner::Identity(identity("ada", Some("i")));
        assert!(ClaimedSigner::Key(key).may_be(&PackageSigner::Key(key)));
        assert!(!ClaimedSigner::Key(other).may_be(&PackageSigner::Key(key)));
        assert!(!ClaimedSigner::Key(key).may_be(&ada));
        assert!(ClaimedSigner::Unknown.may_be(&ada));
        let unvouched = ClaimedSigner::unvouched("ada".to_owned(), Some("i".to_owned()));
        assert!(unvouched.may_be(&ada));
        assert!(ClaimedSigner::from(identity("ada", Some("i"))).may_be(&ada));
        assert!(!ClaimedSigner::from(identity("eve", Some("i"))).may_be(&ada));
        assert!(!ClaimedSigner::from(identity("ada", None)).may_be(&ada));
        assert!(!unvouched.may_be(&PackageSigner::Key(key)));
    }

    #[test]
    fn a_pin_is_held_against_a_claim() {
        let (key, other) = (KeyFingerprint::of(b""), KeyFingerprint::of(b"other"));
        let [pinned, another] = [key, other].map(PackageSigner::Key);
        let (claimed, unknown) = (ClaimedSigner::Key(key), ClaimedSigner::Unknown);
        let unvouched = ClaimedSigner::unvouched("ada".to_owned(), None);
        for (claimed, pinned, expect) in [
            (None, None, false),
            (None, Some(&pinned), true),
            (Some(&claimed), Some(&pinned), false),
            (Some(&claimed), Some(&another), true),
            (Some(&claimed), None, true),
            (Some(&unvouched), None, false),
            (Some(&unknown), None, false),
        ] {
            let found = ClaimedSigner::contradicts_pin(claimed, pinned);
            assert_eq!(found, expect, "{claimed:?} {pinned:?}");
        }
    }

    #[test]
    fn whoever_is_not_known_is_another_one() {
        let key = ClaimedSigner::Key(KeyFingerprint::of(b""));
        let unknown = ClaimedSigner::Unknown;
        assert!(!ClaimedSigner::is_change(None, None));
        assert!(ClaimedSigner::is_change(None, Some(&key)));
        assert!(ClaimedSigner::is_change(Some(&key), None));
        assert!(!ClaimedSigner::is_change(Some(&key), Some(&key)));
        assert!(ClaimedSigner::is_change(Some(&unknown), Some(&unknown)));
    }
}
