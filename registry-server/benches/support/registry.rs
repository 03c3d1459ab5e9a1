//! Starts a registry in a process of its own, creates repositories in it and commits to them.
//!
//! The process is this very program, started with other arguments.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tool_hub_registry_server::{
    DatabaseAddress, Registry, RegistryConfig, RegistryError, TokenRole, serve,
};

/// The first argument of a server.
const ROLE: &str = "--serve-a-registry";
/// The owner of the repositories that the benchmarks make.
pub(crate) const OWNER: &str = "bench";

/// A running server. It ends with this value.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    token: String,
    child: Child,
    client: reqwest::Client,
}

impl Server {
    /// Serves the registry in `directory`, with its metadata in `database` when one is named.
    pub(crate) fn start(directory: &Path, database: Option<&str>) -> Self {
        let program = std::env::current_exe().expect("a program");
        let mut child = Command::new(program)
            .arg(ROLE)
            .arg(directory)
            .args(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts once more");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let address = line(&mut output);
        Self {
            address: address.parse().expect("an address"),
            token: line(&mut output),
            child,
            client: reqwest::Client::new(),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) async fn create(&self, name: &str) {
        let body = json!({ "name": format!("{OWNER}/{name}") }).to_string();
        self.post("/api/repos/create", body).await;
    }

    /// Commits to the branch `main`.
    pub(crate) async fn commit(&self, name: &str, body: impl Into<reqwest::Body>) {
        let path = format!("/api/models/{OWNER}/{name}/commit/main");
        self.post(&path, body).await;
    }

    /// Tags the head of `main`.
    pub(crate) async fn tag(&self, name: &str, tag: &str) {
        let path = format!("/api/models/{OWNER}/{name}/tag/main");
        self.post(&path, json!({ "tag": tag }).to_string()).await;
    }

    async fn post(&self, path: &str, body: impl Into<reqwest::Body>) {
        let url = format!("http://{}{path}", self.address);
        let request = self.client.post(url).bearer_auth(&self.token).body(body);
        let response = request.send().await.expect("an answer");
        let status = response.status();
        let text = response.text().await.expect("an answer's text");
        assert_eq!(status, 200, "{path}: {text}");
    }

    /// The answer to a stranger.
    pub(crate) async fn get_json(&self, path: &str) -> Value {
        let url = format!("http://{}{path}", self.address);
        let response = self.client.get(url).send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        let bytes = response.bytes().await.expect("a whole answer");
        serde_json::from_slice(&bytes).expect("JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input ends, and with that the process, in order.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).expect("the server speaks");
    line.trim().to_owned()
}

/// The first line of a commit.
pub(crate) fn header(title: &str) -> String {
    let header = json!({"key": "header", "value": {"summary": title, "description": ""}});
    format!("{header}\n")
}

/// The line of a file.
pub(crate) fn file(path: &str, content: &[u8]) -> String {
    let content = STANDARD.encode(content);
    let value = json!({"content": content, "path": path, "encoding": "base64"});
    format!("{}\n", json!({"key": "file", "value": value}))
}

/// Serves, when this process was started to do so.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != ROLE {
        return None;
    }
    let mut config = RegistryConfig::new(arguments.next()?);
    if let Some(url) = arguments.next() {
        let database: DatabaseAddress = url.parse().expect("the address of a database");
        config.database = database;
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    Some(match runtime.block_on(run(config)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => panic!("{error:?}"),
    })
}

async fn run(config: RegistryConfig) -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::open(config).await?;
    match registry.add_user(OWNER, None).await {
        Ok(()) | Err(RegistryError::NameTaken { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let token = registry
        .create_token(OWNER, "bench", TokenRole::Write, None)
        .await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    println!("{}", token.secret.expose());
    let parent_ended = tokio::task::spawn_blocking(|| {
        let _ = std::io::stdin().read(&mut [0]);
    });
    let stop = async {
        let _ = parent_ended.await;
    };
    serve(listener, registry.clone(), stop).await?;
    registry.close().await;
    Ok(())
}
