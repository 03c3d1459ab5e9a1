//! A `KeyringItem`: one text in the keyring of the system, for what `credentials.toml` would hold.

use std::fmt;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use keyring::Entry;

/// The name under which keyrings list the item.
const SERVICE: &str = "tool-hub";
/// The wait for a keyring, which may ask its user to unlock it.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// The item that stands for one file of credentials.
#[derive(Debug, Clone)]
pub(crate) struct KeyringItem {
    /// The path of the file: each home directory has an item of its own.
    file: String,
}

/// A keyring did not do what was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is none, as on servers.
    #[error("this system has no keyring that can be reached from here")]
    Absent(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It refused, or it is locked.
    #[error("the keyring of the system refused it")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It did not answer.
    #[error("the keyring of the system did not answer within {} seconds", ANSWER_TIME_MAX.as_secs())]
    Silent,
}

impl KeyringItem {
    /// The item for the credentials that would be in `file`.
    pub(crate) fn of(file: &Path) -> Self {
        Self {
            file: file.display().to_string(),
        }
    }

    /// The text; `None` if there is no such item.
    pub(crate) fn read(&self) -> Result<Option<String>, KeyringError> {
        self.with(|entry| match entry.get_password() {
            Err(keyring::Error::NoEntry) => Ok(None),
            read => read.map(Some),
        })
    }

    /// Puts `text` in place of what there is.
    pub(crate) fn write(&self, text: String) -> Result<(), KeyringError> {
        self.with(move |entry| entry.set_password(&text))
    }

    /// Removes the item, if there is one.
    pub(crate) fn remove(&self) -> Result<(), KeyringError> {
        self.with(|entry| match entry.delete_credential() {
            Err(keyring::Error::NoEntry) => Ok(()),
            removed => removed,
        })
    }

    /// Uses the item on a thread of its own, which may wait for a person for as long as it likes.
    fn with<T: Send + 'static>(
        &self,
        use_it: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (done, used) = channel();
        let file = self.file.clone();
        std::thread::spawn(move || {
            let entry = Entry::new(SERVICE, &file).map_err(|_| absent());
            let result = entry.and_then(|entry| use_it(&entry).map_err(refused));
            // Whoever waited may have given up.
            let _ = done.send(result);
        });
        match used.recv_timeout(ANSWER_TIME_MAX) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(KeyringError::Silent)
            }
        }
    }
}

/// The reason why there is no keyring. The library tells it once for the process.
fn absent() -> KeyringError {
    let reason = match Entry::store_status() {
        Err(error) => error.to_string(),
        Ok(()) => "it cannot be used".to_owned(),
    };
    KeyringError::Absent(reason.into())
}

fn refused(error: keyring::Error) -> KeyringError {
    // Only the text: the error itself may hold what was read.
    let reason = match error {
        keyring::Error::BadEncoding(_) | keyring::Error::BadDataFormat(..) => {
            "what it holds is not what was put there".to_owned()
        }
        other => other.to_string(),
    };
    KeyringError::Refused(reason.into())
}

impl fmt::Display for KeyringItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{SERVICE}` for {}", self.file)
    }
}
