//! The `Sigstore` that signs packages for an identity, with a key and certificate of minutes.
//!
//! Its services are asked by requests of this crate. `sigstore-sign` would hold whatever they
//! answer, however long, bring nine crates, and have every client here decompress answers.

pub mod error;

use std::path::Path;
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Request};
use serde_json::Value;
use tool_hub_agent::characters::escape_line;
use tool_hub_manifest::{Verified, is_this_machine};
use tool_hub_registry_client::{IdentityToken, SignatureFiles};
use tool_hub_signing::{
    KeylessSigning, SigningError, SigningServices, TRUSTED_ROOT_BYTES_MAX, Trust, TrustedRoot,
    VerifiedSigner,
};
use url::Url;

use crate::bounded_http;
use crate::error::Error;
use crate::files;
use crate::package_signature::covered;
use error::{KeylessError, SigstoreService};

/// The audience of an identity token that a Sigstore takes.
pub const AUDIENCE: &str = "sigstore";

/// The time that a service has for an answer. A log answers once it has the entry, which takes
/// Rekor v2 up to 20 seconds.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);
/// The longest text of a service that an error repeats, in characters.
const SERVICE_CHARACTERS_MAX: usize = 300;

/// A Sigstore, by the trust configuration of its clients.
#[derive(Debug)]
pub struct Sigstore {
    authority: Service,
    log: Service,
    clocks: Vec<Service>,
    services: SigningServices,
    root: TrustedRoot,
}

/// A service, by its kind and address.
#[derive(Debug)]
struct Service {
    kind: SigstoreService,
    url: Url,
}

impl Sigstore {
    /// Reads the trust configuration in a file, as `model_signing` takes it: JSON with a trusted
    /// root and the addresses of the services.
    ///
    /// # Errors
    /// [`Error::Read`], [`KeylessError::NotAConfig`], [`KeylessError::Address`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = files::read_regular(path, TRUSTED_ROOT_BYTES_MAX as u64);
        let text = text.map_err(files::unreadable(path))?;
        let refused = |source| KeylessError::NotAConfig {
            path: path.to_owned(),
            source,
        };
        let services = SigningServices::read(&text).map_err(refused)?;
        let root = TrustedRoot::read(&text).map_err(refused)?;
        let authority = &services.certificate_authority;
        let authority = Service::below(
            SigstoreService::CertificateAuthority,
            authority,
            "/api/v2/signingCert",
        )?;
        if authority.url.scheme() != "https" && !is_this_machine(&authority.url) {
            return Err(authority
                .address("an https URL, as an identity token goes there")
                .into());
        }
        let log = Service::below(
            SigstoreService::Log,
            &services.log,
            services.log_version.path(),
        )?;
        let clocks = services.timestamp_authorities.iter();
        let clocks = clocks.map(|url| Service::below(SigstoreService::TimestampAuthority, url, ""));
        Ok(Self {
            authority,
            log,
            clocks: clocks.collect::<Result<_, _>>()?,
            services,
            root,
        })
    }

    /// Signs `package`, its `card` and its `attestations` as whom `token` names, and verifies the
    /// result under the root of this Sigstore. The key is made for it, and gone afterwards.
    ///
    /// # Errors
    /// [`KeylessError`], also where the result is no signature that counts.
    pub async fn sign(
        &self,
        package: &Verified,
        (card, attestations): (&[u8], Option<Vec<u8>>),
        token: &IdentityToken,
    ) -> Result<(SignatureFiles, VerifiedSigner), Error> {
        let mut files = SignatureFiles {
            card: Some(card.to_vec()),
            attestations,
            ..SignatureFiles::default()
        };
        let covered = covered(&files, package);
        let failed = KeylessError::NotSigned;
        let signing = KeylessSigning::of(&covered).map_err(failed)?;
        let request = signing
            .certificate_request(token.expose())
            .map_err(failed)?;
        let answer = self.authority.ask(request).await?;
        let signed = signing.certified(&answer, &self.root);
        let signed = signed.map_err(|error| self.authority.wrong_answer(error))?;
        let mut timestamps = Vec::new();
        for clock in &self.clocks {
            timestamps.push(clock.ask(signed.timestamp_request()).await?);
        }
        let version = self.services.log_version;
        let request = signed.log_request(version).map_err(failed)?;
        let answer = self.log.ask(request).await?;
        let bundle = signed.with_proofs(version, &answer, timestamps);
        let bundle = bundle.map_err(|error| self.log.wrong_answer(error))?;
        let trust = Trust {
            keys: &[],
            roots: &[&self.root],
            at: SystemTime::now(),
        };
        let signer = VerifiedSigner::check(&bundle, &covered, &trust);
        let signer = signer.map_err(KeylessError::NotProved)?;
        files.bundle = Some(bundle);
        Ok((files, signer))
    }
}

impl Service {
    /// The service whose requests go to `path` below the address `base`.
    fn below(kind: SigstoreService, base: &str, path: &str) -> Result<Self, KeylessError> {
        let base = match path {
            "" => base,
            _ => base.trim_end_matches('/'),
        };
        let refused = |url: &str| KeylessError::Address {
            service: kind,
            url: bounded(url),
            expected: "an http or https URL without user, query and fragment",
        };
        let url: Url = format!("{base}{path}").parse().map_err(|_| refused(base))?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        let is_plain = is_plain && url.query().is_none() && url.fragment().is_none();
        match matches!(url.scheme(), "http" | "https") && is_plain {
            true => Ok(Self { kind, url }),
            // Without what may be a password.
            false => Err(refused(url.host_str().unwrap_or_default())),
        }
    }

    /// Sends it a message, and returns its answer if it did not refuse.
    async fn ask(&self, message: Vec<u8>) -> Result<Vec<u8>, KeylessError> {
        let (sent, taken) = match self.kind {
            SigstoreService::TimestampAuthority => {
                ("application/timestamp-query", "application/timestamp-reply")
            }
            _ => ("application/json", "application/json"),
        };
        let mut request = Request::new(Method::POST, self.url.clone());
        *request.headers_mut() = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static(sent)),
            (ACCEPT, HeaderValue::from_static(taken)),
        ]);
        *request.body_mut() = Some(message.into());
        let answer = bounded_http::send(request, ANSWER_TIME_MAX).await;
        let answer = answer.map_err(|source| KeylessError::NoAnswer {
            service: self.kind,
            url: bounded(self.url.as_str()),
            source,
        })?;
        match answer.status.is_success() {
            true => Ok(answer.body),
            false => Err(KeylessError::Refused {
                service: self.kind,
                url: bounded(self.url.as_str()),
                status: answer.status.as_u16(),
                answer: words(&answer.body),
            }),
        }
    }

    fn wrong_answer(&self, source: SigningError) -> KeylessError {
        KeylessError::WrongAnswer {
            service: self.kind,
            url: bounded(self.url.as_str()),
            source,
        }
    }

    fn address(&self, expected: &'static str) -> KeylessError {
        KeylessError::Address {
            service: self.kind,
            url: bounded(self.url.as_str()),
            expected,
        }
    }
}

/// The message in a refusal, which is JSON of Fulcio and Rekor, or else all of it.
fn words(body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    let json = serde_json::from_str::<Value>(&body).ok();
    let message = json.as_ref().and_then(|json| json["message"].as_str());
    bounded(message.unwrap_or(&body))
}

fn bounded(text: &str) -> String {
    let shown: String = text.trim().chars().take(SERVICE_CHARACTERS_MAX).collect();
    escape_line(&shown)
}
