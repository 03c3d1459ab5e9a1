//! Test support: a running registry with users for one test, and requests to it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tool_hub_registry_server::{
    Downloads, Limits, MemberRole, Registry, RegistryConfig, StorageAddress, TokenRole, serve,
};

use crate::backends::{self, Backend};

/// A running registry with the users alice and bob and the organisation acme, of which alice is an
/// administrator and carol may read.
pub(crate) struct TestRegistry {
    pub(crate) registry: Registry,
    pub(crate) endpoint: String,
    pub(crate) alice: String,
    pub(crate) bob: String,
    pub(crate) carol: String,
    pub(crate) directory: Arc<TempDir>,
    /// With this the registry can be opened once more.
    pub(crate) config: RegistryConfig,
    /// The place of its data, when it is not in the directory.
    pub(crate) place: Option<Backend>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
    client: reqwest::Client,
}

impl TestRegistry {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| ()).await
    }

    pub(crate) async fn start_with(configure: impl FnOnce(&mut Limits)) -> Self {
        Self::start_at(Ipv4Addr::LOCALHOST.into(), configure).await
    }

    pub(crate) async fn start_at(address: IpAddr, configure: impl FnOnce(&mut Limits)) -> Self {
        Self::start_as(Backend::wanted(), None, address, |config| {
            configure(&mut config.limits)
        })
        .await
    }

    pub(crate) async fn start_configured(configure: impl FnOnce(&mut RegistryConfig)) -> Self {
        Self::start_as(
            Backend::wanted(),
            None,
            Ipv4Addr::LOCALHOST.into(),
            configure,
        )
        .await
    }

    /// Starts a registry in a place, or in a directory.
    #[allow(dead_code, reason = "the tests of several servers use it")]
    pub(crate) async fn start_in(
        place: Option<Backend>,
        configure: impl FnOnce(&mut Limits),
    ) -> Self {
        Self::start_as(place, None, Ipv4Addr::LOCALHOST.into(), |config| {
            configure(&mut config.limits)
        })
        .await
    }

    /// Starts one in a directory, whatever place other tests use.
    #[allow(dead_code, reason = "the tests of several servers use it")]
    pub(crate) async fn start_in_directory(configure: impl FnOnce(&mut RegistryConfig)) -> Self {
        Self::start_as(None, None, Ipv4Addr::LOCALHOST.into(), configure).await
    }

    /// Keeps database and files in a directory that somebody else takes care of, whatever place
    /// other tests use.
    #[allow(dead_code, reason = "the test of a full disk uses it")]
    pub(crate) async fn start_below(path: &Path, configure: impl FnOnce(&mut Limits)) -> Self {
        Self::start_as(None, Some(path), Ipv4Addr::LOCALHOST.into(), |config| {
            configure(&mut config.limits)
        })
        .await
    }

    async fn start_as(
        place: Option<Backend>,
        files: Option<&Path>,
        address: IpAddr,
        configure: impl FnOnce(&mut RegistryConfig),
    ) -> Self {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let files = files.map_or_else(|| directory.path().join("registry"), Path::to_path_buf);
        let mut config = match &place {
            // What clients do with redirects is tested on its own.
            Some(place) => place.config(&files, Downloads::Proxy),
            None => RegistryConfig::new(files),
        };
        configure(&mut config);
        let registry = Registry::open(config.clone()).await.unwrap();
        for user in ["alice", "bob", "carol"] {
            registry.add_user(user, None).await.unwrap();
        }
        registry.add_organisation("acme").await.unwrap();
        registry
            .add_member("acme", "alice", MemberRole::Admin)
            .await
            .unwrap();
        registry
            .add_member("acme", "carol", MemberRole::Read)
            .await
            .unwrap();
        let (alice, bob, carol) = (
            token(&registry, "alice", TokenRole::Write).await,
            token(&registry, "bob", TokenRole::Write).await,
            token(&registry, "carol", TokenRole::Write).await,
        );
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let served = registry.clone();
        let serving = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            serve(listener, served, stopped).await.unwrap();
        });
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self {
            registry,
            endpoint,
            alice,
            bob,
            carol,
            directory,
            config,
            place,
            stop: Some(stop),
            serving: Some(serving),
            client,
        }
    }

    /// The same registry and users at another address.
    #[allow(dead_code, reason = "the tests of several servers use it")]
    pub(crate) fn through(&self, endpoint: &str) -> Self {
        Self {
            registry: self.registry.clone(),
            endpoint: endpoint.to_owned(),
            alice: self.alice.clone(),
            bob: self.bob.clone(),
            carol: self.carol.clone(),
            directory: Arc::clone(&self.directory),
            config: self.config.clone(),
            place: self.place.clone(),
            stop: None,
            serving: None,
            client: self.client.clone(),
        }
    }

    /// The directory of uploads that are arriving.
    pub(crate) fn incoming(&self) -> PathBuf {
        let below = match self.config.storage {
            StorageAddress::Directory => "content/incoming",
            _ => "incoming",
        };
        self.config.directory.join(below)
    }

    /// The files that the content store keeps under keys with this beginning.
    pub(crate) fn kept(&self, below: &str) -> Vec<PathBuf> {
        let root = match &self.place {
            Some(place) => backends::bucket_files(place),
            None => self.config.directory.join("content"),
        };
        assert!(root.is_dir(), "{} is no directory", root.display());
        files_below(&root.join(below))
    }

    /// The file in which the registry, or the server of its bucket, keeps these bytes.
    #[allow(dead_code, reason = "not every target looks at files")]
    pub(crate) fn object(&self, bytes: &[u8]) -> PathBuf {
        let hex = hex(bytes);
        let content = match &self.place {
            Some(place) => backends::bucket_files(place),
            None => self.config.directory.join("content"),
        };
        let below = format!("sha256/{}/{}/{hex}", &hex[..2], &hex[2..4]);
        content.join(below)
    }

    /// A configuration for another registry of the same kind.
    #[allow(dead_code, reason = "not every target opens several registries")]
    pub(crate) fn elsewhere(&self, name: &str) -> RegistryConfig {
        self.room(name).1
    }

    fn room(&self, name: &str) -> (Option<Backend>, RegistryConfig) {
        let (place, directory) = (Backend::wanted(), self.directory.path().join(name));
        let config = match &place {
            Some(place) => place.config(&directory, Downloads::Proxy),
            None => RegistryConfig::new(directory),
        };
        (place, config)
    }

    /// Another registry of the same kind, which is empty and not served.
    #[allow(dead_code, reason = "not every target opens several registries")]
    pub(crate) async fn beside(&self, name: &str) -> Self {
        let (place, config) = self.room(name);
        Self {
            registry: Registry::open(config.clone()).await.unwrap(),
            config,
            place,
            ..self.through("")
        }
    }

    /// A registry that is restored from this `backup`, which is of this one.
    #[allow(dead_code, reason = "not every target opens several registries")]
    pub(crate) async fn restored_from(&self, backup: &Path) -> Self {
        let config = self.elsewhere("restored");
        Registry::restore(backup, config.clone()).await.unwrap();
        let registry = Registry::open(config).await.unwrap();
        Self {
            endpoint: serve_on_a_port(&registry).await,
            registry,
            ..self.through("")
        }
    }

    /// All that the database has written down.
    pub(crate) fn stored_metadata(&self) -> Vec<u8> {
        let Some(place) = &self.place else {
            let files = ["registry.sqlite", "registry.sqlite-wal"];
            let read = files.map(|file| std::fs::read(self.config.directory.join(file)).unwrap());
            return read.concat();
        };
        backends::dump(place)
    }

    /// Runs a statement directly on the database, as an operator may.
    #[allow(dead_code, reason = "not every target meddles")]
    pub(crate) async fn run_sql(&self, statement: impl sqlx::SqlSafeStr) -> Result<(), String> {
        use sqlx::Connection as _;
        let url = match &self.place {
            Some(place) => place.database.clone(),
            None => format!(
                "sqlite://{}",
                self.config.directory.join("registry.sqlite").display()
            ),
        };
        let mut connection = sqlx::AnyConnection::connect(&url).await.unwrap();
        let done = sqlx::query(statement).execute(&mut connection).await;
        connection.close().await.unwrap();
        done.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Stops the server and waits until its last request is answered.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(serving) = self.serving.take() {
            serving.await.unwrap();
        }
    }

    pub(crate) fn request(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
    ) -> RequestBuilder {
        let request = self
            .client
            .request(method, format!("{}{path}", self.endpoint));
        match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// A request of alice's.
    pub(crate) async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path, Some(&self.alice))
            .send()
            .await
            .unwrap()
    }

    pub(crate) async fn get_json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    pub(crate) async fn send_json(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Value,
    ) -> Response {
        self.request(method, path, Some(token))
            .json(&body)
            .send()
            .await
            .unwrap()
    }

    pub(crate) async fn create(&self, id: &str) {
        self.create_with(id, json!({})).await;
    }

    pub(crate) async fn create_with(&self, id: &str, more: Value) {
        let mut body = json!({"name": id});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let response = self
            .send_json(Method::POST, "/api/repos/create", &self.alice, body)
            .await;
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    }

    /// Sends a commit body to `main` as alice.
    pub(crate) async fn send_commit(&self, id: &str, body: impl Into<reqwest::Body>) -> Response {
        let path = format!("/api/models/{id}/commit/main");
        let request = self
            .request(Method::POST, &path, Some(&self.alice))
            .header("content-type", "application/x-ndjson");
        request.body(body).send().await.unwrap()
    }

    /// Commits files to `main` and gives back the id of the commit.
    pub(crate) async fn commit(&self, id: &str, title: &str, files: &[(&str, &[u8])]) -> String {
        let mut body = header(title);
        for (path, content) in files {
            body += &file(path, content);
        }
        let response = self.send_commit(id, body).await;
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
        let answer: Value = response.json().await.unwrap();
        answer["commitOid"].as_str().unwrap().to_owned()
    }
}

