//! A `SignIn` as it is kept: the access token, what renews it, and the client that it was given to.

use std::fmt;
use std::time::Duration;

use oauth2::basic::{BasicClient, BasicTokenResponse};
use oauth2::{
    AuthType, ClientId, EndpointNotSet, EndpointSet, RefreshToken, TokenResponse, TokenUrl,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tool_hub_manifest::OAuthClient;

use super::error::SignInError;
use super::http;

/// The time before its end at which an access token is renewed.
const RENEWED_BEFORE: Duration = Duration::from_secs(60);

/// A client of the `oauth2` crate that asks for tokens.
pub(super) type TokenClient =
    BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// A sign-in of the user at a service.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    access_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// The end of the access token's time, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    /// The client, as the tool named it when the user signed in. A later version of the tool that
    /// names another service gets nothing of this one's.
    client: OAuthClient,
}

impl SignIn {
    pub(super) fn new(client: OAuthClient, given: &BasicTokenResponse) -> Self {
        let ends = given
            .expires_in()
            .map(|lasts| OffsetDateTime::now_utc() + lasts);
        let renewing = given.refresh_token().map(|token| token.secret().clone());
        Self {
            access_token: given.access_token().secret().clone(),
            refresh_token: renewing,
            expires_at: ends.map(OffsetDateTime::unix_timestamp),
            client,
        }
    }

    /// The access token.
    pub(crate) fn access_token(&self) -> &str {
        &self.access_token
    }

    /// The client that the tokens were given to.
    pub fn client(&self) -> &OAuthClient {
        &self.client
    }

    /// The end of the access token's time, if it has one.
    pub fn expires_at(&self) -> Option<OffsetDateTime> {
        let ends = OffsetDateTime::from_unix_timestamp(self.expires_at?);
        ends.ok()
    }

    /// True if the access token can be renewed without the user.
    pub fn is_renewable(&self) -> bool {
        self.refresh_token.is_some()
    }

    /// True if the access token is good for some time still.
    pub(crate) fn is_fresh(&self) -> bool {
        let needed = OffsetDateTime::now_utc() + RENEWED_BEFORE;
        self.expires_at
            .is_none_or(|ends| ends > needed.unix_timestamp())
    }

    /// The sign-in with a new access token.
    pub(crate) async fn renewed(&self) -> Result<Self, SignInError> {
        let token = self.refresh_token.clone().ok_or(SignInError::SignedOut)?;
        let token = RefreshToken::new(token);
        let client = token_client(&self.client);
        let asked = client.exchange_refresh_token(&token);
        let given = asked.request_async(&http::send).await;
        let given = given.map_err(SignInError::of)?;
        let mut renewed = Self::new(self.client.clone(), &given);
        // A service that gives no new one goes on taking the old one (RFC 6749, section 6).
        if renewed.refresh_token.is_none() {
            renewed.refresh_token = self.refresh_token.clone();
        }
        Ok(renewed)
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the tokens.
        f.debug_struct("SignIn")
            .field("client", &self.client)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

pub(super) fn token_client(client: &OAuthClient) -> TokenClient {
    BasicClient::new(ClientId::new(client.client_id().to_owned()))
        .set_auth_type(AuthType::RequestBody)
        .set_token_uri(TokenUrl::from_url(client.token_endpoint().clone()))
}
