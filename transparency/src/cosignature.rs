//! Signatures of a checkpoint: over its text alone, and with a time, as C2SP `tlog-cosignature`.

use data_encoding::BASE64;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use signed_note::{Signer, Verifier, is_key_name_valid, key_id};

/// The algorithm byte of a signature over the text.
pub(crate) const ED25519: u8 = 1;
/// The algorithm byte of a signature over a time and the text.
pub(crate) const COSIGNATURE: u8 = 4;
/// The length of a time before a signature.
const TIME_BYTES: usize = 8;

/// The number by which a note names a key that signs its text.
pub(crate) fn plain_id(name: &str, key: &VerifyingKey) -> u32 {
    key_id(name, &encoded(ED25519, key))
}

/// The number by which a note names a key that signs a time and its text.
pub(crate) fn timed_id(name: &str, key: &VerifyingKey) -> u32 {
    key_id(name, &encoded(COSIGNATURE, key))
}

/// The algorithm and the key, as its number is computed of them.
pub(crate) fn encoded(algorithm: u8, key: &VerifyingKey) -> Vec<u8> {
    [&[algorithm], key.as_bytes().as_slice()].concat()
}

/// The name and the key in `text`, as C2SP `signed-note` writes a key for this algorithm.
pub(crate) fn read_key(text: &str, algorithm: u8) -> Option<(String, VerifyingKey)> {
    let mut parts = text.splitn(3, '+');
    let (name, id, key) = (parts.next()?, parts.next()?, parts.next()?);
    let bytes: [u8; 33] = BASE64.decode(key.as_bytes()).ok()?.try_into().ok()?;
    let (kind, key) = bytes.split_first_chunk::<1>()?;
    let key = VerifyingKey::from_bytes(key.try_into().ok()?).ok()?;
    let is_right = *kind == [algorithm]
        && is_key_name_valid(name)
        && id.len() == 8
        && u32::from_str_radix(id, 16) == Ok(key_id(name, &encoded(algorithm, &key)));
    is_right.then(|| (name.to_owned(), key))
}

/// A key as [`read_key`] reads it.
pub(crate) fn written_key(name: &str, algorithm: u8, key: &VerifyingKey) -> String {
    let encoded = encoded(algorithm, key);
    let id = key_id(name, &encoded);
    format!("{name}+{id:08x}+{}", BASE64.encode(&encoded))
}

/// The bytes that are signed together with a time.
fn timed_text(seconds: u64, text: &[u8]) -> Vec<u8> {
    [format!("cosignature/v1\ntime {seconds}\n").as_bytes(), text].concat()
}

/// The time of a timed signature, in seconds since 1970. It is checked by [`TimedVerifier`].
pub(crate) fn time_of(signature: &[u8]) -> Option<u64> {
    let (time, _) = signature.split_first_chunk::<TIME_BYTES>()?;
    Some(u64::from_be_bytes(*time))
}

/// Signs with a time.
pub(crate) struct TimedSigner<'a> {
    pub(crate) name: &'a str,
    pub(crate) key: &'a SigningKey,
    pub(crate) seconds: u64,
}

impl Signer for TimedSigner<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn key_id(&self) -> u32 {
        timed_id(self.name, &self.key.verifying_key())
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, signature::Error> {
        let signature = self.key.try_sign(&timed_text(self.seconds, text))?;
        let time = self.seconds.to_be_bytes();
        Ok([time.as_slice(), &signature.to_bytes()].concat())
    }
}

/// Signs the text alone.
pub(crate) struct PlainSigner<'a> {
    pub(crate) name: &'a str,
    pub(crate) key: &'a SigningKey,
}

impl Signer for PlainSigner<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn key_id(&self) -> u32 {
        plain_id(self.name, &self.key.verifying_key())
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.key.try_sign(text)?.to_bytes().to_vec())
    }
}

/// Holds a timed signature against a key.
pub(crate) struct TimedVerifier {
    pub(crate) name: String,
    pub(crate) key: VerifyingKey,
}

impl Verifier for TimedVerifier {
    fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> u32 {
        timed_id(&self.name, &self.key)
    }

    fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        let Some((_, rest)) = signature.split_first_chunk::<TIME_BYTES>() else {
            return false;
        };
        let text = time_of(signature).map(|seconds| timed_text(seconds, text));
        text.is_some_and(|text| holds(&self.key, &text, rest))
    }
}

/// Holds a signature over the text alone against a key.
pub(crate) struct PlainVerifier {
    pub(crate) name: String,
    pub(crate) key: VerifyingKey,
}

impl Verifier for PlainVerifier {
    fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> u32 {
        plain_id(&self.name, &self.key)
    }

    fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        holds(&self.key, text, signature)
    }
}

fn holds(key: &VerifyingKey, text: &[u8], signature: &[u8]) -> bool {
    let signature = Signature::from_slice(signature);
    signature.is_ok_and(|signature| key.verify_strict(text, &signature).is_ok())
}