pub(crate) async fn token(registry: &Registry, user: &str, role: TokenRole) -> String {
    registry
        .create_token(user, "test", role, None)
        .await
        .unwrap()
        .secret
        .expose()
        .to_owned()
}

/// The SHA-256 of these bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Serves a registry until the test ends, and tells its address.
#[allow(dead_code, reason = "not every target opens several registries")]
pub(crate) async fn serve_on_a_port(registry: &Registry) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, registry.clone(), std::future::pending()));
    endpoint
}

/// A stranger's request with these headers.
pub(crate) async fn ask(
    hub: &TestRegistry,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
) -> Response {
    let mut request = hub.request(method, path, None);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

/// A header that an answer must have.
#[track_caller]
pub(crate) fn header_value<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    let value = value.unwrap_or_else(|| panic!("no {name}"));
    value.to_str().unwrap()
}

/// The header line of a commit.
pub(crate) fn header(title: &str) -> String {
    format!(
        "{}\n",
        json!({"key": "header", "value": {"summary": title, "description": ""}})
    )
}

/// The line of a file.
pub(crate) fn file(path: &str, content: &[u8]) -> String {
    format!(
        "{}\n",
        json!({"key": "file", "value": {"content": STANDARD.encode(content), "path": path, "encoding": "base64"}})
    )
}

