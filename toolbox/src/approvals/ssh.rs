//! Parses SSH public keys and verifies their signatures.
//!
//! Keys are Ed25519 and ECDSA P-256, and both on security keys. Their binary form is that of RFC
//! 4253, RFC 5656, and `PROTOCOL.sshsig` and `PROTOCOL.u2f` of OpenSSH.

use aws_lc_rs::digest::{SHA256, SHA512, digest};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey};
use data_encoding::BASE64;

const MAGIC: &[u8] = b"SSHSIG";
const VERSION: u32 = 1;
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// Bytes of each of the two integers of an ECDSA P-256 signature.
const SCALAR_BYTES: usize = 32;
/// The "user present" flag of a security key: somebody touched it.
const FLAG_USER_PRESENT: u8 = 1;

/// A public key that can sign approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublicKey {
    /// The key in SSH's binary form, as key files and signatures hold it.
    pub(super) blob: Vec<u8>,
    kind: Kind,
    /// The curve point.
    point: Vec<u8>,
    /// The application string of a security key; `None` for other keys.
    application: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ed25519,
    P256,
}

impl PublicKey {
    /// Parses a key; `None` if it is malformed or of an unsupported type.
    pub(super) fn read(blob: &[u8]) -> Option<Self> {
        let mut rest = Reader(blob);
        let name = rest.text()?;
        let kind = match name {
            "ssh-ed25519" | "sk-ssh-ed25519@openssh.com" => Kind::Ed25519,
            "ecdsa-sha2-nistp256" | "sk-ecdsa-sha2-nistp256@openssh.com" => Kind::P256,
            _ => return None,
        };
        if kind == Kind::P256 && rest.string()? != b"nistp256" {
            return None;
        }
        let point = rest.string()?.to_vec();
        let application = match name.starts_with("sk-") {
            true => Some(rest.string()?.to_vec()),
            false => None,
        };
        rest.0.is_empty().then(|| Self {
            blob: blob.to_vec(),
            kind,
            point,
            application,
        })
    }

    fn name(&self) -> &'static str {
        match (self.kind, &self.application) {
            (Kind::Ed25519, None) => "ssh-ed25519",
            (Kind::Ed25519, Some(_)) => "sk-ssh-ed25519@openssh.com",
            (Kind::P256, None) => "ecdsa-sha2-nistp256",
            (Kind::P256, Some(_)) => "sk-ecdsa-sha2-nistp256@openssh.com",
        }
    }

    /// True if `signature`, in the armor of `ssh-keygen -Y sign`, is this key's over `message` in
    /// `namespace`. A security key must have been touched: otherwise any program that can reach it
    /// could sign for as long as it is plugged in.
    pub(super) fn verify(&self, namespace: &str, message: &[u8], signature: &str) -> bool {
        self.check(namespace, message, signature).is_some()
    }

    /// `None` if the signature is malformed or does not match.
    fn check(&self, namespace: &str, message: &[u8], signature: &str) -> Option<()> {
        let bytes = dearmor(signature)?;
        let mut rest = Reader(bytes.strip_prefix(MAGIC)?);
        if rest.number()? != VERSION || rest.string()? != self.blob {
            return None;
        }
        let (named, reserved, hash) = (rest.string()?, rest.string()?, rest.text()?);
        let hashed = match hash {
            "sha256" => digest(&SHA256, message),
            "sha512" => digest(&SHA512, message),
            _ => return None,
        };
        let mut signature = Reader(rest.string()?);
        if named != namespace.as_bytes() || !rest.0.is_empty() {
            return None;
        }
        let mut signed = MAGIC.to_vec();
        for part in [named, reserved, hash.as_bytes(), hashed.as_ref()] {
            signed.extend(u32::try_from(part.len()).ok()?.to_be_bytes());
            signed.extend(part);
        }
        if signature.text()? != self.name() {
            return None;
        }
        let made = signature.string()?;
        if let Some(application) = &self.application {
            let (flags, trailer) = (*signature.0.first()?, signature.0);
            // One byte of flags and a counter of four bytes.
            if trailer.len() != 5 || flags & FLAG_USER_PRESENT == 0 {
                return None;
            }
            let of = |bytes: &[u8]| digest(&SHA256, bytes);
            signed = [of(application).as_ref(), trailer, of(&signed).as_ref()].concat();
        } else if !signature.0.is_empty() {
            return None;
        }
        self.verify_raw(&signed, made)
    }

    fn verify_raw(&self, signed: &[u8], made: &[u8]) -> Option<()> {
        match self.kind {
            Kind::Ed25519 => UnparsedPublicKey::new(&ED25519, &self.point)
                .verify(signed, made)
                .ok(),
            Kind::P256 => {
                let mut numbers = Reader(made);
                let both = [numbers.mpint_fixed()?, numbers.mpint_fixed()?].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &self.point)
                    .verify(signed, &both)
                    .ok()
                    .filter(|()| numbers.0.is_empty())
            }
        }
    }
}

