//! Verifies an identity token: issuer, key, signature, audience and times.

use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use super::build_identity::BuildIdentity;
use super::claims::Claims;
use super::fault::TokenFault;
use super::key_source::KeySource;
use crate::clock;
use crate::config::TrustedIssuer;

/// Longest token that is read.
const TOKEN_BYTES_MAX: usize = 16 << 10;
/// The difference between the clocks of an issuer and of this machine that is forgiven.
const LEEWAY_SECONDS: i64 = 30;
/// Longest time between `iat` and `exp`; a used token is remembered for so long.
const LIFETIME_SECONDS_MAX: i64 = 24 * 60 * 60;
/// Longest `jti` and longest name of an issuer.
const ID_BYTES_MAX: usize = 256;

/// Verifies the tokens of the trusted issuers that are made for this registry.
pub(crate) struct IdentityVerifier {
    issuers: Vec<KeySource>,
    audience: String,
}

#[derive(Deserialize)]
struct Unverified {
    iss: String,
}

impl IdentityVerifier {
    /// A verifier for the registry at this public URL, which is the audience of its tokens.
    pub(crate) fn new(issuers: Vec<TrustedIssuer>, public_url: &Url) -> Self {
        Self {
            issuers: issuers.into_iter().map(KeySource::new).collect(),
            audience: public_url.as_str().trim_end_matches('/').to_owned(),
        }
    }

    /// The issuers.
    pub(crate) fn issuers(&self) -> impl Iterator<Item = &TrustedIssuer> {
        self.issuers.iter().map(KeySource::issuer)
    }

    /// The identity that a token says, if all of it is right. That it is used once is not checked
    /// here.
    pub(crate) async fn verify(&self, token: &str) -> Result<BuildIdentity, TokenFault> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(TokenFault::TooLong(TOKEN_BYTES_MAX));
        }
        let header = decode_header(token).map_err(|_| TokenFault::NotAToken)?;
        if header.crit.is_some() {
            return Err(TokenFault::CriticalHeader);
        }
        let key_id = header.kid.ok_or(TokenFault::NoKeyId)?;
        // It only chooses among the issuers that the operator named, and is verified below.
        let named: Unverified =
            insecure_decode_claims(token).map_err(|_| TokenFault::Claim("iss"))?;
        let mut issuers = self.issuers.iter();
        let source = issuers
            .find(|source| source.issuer().as_str() == named.iss)
            .ok_or_else(|| {
                TokenFault::UnknownIssuer(named.iss.chars().take(ID_BYTES_MAX).collect())
            })?;
        let key = source.find(&key_id).await?;
        if header.alg != key.algorithm {
            return Err(TokenFault::WrongAlgorithm);
        }
        let issuer = source.issuer();
        let mut validation = Validation::new(key.algorithm);
        validation.leeway = LEEWAY_SECONDS.unsigned_abs();
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(&[issuer.as_str()]);
        validation.set_audience(&[&self.audience]);
        let decoded = decode::<Map<String, Value>>(token, &key.key, &validation);
        let claims = decoded.map_err(|error| self.fault(error.kind()))?.claims;
        // A token with several audiences could be used at each of them by any other of them.
        if claims.get("aud").and_then(Value::as_str) != Some(&self.audience) {
            return Err(TokenFault::WrongAudience(self.audience.clone()));
        }
        let claims = Claims {
            issuer: issuer.as_str(),
            jti: token_id(&claims)?,
            expires_ms: expiry_ms(&claims)?,
            members: &claims,
        };
        claims.identity(issuer.service())
    }

    fn fault(&self, kind: &ErrorKind) -> TokenFault {
        match kind {
            ErrorKind::ExpiredSignature => TokenFault::Expired,
            ErrorKind::ImmatureSignature => TokenFault::NotYetValid,
            ErrorKind::InvalidAudience => TokenFault::WrongAudience(self.audience.clone()),
            ErrorKind::InvalidIssuer => TokenFault::Claim("iss"),
            ErrorKind::InvalidAlgorithm => TokenFault::WrongAlgorithm,
            ErrorKind::MissingRequiredClaim(name) if name == "exp" => TokenFault::Claim("exp"),
            ErrorKind::MissingRequiredClaim(name) if name == "aud" => TokenFault::Claim("aud"),
            _ => TokenFault::WrongSignature,
        }
    }
}

fn token_id(claims: &Map<String, Value>) -> Result<String, TokenFault> {
    let id = claims.get("jti").and_then(Value::as_str);
    id.filter(|id| !id.is_empty() && id.len() <= ID_BYTES_MAX)
        .filter(|id| !id.chars().any(char::is_control))
        .map(str::to_owned)
        .ok_or(TokenFault::Claim("jti"))
}

/// The time from which on nothing takes the token any more.
fn expiry_ms(claims: &Map<String, Value>) -> Result<i64, TokenFault> {
    let seconds = |name: &'static str| {
        let value = claims.get(name).and_then(Value::as_i64);
        value
            .filter(|value| (0..=i64::MAX / 2_000).contains(value))
            .ok_or(TokenFault::Claim(name))
    };
    let (issued, expires) = (seconds("iat")?, seconds("exp")?);
    if issued > clock::now_ms() / 1_000 + LEEWAY_SECONDS {
        return Err(TokenFault::NotYetValid);
    }
    if expires - issued > LIFETIME_SECONDS_MAX {
        return Err(TokenFault::LivesTooLong);
    }
    Ok((expires + LEEWAY_SECONDS) * 1_000)
}
