//! Has approvals signed by `ssh-keygen -Y sign` where required; refuses acts that leave no record.
//!
//! It takes the key from ssh-agent, from a security key, or from a file with a passphrase.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use tool_hub_manifest::LockedTool;
use tool_hub_toolbox::approvals::Approvals;
use tool_hub_toolbox::approvals::signature::{Signer, Statement};
use tool_hub_toolbox::approvals::signature_policy::SignaturePolicy;
use tool_hub_toolbox::{Error, Settings};

use crate::files;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

/// The signature of the approval of `locked`; `None` if none is required.
///
/// # Errors
/// If none of the required keys signs it.
pub(crate) fn signature_of(
    locked: &LockedTool,
    settings: &Settings,
) -> anyhow::Result<Option<String>> {
    let Some((policy, statement)) = Approvals::to_be_signed(locked, settings)? else {
        return Ok(None);
    };
    let what = locked.digest().to_string();
    sign(&policy, &statement, &what, settings).map(Some)
}

/// Returns a signature of `statement` by one of the keys of `policy`. Says what is signed, as
/// `what`, because `ssh-keygen` asks for a touch or a passphrase.
///
/// # Errors
/// If none of the keys signs it.
pub(crate) fn sign(
    policy: &SignaturePolicy,
    statement: &Statement,
    what: &str,
    settings: &Settings,
) -> anyhow::Result<String> {
    let keys = escape_line(&policy.fingerprints());
    writeln!(io::stderr(), "To be signed with {keys}: {what}")?;
    for signer in policy.signers() {
        if let Some(signature) = sign_by(signer, statement, &settings.home)? {
            return Ok(signature);
        }
    }
    Err(policy.no_signature().into())
}

/// Refuses `act`, which leaves no record that could be signed, where approvals have to be signed.
/// `hint` says what to do in its place.
///
/// # Errors
/// Refused where they have to be, and if the approvals cannot be read.
pub(crate) fn refuse_unrecorded(act: &str, hint: &str, settings: &Settings) -> anyhow::Result<()> {
    match Approvals::refuse_unrecorded(act, settings) {
        Err(error @ Error::Unrecorded { .. }) => {
            Err(Problem::refused(error.to_string()).hint(hint).into())
        }
        other => Ok(other?),
    }
}

/// Has `signer` sign `statement`, wherever its private half is: in ssh-agent, on a security key, or
/// beside the public key in `~/.ssh`. `None` if none of them signs.
///
/// # Errors
/// If `ssh-keygen` cannot be started.
fn sign_by(signer: &Signer, statement: &Statement, home: &Path) -> anyhow::Result<Option<String>> {
    let directory = tempfile::tempdir().context("a temporary directory cannot be made")?;
    let written = directory.path().join("key.pub");
    let place = match file_in(&home.join(".ssh"), signer) {
        Some(file) => file,
        None => {
            files::write_private(&written, format!("{signer}\n").as_bytes())?;
            written
        }
    };
    // `ssh-keygen` asks at the terminal itself, also for touching a security key.
    let mut child = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", statement.namespace(), "-f"])
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
        let _ = input.write_all(statement.text().as_bytes());
    }
    let output = child.wait_with_output()?;
    let signature = String::from_utf8(output.stdout).unwrap_or_default();
    Ok(Some(signature).filter(|signature| signer.verify(statement, signature)))
}

/// The file in `directory` that holds the key of `signer`.
fn file_in(directory: &Path, signer: &Signer) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut keys = paths.filter(|path| path.extension().is_some_and(|it| it == "pub"));
    keys.find(|path| Signer::in_file(path).is_ok_and(|other| other.has_same_key(signer)))
}
