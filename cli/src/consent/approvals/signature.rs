//! Signs statements of approval with SSH keys, as git signs commits, and verifies the signatures.
//! `ssh-keygen -Y sign` makes them, with ssh-agent, a security key or a passphrase.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::Context as _;
use data_encoding::{BASE64, BASE64_NOPAD};
use serde::{Deserialize, Serialize};
use tool_hub_manifest::Digest;

use crate::files;
use crate::terminal::problem::Problem;

use super::ssh::PublicKey;

/// A public key file is a few hundred bytes long.
const KEY_BYTES_MAX: u64 = 16 << 10;

/// A statement to be signed. Its namespace keeps a signature for one purpose from counting for
/// another.
#[derive(Debug)]
pub(crate) struct Statement {
    namespace: &'static str,
    text: String,
}

impl Statement {
    /// The statement that approves the record with this digest.
    pub(crate) fn approval(record: &Digest) -> Self {
        Self {
            namespace: "tool-hub-approval",
            text: format!("approve the record {record}\n"),
        }
    }

    /// The statement that `signers` need not sign approvals any more.
    pub(crate) fn release(signers: &[Signer]) -> Self {
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
pub(crate) struct Signer {
    key: PublicKey,
    /// The key as one line of a public key file: type, base64 and comment.
    line: String,
}

impl Signer {
    /// Reads the public key file that `ssh-keygen` wrote.
    pub(crate) fn in_file(path: &Path) -> anyhow::Result<Self> {
        let text = files::read_text(path, KEY_BYTES_MAX)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        text.parse().map_err(|error: String| {
            Problem::user(format!("{} is not a supported SSH public key: {error}", path.display()))
                .hint("name a file that ends in .pub; make one with: ssh-keygen -t ed25519-sk, or -t ed25519")
                .into()
        })
    }

    /// The fingerprint as `ssh-keygen -l` prints it: `SHA256:` and unpadded base64.
    pub(crate) fn fingerprint(&self) -> String {
        let digest = Digest::of(&self.key.blob);
        format!("SHA256:{}", BASE64_NOPAD.encode(digest.as_bytes()))
    }

    /// True if `signature` is this key's, over exactly `statement`.
    pub(crate) fn verify(&self, statement: &Statement, signature: &str) -> bool {
        let text = statement.text.as_bytes();
        self.key.verify(statement.namespace, text, signature)
    }

    /// Has this key sign `statement`, wherever its private half is: in ssh-agent, on a security
    /// key, or beside the public key in `~/.ssh`. `None` if none of them signs.
    ///
    /// # Errors
    /// If `ssh-keygen` cannot be started.
    pub(crate) fn sign(
        &self,
        statement: &Statement,
        home: &Path,
    ) -> anyhow::Result<Option<String>> {
        let directory = tempfile::tempdir().context("a temporary directory cannot be made")?;
        let written = directory.path().join("key.pub");
        let place = match self.file_in(&home.join(".ssh")) {
            Some(file) => file,
            None => {
                files::write_private(&written, format!("{self}\n").as_bytes())?;
                written
            }
        };
        // `ssh-keygen` asks at the terminal itself, also for touching a security key.
        let mut child = Command::new("ssh-keygen")
            .args(["-q", "-Y", "sign", "-n", statement.namespace, "-f"])
            .arg(&place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Problem::user("cannot start `ssh-keygen`, which signs approvals")
                    .caused_by(error)
                    .hint("install the OpenSSH client")
            })?;
        if let Some(mut input) = child.stdin.take() {
            // If `ssh-keygen` exits early, it reports the reason itself.
            let _ = input.write_all(statement.text.as_bytes());
        }
        let output = child.wait_with_output()?;
        let signature = String::from_utf8(output.stdout).unwrap_or_default();
        Ok(Some(signature).filter(|signature| self.verify(statement, signature)))
    }

    /// The file in `directory` that holds this key.
    fn file_in(&self, directory: &Path) -> Option<PathBuf> {
        let entries = std::fs::read_dir(directory).ok()?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut keys = paths.filter(|path| path.extension().is_some_and(|it| it == "pub"));
        keys.find(|path| {
            let text = files::read_text(path, KEY_BYTES_MAX).unwrap_or_default();
            let key: Option<Self> = text.parse().ok();
            key.is_some_and(|other| other.key == self.key)
        })
    }
}

impl FromStr for Signer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let line = text.trim();
        let mut words = line.split_ascii_whitespace();
        let (kind, blob) = (words.next().unwrap_or_default(), words.next());
        let blob = blob.and_then(|blob| BASE64.decode(blob.as_bytes()).ok());
        let key = blob.and_then(|blob| PublicKey::read(&blob));
        let key = key.filter(|_| !line.contains('\n'));
        let key = key.ok_or_else(|| {
            let kind: String = kind.chars().take(40).collect();
            format!("expected one line with an Ed25519 or ECDSA P-256 key, or one of these on a security key, found {kind:?}")
        })?;
        Ok(Self {
            key,
            line: line.to_owned(),
        })
    }
}

impl TryFrom<String> for Signer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
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
            let error = text.parse::<Signer>().unwrap_err();
            assert!(error.starts_with("expected one line"), "{text}: {error}");
        }
    }
}
