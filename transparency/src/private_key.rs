//! The text form of a log's private key, as `golang.org/x/mod/sumdb/note` and its tools write it.

use data_encoding::BASE64;

use crate::checkpoint::{KeyError, LogSigner};
use crate::cosignature::ED25519;

const PREFIX: &str = "PRIVATE+KEY+";

impl LogSigner {
    /// The text `PRIVATE+KEY+name+number+key` of the key that [`from_seed`](Self::from_seed) makes.
    /// Whoever has it signs in the name of the log.
    ///
    /// # Errors
    /// The error of [`from_seed`](Self::from_seed).
    pub fn private_key(name: &str, seed: &[u8; 32]) -> Result<String, KeyError> {
        let public = Self::from_seed(name, seed)?.key().to_string();
        let mut parts = public.splitn(3, '+');
        let (Some(name), Some(number)) = (parts.next(), parts.next()) else {
            return Err(KeyError);
        };
        let key = BASE64.encode(&[&[ED25519][..], seed].concat());
        Ok(format!("{PREFIX}{name}+{number}+{key}"))
    }

    /// Reads the text of a private key.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_private_key(text: &str) -> Result<Self, KeyError> {
        let rest = text.trim().strip_prefix(PREFIX).ok_or(KeyError)?;
        // The key in base64 may hold a plus, too.
        let mut parts = rest.splitn(3, '+');
        let (Some(name), Some(_), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError);
        };
        let bytes = BASE64.decode(key.as_bytes()).map_err(|_| KeyError)?;
        let (algorithm, seed) = bytes.split_first().ok_or(KeyError)?;
        let seed: &[u8; 32] = seed.try_into().map_err(|_| KeyError)?;
        let is_whole = *algorithm == ED25519 && Self::private_key(name, seed)? == text.trim();
        is_whole
            .then(|| Self::from_seed(name, seed))
            .ok_or(KeyError)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_key_is_read_as_it_was_written() {
        for byte in [0, 7, 0xfb, 0xff] {
            let seed = [byte; 32];
            let text = LogSigner::private_key("hub.example/datasets/a/b", &seed).unwrap();
            let signer = LogSigner::from_private_key(&format!("{text}\n")).unwrap();
            let same = LogSigner::from_seed("hub.example/datasets/a/b", &seed).unwrap();
            assert_eq!(signer.key(), same.key());
            // The library reads it, too.
            assert!(signed_note::StandardSigner::new(&text).is_ok());
            for wrong in [
                "",
                "PRIVATE+KEY+",
                "PRIVATE+KEY+x",
                &text[1..],
                &text[..text.len() - 1],
                &text.replacen("hub", "hug", 1),
                &signer.key().to_string(),
            ] {
                assert!(LogSigner::from_private_key(wrong).is_err(), "{wrong}");
            }
        }
        assert!(LogSigner::private_key("a b", &[7; 32]).is_err());
    }
}
