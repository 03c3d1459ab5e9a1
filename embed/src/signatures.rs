//! Refuses approvals by programs where approvals have to be signed.

use std::path::Path;

use crate::error::Error;
use crate::package;

/// The file in which the machine's administrator requires signatures.
const SYSTEM_FILE: &str = "/etc/tool-hub/approvals.toml";
/// The file in which a user requires them, beside other settings.
const USER_FILE: &str = "approvals.toml";
const BYTES_MAX: u64 = 16 << 20;

/// Refuses an approval that leaves no record which could be signed, where that is required. `user`
/// is the directory with the user's approvals.
pub(crate) fn refuse_if_required(user: &Path) -> Result<(), Error> {
    refuse(Path::new(SYSTEM_FILE), user)
}

fn refuse(system: &Path, user: &Path) -> Result<(), Error> {
    let required = |place: &Path| Error::SignatureRequired {
        place: place.to_owned(),
    };
    // Whatever is in it, and if it cannot even be seen: it is there to require signatures.
    if !matches!(system.try_exists(), Ok(false)) {
        return Err(required(system));
    }
    let own = user.join(USER_FILE);
    if matches!(own.try_exists(), Ok(false)) {
        return Ok(());
    }
    let bytes = package::read_file(&own, BYTES_MAX)?;
    let table = String::from_utf8(bytes)
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok());
    match table {
        Some(table) if !table.contains_key("signers") => Ok(()),
        // One that cannot be read may require them.
        _ => Err(required(&own)),
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as a user has them"
)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(system: Option<&str>, own: Option<&str>, is_refused: bool) {
        let place = tempfile::tempdir().unwrap();
        let machine = place.path().join("system.toml");
        if let Some(text) = system {
            std::fs::write(&machine, text).unwrap();
        }
        if let Some(text) = own {
            std::fs::write(place.path().join(USER_FILE), text).unwrap();
        }
        let refused = refuse(&machine, place.path()).is_err();
        assert_eq!(refused, is_refused, "{system:?} {own:?}");
    }

    #[test]
    fn nobody_approves_unsigned_where_signatures_are_required() {
        check(None, None, false);
        check(None, Some("approved = []"), false);
        check(None, Some("signers = ['ssh-ed25519 AAAA']"), true);
        check(None, Some("signers = [["), true);
        check(Some(""), None, true);
        check(Some("signers = []"), Some("approved = []"), true);
    }
}