/// The bytes of an armored signature.
fn dearmor(text: &str) -> Option<Vec<u8>> {
    let text = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let body: String = text.split_whitespace().collect();
    BASE64.decode(body.as_bytes()).ok()
}

/// The bytes not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Reads an SSH string: a length and that many bytes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::try_from(length).ok()?)
    }

    fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.string()?).ok()
    }

    /// Reads a positive integer (an SSH `mpint`) and pads it to a fixed length.
    fn mpint_fixed(&mut self) -> Option<[u8; SCALAR_BYTES]> {
        let number = self.string()?;
        // An `mpint` has a leading zero if its first bit is set.
        let start = number.iter().position(|byte| *byte != 0)?;
        let digits = &number[start..];
        let mut fixed = [0; SCALAR_BYTES];
        let at = SCALAR_BYTES.checked_sub(digits.len())?;
        fixed[at..].copy_from_slice(digits);
        Some(fixed)
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    };

    use super::*;

    fn string(bytes: &[u8]) -> Vec<u8> {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        [&length[..], bytes].concat()
    }

    type Sign = Box<dyn Fn(&[u8]) -> Vec<u8>>;

    /// A software key that signs like a security key.
    struct SecurityKey {
        key: PublicKey,
        sign: Sign,
    }

    const APPLICATION: &[u8] = b"ssh:";

    fn ed25519() -> SecurityKey {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let point = pair.public_key().as_ref().to_vec();
        let name = b"sk-ssh-ed25519@openssh.com";
        let blob = [string(name), string(&point), string(APPLICATION)].concat();
        SecurityKey {
            key: PublicKey::read(&blob).unwrap(),
            sign: Box::new(move |message| pair.sign(message).as_ref().to_vec()),
        }
    }

    fn p256() -> SecurityKey {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let point = pair.public_key().as_ref().to_vec();
        let name = b"sk-ecdsa-sha2-nistp256@openssh.com";
        let blob = [
            string(name),
            string(b"nistp256"),
            string(&point),
            string(APPLICATION),
        ]
        .concat();
        SecurityKey {
            key: PublicKey::read(&blob).unwrap(),
            sign: Box::new(move |message| {
                let signature = pair.sign(&SystemRandom::new(), message).unwrap();
                let (r, s) = signature.as_ref().split_at(SCALAR_BYTES);
                // A leading zero is always added, even where it is not needed.
                [
                    string(&[&[0][..], r].concat()),
                    string(&[&[0][..], s].concat()),
                ]
                .concat()
            }),
        }
    }

    fn signature(by: &SecurityKey, namespace: &str, message: &[u8], flags: u8) -> String {
        let hashed = digest(&SHA512, message);
        let parts = [namespace.as_bytes(), b"", b"sha512", hashed.as_ref()].map(string);
        let inner = [MAGIC, &parts.concat()].concat();
        let trailer = [flags, 0, 0, 0, 9];
        let of = |bytes: &[u8]| digest(&SHA256, bytes);
        let signed = [of(APPLICATION).as_ref(), &trailer, of(&inner).as_ref()].concat();
        let made = [
            string(by.key.name().as_bytes()),
            string(&(by.sign)(&signed)),
            trailer.to_vec(),
        ]
        .concat();
        let whole = [
            MAGIC.to_vec(),
            VERSION.to_be_bytes().to_vec(),
            string(&by.key.blob),
            string(namespace.as_bytes()),
            string(b""),
            string(b"sha512"),
            string(&made),
        ]
        .concat();
        format!("{BEGIN}\n{}\n{END}\n", BASE64.encode(&whole))
    }

    #[test]
    fn a_security_key_signs_only_when_it_is_touched() {
        for key in [ed25519(), p256()] {
            for (flags, expect) in [(1, true), (5, true), (0, false), (4, false)] {
                let made = signature(&key, "space", b"text", flags);
                assert_eq!(key.key.verify("space", b"text", &made), expect, "{flags}");
            }
            let made = signature(&key, "space", b"text", 1);
            assert!(!key.key.verify("other", b"text", &made));
            assert!(!key.key.verify("space", b"texts", &made));
        }
    }

    #[test]
    fn no_byte_of_a_signature_may_be_another() {
        for key in [ed25519(), p256()] {
            let made = signature(&key, "space", b"text", 1);
            let bytes = dearmor(&made).unwrap();
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 1;
                let other = format!("{BEGIN}\n{}\n{END}", BASE64.encode(&other));
                assert!(!key.key.verify("space", b"text", &other), "byte {at}");
                let cut = format!("{BEGIN}\n{}\n{END}", BASE64.encode(&bytes[..at]));
                assert!(!key.key.verify("space", b"text", &cut), "{at} bytes");
            }
        }
    }

    #[test]
    fn what_is_no_key_is_not_read() {
        let blob = ed25519().key.blob;
        for at in 0..blob.len() {
            assert_eq!(PublicKey::read(&blob[..at]), None, "{at} bytes");
        }
        assert_eq!(PublicKey::read(&[&blob[..], &[0]].concat()), None);
        assert_eq!(PublicKey::read(&string(b"ssh-rsa")), None);
    }
}
