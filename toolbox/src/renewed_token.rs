//! A `RenewedToken`: the access token of a sign-in, renewed for all processes when its time ends.

use std::path::PathBuf;

use futures::future::{BoxFuture, FutureExt};
use tokio::sync::Mutex;
use tool_hub_host::{CredentialSource, NoValue};
use tool_hub_manifest::{Origin, VariableName};

use crate::credentials::Credentials;
use crate::oauth::{SignIn, SignInError};

/// The access token of a sign-in that is kept.
pub(crate) struct RenewedToken {
    file: PathBuf,
    name: VariableName,
    origin: Origin,
    last: Mutex<SignIn>,
}

impl RenewedToken {
    /// The token of `sign_in`, which `file` has for credential `name` and `origin`.
    pub(crate) fn new(file: PathBuf, name: VariableName, origin: Origin, sign_in: SignIn) -> Self {
        let last = Mutex::new(sign_in);
        Self {
            file,
            name,
            origin,
            last,
        }
    }

    /// The sign-in as it is now, renewed if that is due. A service may take each refresh token
    /// once, so one process renews at a time, and the others read what it got.
    async fn present(&self) -> Result<SignIn, NoValue> {
        let unreadable = |_| NoValue::Unreachable;
        let file = self.file.clone();
        let opened = tokio::task::spawn_blocking(move || Credentials::hold(file));
        let opened = opened.await.map_err(|_| NoValue::Unreachable)?;
        let mut held = opened.map_err(unreadable)?;
        let kept = held.credentials().sign_in(&self.name, &self.origin);
        let kept = kept.cloned().ok_or(NoValue::SignedOut)?;
        if kept.is_fresh() {
            return Ok(kept);
        }
        let renewed = kept.renewed().await.map_err(|error| match error {
            SignInError::SignedOut | SignInError::Refused => NoValue::SignedOut,
            _ => NoValue::Unreachable,
        })?;
        // What cannot be written is still good for this process.
        let _ = held.keep_sign_in(&self.name, &self.origin, renewed.clone());
        Ok(renewed)
    }
}

impl CredentialSource for RenewedToken {
    fn value(&self) -> BoxFuture<'_, Result<String, NoValue>> {
        async move {
            let mut last = self.last.lock().await;
            if !last.is_fresh() {
                *last = self.present().await?;
            }
            Ok(last.access_token().to_owned())
        }
        .boxed()
    }
}
