//! A build service whose keys are in a file, and the identity tokens of its jobs, signed here.
//! Nothing but this crate is needed for them, in place of the service of other tests in Python.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::{IssuerKeys, RegistryConfig, TrustedIssuer};

use crate::support::TestRegistry;

const AUDIENCE: &str = "https://tools.example.com";
const ISSUER: &str = "https://git.example.com";
const KEY_ID: &str = "of-a-file";
const EXCHANGE: &str = "/api/trusted-publishing/token";
/// The private key and the two halves of the public one, of RFC 7517, appendix A.2.
const KEY: [&str; 3] = [
    "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
    "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
];
/// The parts of a PKCS #8 document before the private key and before the public one.
const PRIVATE: [u8; 36] = [
    0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
    0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x6d, 0x30, 0x6b, 0x02,
    0x01, 0x01, 0x04, 0x20,
];
const PUBLIC: [u8; 6] = [0xa1, 0x44, 0x03, 0x42, 0x00, 0x04];

/// Makes a registry trust the build service.
pub(crate) fn trust(config: &mut RegistryConfig) {
    let [_, x, y] = KEY;
    let keys = json!({ "keys": [{
        "kty": "EC", "crv": "P-256", "use": "sig", "kid": KEY_ID, "x": x, "y": y,
    }] });
    let path = config.directory.with_file_name("keys.json");
    std::fs::write(&path, keys.to_string()).unwrap();
    let mut issuer: TrustedIssuer = format!("github={ISSUER}").parse().unwrap();
    issuer.keys = IssuerKeys::File(path);
    config.public_url = Some(AUDIENCE.parse().unwrap());
    config.trusted_issuers = vec![issuer];
}

/// Lets the jobs publish to a repository of alice's.
pub(crate) async fn allow(hub: &TestRegistry, repo: &str) {
    let path = format!("/api/models/{repo}/publishers");
    let body = json!({
        "issuer": ISSUER, "repository": "acme/forecast", "workflow": "release.yml",
    });
    let added = hub.send_json(Method::POST, &path, &hub.alice, body).await;
    assert_eq!(added.status(), 200);
}

/// The identity token of a job, with an id that counts once.
pub(crate) fn identity(id: &str) -> String {
    let [private, x, y] = KEY.map(|part| BASE64URL_NOPAD.decode(part.as_bytes()).unwrap());
    let key = [&PRIVATE[..], &private, &PUBLIC, &x, &y].concat();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let claims = json!({
        "iss": ISSUER, "aud": AUDIENCE, "iat": now, "nbf": now, "exp": now + 300, "jti": id,
        "event_name": "push", "repository": "acme/forecast", "repository_owner_id": "65",
        "job_workflow_ref": "acme/forecast/.github/workflows/release.yml@refs/heads/main",
        "ref": "refs/heads/main", "sha": "0123456789abcdef0123456789abcdef01234567",
    });
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some(KEY_ID.to_owned());
    encode(&header, &claims, &EncodingKey::from_ec_der(&key)).unwrap()
}

/// The status and the answer to an identity token.
pub(crate) async fn exchange(hub: &TestRegistry, repo: &str, identity: &str) -> (u16, Value) {
    let request = hub.request(Method::POST, EXCHANGE, None);
    let body = json!({ "repo": repo, "token": identity });
    let answer = request.body(body.to_string()).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// The token for an identity token that is right.
pub(crate) async fn token(hub: &TestRegistry, repo: &str, id: &str) -> String {
    let (status, answer) = exchange(hub, repo, &identity(id)).await;
    assert_eq!(status, 200, "{answer}");
    answer["token"].as_str().unwrap().to_owned()
}

/// Ends a token that was made for a job.
pub(crate) async fn end(hub: &TestRegistry, token: &str) {
    let request = hub.request(Method::DELETE, EXCHANGE, Some(token));
    assert_eq!(request.send().await.unwrap().status(), 200);
}
