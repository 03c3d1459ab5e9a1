//! Statements of approval, the SSH keys that can sign them, and the verification of signatures.
//!
//! `ssh-keygen -Y sign` makes the signatures, as it does for git's commits.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use data_encoding::{BASE64, BASE64_NOPAD};
use serde::{Deserialize, Serialize};
use tool_hub_manifest::Digest;

use super::signer_error::SignerError;
use super::ssh::PublicKey;
use crate::error::Error;
use crate::files;

/// A public key file is a few hundred bytes long.
const KEY_BYTES_MAX: u64 = 16 << 10;

/// A statement to be signed. Its namespace keeps a signature for one purpose from counting for
/// another.
#[derive(Debug)]
pub struct Statement {
    namespace: &'static str,
    text: String,
}

impl Statement {
    /// The namespace for `ssh-keygen -Y sign -n`.
    pub fn namespace(&self) -> &'static str {
        self.namespace
    }

    /// The text to sign.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The statement that approves the record with this digest.
    pub(super) fn approval(record: &Digest) -> Self {
        Self {
            namespace: "tool-hub-approval",
            text: format!("approve the record {record}\n"),
        }
    }

    /// The statement that `signers` need not sign approvals any more.
    pub(super) fn release(signers: &[Signer]) -> Self {
        let keys: String = signers.iter().map(|signer| format!("{signer}\n")).collect();
        Self {
            namespace: "tool-hub-release",
            text: format!("approvals need no signature any more of\n{keys}"),
        }
    }
}

/// A public key whose signature counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signer {
    key: PublicKey,
    /// The key as one line of a public key file: type, base64 and comment.
    line: String,
}

impl Signer {
    /// Reads the public key file that `ssh-keygen` wrote.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::NotAPublicKey`].
    pub fn in_file(path: &Path) -> Result<Self, Error> {
        let text = files::read_text(path, KEY_BYTES_MAX).map_err(files::unreadable(path))?;
        text.parse().map_err(|reason| Error::NotAPublicKey {
            path: path.to_owned(),
            reason,
        })
    }

    /// The fingerprint as `ssh-keygen -l` prints it: `SHA256:` and unpadded base64.
    pub fn fingerprint(&self) -> String {
        let digest = Digest::of(&self.key.blob);
        format!("SHA256:{}", BASE64_NOPAD.encode(digest.as_bytes()))
    }

    /// True if `other` is the same key, whatever its comment.
    pub fn has_same_key(&self, other: &Self) -> bool {
        self.key == other.key
    }

    /// True if `signature` is this key's, over exactly `statement`.
    pub fn verify(&self, statement: &Statement, signature: &str) -> bool {
        let text = statement.text.as_bytes();
        self.key.verify(statement.namespace, text, signature)
    }
}

impl FromStr for Signer {
    type Err = SignerError;

    fn from_str(text: &str) -> Result<Self, SignerError> {
        let line = text.trim();
        let mut words = line.split_ascii_whitespace();
        let (kind, blob) = (words.next().unwrap_or_default(), words.next());
        let blob = blob.and_then(|blob| BASE64.decode(blob.as_bytes()).ok());
        let key = blob.and_then(|blob| PublicKey::read(&blob));
        let key = key.filter(|_| !line.contains('\n'));
        let key = key.ok_or_else(|| SignerError {
            found: kind.chars().take(40).collect(),
        })?;
        Ok(Self {
            key,
            line: line.to_owned(),
        })
    }
}

impl TryFrom<String> for Signer {
    type Error = SignerError;

    fn try_from(text: String) -> Result<Self, SignerError> {
        text.parse()
    }
}

impl From<Signer> for String {
    fn from(signer: Signer) -> Self {
        signer.to_string()
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys, and the signatures that `ssh-keygen` made with them of the approval of `x`.
    const SIGNED: [(&str, &str); 2] = [
        (
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPb5j4W3EMZfbSaGezTib1Z/OmYk4mlAdMe00YQDsca3 ada",
            "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg9vmPhbcQxl9tJoZ7NOJvVn86Zi\nTiaUB0x7TRhAOxxrcAAAARdG9vbC1odWItYXBwcm92YWwAAAAAAAAABnNoYTUxMgAAAFMA\nAAALc3NoLWVkMjU1MTkAAABAS70PkJAXyVxdpBkb3ucw3Ply/pNsDbEBVxAq8JGoy+SBRD\n+odOFl5JQ93oHs9FXYzWhOCxzOgkqgXj6zmDgdCA==\n-----END SSH SIGNATURE-----\n",
        ),
        (
            "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBPMHv2PMwpSa2YNRuE8hAH8o9XFiIO6CQVV6Srr8pck7B4gZqxPSndR57S+WEISJcL8mWbsZu+PpWgOjVvbWuZ0= bob",
            "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAE\nEE8we/Y8zClJrZg1G4TyEAfyj1cWIg7oJBVXpKuvylyTsHiBmrE9Kd1HntL5YQhIlwvyZZ\nuxm74+laA6NW9ta5nQAAABF0b29sLWh1Yi1hcHByb3ZhbAAAAAAAAAAGc2hhNTEyAAAAZA\nAAABNlY2RzYS1zaGEyLW5pc3RwMjU2AAAASQAAACEA7coDn+fkyhvsYfWZIikT2S9ozMKJ\nTTJrihrj31DGRgcAAAAgboftK06xWBspYIPyyPWLf9FOtB/cRNivricKbO8z8cg=\n-----END SSH SIGNATURE-----\n",
        ),
    ];

    #[test]
    fn what_ssh_keygen_signs_counts_for_that_alone() {
        let statement = Statement::approval(&Digest::of(b"x"));
        for (key, signature) in SIGNED {
            let signer: Signer = key.parse().unwrap();
            assert!(signer.verify(&statement, signature), "{key}");
            let other = Statement::approval(&Digest::of(b"y"));
            assert!(!signer.verify(&other, signature), "{key}");
            let released = Statement {
                namespace: Statement::release(&[]).namespace,
                text: statement.text.clone(),
            };
            assert!(!signer.verify(&released, signature), "{key}");
            for (other, _) in SIGNED.iter().filter(|(other, _)| *other != key) {
                let other: Signer = other.parse().unwrap();
                assert!(!other.verify(&statement, signature), "{key}");
            }
        }
        for no_signature in [
            "",
            "yes",
            "-----BEGIN SSH SIGNATURE----------END SSH SIGNATURE-----",
        ] {
            let signer: Signer = SIGNED[0].0.parse().unwrap();
            assert!(!signer.verify(&statement, no_signature), "{no_signature}");
        }
    }

    #[test]
    fn a_key_is_one_line_of_a_kind_that_can_be_verified() {
        for (key, _) in SIGNED {
            let signer: Signer = format!("{key}\n").parse().unwrap();
            assert_eq!(signer.to_string(), key);
        }
        let two = format!("{}\n{}", SIGNED[0].0, SIGNED[1].0);
        for text in [
            "",
            "ssh-ed25519",
            "ssh-ed25519 AAAA",
            "ssh-rsa AAAAB3NzaC1yc2E=",
            &two,
        ] {
            let error = text.parse::<Signer>().unwrap_err().to_string();
            assert!(error.starts_with("expected one line"), "{text}: {error}");
        }
    }
}