/// The line of a deletion.
pub(crate) fn deletion(key: &str, path: &str) -> String {
    format!("{}\n", json!({"key": key, "value": {"path": path}}))
}

/// Status, error code and error text of a refusal, after checking that header, body and request id
/// are as clients need them.
pub(crate) async fn refusal(response: Response) -> (u16, String, String) {
    let status = response.status().as_u16();
    let of = |name: &str| {
        response
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    let (code, message, request_id) = (
        of("x-error-code").unwrap_or_default(),
        of("x-error-message"),
        of("x-request-id"),
    );
    assert!(request_id.is_some_and(|id| id.len() == 32), "no request id");
    assert_eq!(of("content-type").as_deref(), Some("application/json"));
    let body: Value = response.json().await.unwrap();
    let text = body["error"].as_str().unwrap().to_owned();
    assert!(message.is_some(), "no message in the header");
    (status, code, text)
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[track_caller]
pub(crate) fn paths(tree: &Value) -> Vec<&str> {
    tree.as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect()
}

/// The number of these requests, sent together, that were answered with each status.
#[allow(dead_code, reason = "the tests of one server use it")]
pub(crate) async fn statuses(
    requests: impl IntoIterator<Item = impl Future<Output = Response>>,
) -> BTreeMap<u16, usize> {
    let mut statuses = BTreeMap::new();
    for response in futures::future::join_all(requests).await {
        *statuses.entry(response.status().as_u16()).or_default() += 1;
    }
    statuses
}

/// The path of the page after this one.
#[allow(dead_code, reason = "the tests of one server use it")]
pub(crate) fn next_page(hub: &TestRegistry, response: &Response) -> Option<String> {
    let link = response.headers().get("link")?.to_str().unwrap();
    let url = link.trim_start_matches('<').split('>').next().unwrap();
    Some(url.strip_prefix(&hub.endpoint).unwrap().to_owned())
}
