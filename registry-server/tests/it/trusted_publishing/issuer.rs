//! The build service of the tests: a process of Python that signs tokens with PyJWT.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tool_hub_registry_server::TrustedIssuer;

use super::{AUDIENCE, packages};

/// A running build service. It ends when it goes out of scope.
pub(super) struct Issuer {
    process: Child,
    url: String,
    http: reqwest::Client,
}

impl Issuer {
    /// Starts one. A test fails where its packages cannot be had: it would show nothing.
    pub(super) async fn start() -> Self {
        tokio::task::spawn_blocking(Self::start_process)
            .await
            .unwrap()
    }

    fn start_process() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let installed = packages::python(&["PyJWT==2.15.1", "cryptography==50.0.2"]);
        let mut process = Command::new("python3")
            .arg(root.join("tests/clients/identity_issuer.py"))
            .env("PYTHONPATH", installed)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let url = line.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line:?}");
        Self {
            process,
            url,
            http: reqwest::Client::new(),
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The issuer, as an operator trusts it.
    pub(super) fn trusted(&self, service: &str) -> TrustedIssuer {
        format!("{service}={}", self.url).parse().unwrap()
    }

    /// A token for the registry, signed in this way, with more claims.
    pub(super) async fn sign(&self, how: &str, claims: Value) -> String {
        self.sign_with(how, claims, json!({})).await
    }

    pub(super) async fn sign_with(&self, how: &str, mut claims: Value, head: Value) -> String {
        if claims.get("aud").is_none() {
            claims["aud"] = json!(AUDIENCE);
        }
        let body = json!({ "how": how, "claims": claims, "header": head });
        self.post("/sign", &body).await
    }

    /// Changes what the service says of itself.
    pub(super) async fn say(&self, said: &Value) {
        self.post("/set", said).await;
    }

    /// The number of times that something was asked for.
    pub(super) async fn asked(&self, what: &str) -> u64 {
        let asked: Value = serde_json::from_str(&self.get("/asked").await).unwrap();
        asked[what].as_u64().unwrap()
    }

    /// The document with its keys.
    pub(super) async fn keys(&self) -> String {
        self.get("/keys").await
    }

    async fn get(&self, path: &str) -> String {
        let sent = self.http.get(format!("{}{path}", self.url)).send().await;
        sent.unwrap().text().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> String {
        let request = self.http.post(format!("{}{path}", self.url)).json(body);
        request.send().await.unwrap().text().await.unwrap()
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
