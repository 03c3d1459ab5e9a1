//! A `SigstoreServer` on the loopback address, with an issuer of identity tokens.

use serde_json::{Value, json};

use super::model_signing::python;
use super::published::get;
use crate::support::server::Server;
use crate::support::{Home, root};
use crate::trusted_publishing::{build_service, identity_with};

/// The workflow whose jobs the issuer knows, as certificates name it.
pub(crate) const WORKFLOW: &str =
    "https://forge.example/acme/forecast/.github/workflows/release.yml";

/// A Fulcio, a Rekor and, where it is asked for, a timestamp authority.
pub(crate) struct SigstoreServer {
    pub(crate) issuer: Server,
    server: Server,
}

impl SigstoreServer {
    /// Starts it, with `log_version clock` or less. What clients have to know of it is in the file
    /// `trust.json` of `home`.
    pub(crate) fn start(home: &Home, how: &str) -> Self {
        let issuer = build_service();
        let script = root().join("tests/it/signatures/sigstore_server.py");
        let mut command = python(home);
        command.arg(script).arg(issuer.url()).args(how.split(' '));
        let server = Server::start(command);
        Self { issuer, server }
    }

    /// A token of a job for `audience`.
    pub(crate) fn token(&self, audience: &str) -> String {
        self.token_with(&json!({ "aud": audience, "sub": "repo:acme/forecast" }))
    }

    pub(crate) fn token_with(&self, claims: &Value) -> String {
        identity_with(&self.issuer, claims)
    }

    /// Has it make one mistake from now on, or none.
    pub(crate) fn fail(&self, fault: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let url = format!("{}/set", self.server.url());
        runtime.expect("a runtime").block_on(async {
            let request = reqwest::Client::new().post(url);
            let answer = request.json(&json!({ "fault": fault })).send().await;
            assert!(answer.expect("an answer").status().is_success());
        });
    }

    /// The number of requests for certificates, entries, timestamps, and for anything else.
    pub(crate) fn asked(&self) -> [u64; 4] {
        let asked: Value = serde_json::from_slice(&get(self.server.url())).expect("JSON");
        ["certificates", "entries", "timestamps", "elsewhere"]
            .map(|kind| asked[kind].as_u64().expect("a number"))
    }
}
