//! A `DeviceSignIn`: what a person opens and enters elsewhere, and the wait for them to do so.

use std::time::Duration;

use oauth2::{DeviceAuthorizationUrl, Scope, StandardDeviceAuthorizationResponse};
use tool_hub_manifest::OAuthClient;

use super::error::SignInError;
use super::http;
use super::sign_in::{SignIn, token_client};

/// The longest wait for a person, whatever the service allows.
const WAIT_MAX: Duration = Duration::from_secs(30 * 60);

/// A sign-in that waits for a person, who opens an address and enters a code there.
pub struct DeviceSignIn {
    client: OAuthClient,
    asked: StandardDeviceAuthorizationResponse,
}

impl DeviceSignIn {
    /// Asks the service of `client` for a code.
    ///
    /// # Errors
    /// The service gives none.
    pub async fn begin(client: OAuthClient) -> Result<Self, SignInError> {
        let endpoint = client.device_authorization_endpoint().clone();
        let asking = token_client(&client)
            .set_device_authorization_url(DeviceAuthorizationUrl::from_url(endpoint));
        let scopes = client.scopes().iter().cloned().map(Scope::new);
        let request = asking.exchange_device_code().add_scopes(scopes);
        let asked = request.request_async(&http::send).await;
        let asked = asked.map_err(SignInError::of)?;
        Ok(Self { client, asked })
    }

    /// The address that the person opens. It is the service's text.
    pub fn address(&self) -> &str {
        self.asked.verification_uri()
    }

    /// The code that they enter there. It is the service's text.
    pub fn code(&self) -> &str {
        self.asked.user_code().secret()
    }

    /// The time that they have.
    pub fn lasts(&self) -> Duration {
        self.asked.expires_in().min(WAIT_MAX)
    }

    /// Waits until they have done so.
    ///
    /// # Errors
    /// They refuse, the time is over, or the service gives no token.
    pub async fn wait(self) -> Result<SignIn, SignInError> {
        let client = token_client(&self.client);
        let request = client.exchange_device_access_token(&self.asked);
        let lasts = self.lasts();
        let given = request.request_async(&http::send, tokio::time::sleep, Some(lasts));
        let given = given.await.map_err(SignInError::of)?;
        Ok(SignIn::new(self.client, &given))
    }
}

impl std::fmt::Debug for DeviceSignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceSignIn")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
