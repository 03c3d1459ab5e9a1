//! Helpers of the tests: packages, clients, a scratch directory, a recorder of progress.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified};
use tool_hub_registry_client::{
    Client, ClientConfig, ClientError, Progress, Push, PushReport, Silent, Store, Visibility,
};

use crate::registry::{Registry, TOKEN};

/// A package of the tool `demo` whose component is `component`.
pub(crate) fn package(version: &str, component: &[u8]) -> Package {
    let mut manifest = Manifest::new("demo".parse().unwrap(), version.parse().unwrap());
    manifest.component = Some(ComponentClaim::of(component));
    Package {
        manifest: manifest.to_toml().into_bytes(),
        component: component.to_vec(),
        interpreter: None,
        sbom: None,
    }
}

pub(crate) fn verified(version: &str, component: &[u8]) -> Verified {
    Verified::check(package(version, component)).unwrap()
}

/// Waits for nothing longer than a test should.
pub(crate) fn config(registry: &Registry) -> ClientConfig {
    let mut config = ClientConfig::new(registry.url(), "tool-hub-test/1");
    config.timeouts.connect = Duration::from_secs(5);
    config.timeouts.answer = Duration::from_secs(5);
    config.timeouts.stall = Duration::from_millis(400);
    config.timeouts.transfer = Duration::from_secs(20);
    config
}

pub(crate) fn anonymous(registry: &Registry) -> Client {
    Client::new(config(registry)).unwrap()
}

pub(crate) fn signed_in(registry: &Registry) -> Client {
    Client::new(config(registry).with_token(Some(TOKEN.parse().unwrap()))).unwrap()
}

pub(crate) async fn push(client: &Client, package: &Verified) -> Result<PushReport, ClientError> {
    let push = Push {
        repo: "alice/demo".parse().unwrap(),
        package,
        card: b"# demo\n",
        signature: None,
        visibility: Visibility::Public,
        message: "Add demo".into(),
    };
    client.push(&push, &Silent).await
}

/// A directory that holds a store and nothing else.
pub(crate) struct Scratch {
    directory: tempfile::TempDir,
    pub(crate) store: Store,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("store")).unwrap();
        Self { directory, store }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Every file below the directory but the lock and the notes of pulls, relative to it.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        collect(self.path(), &mut files);
        let packages = self.path().join("store/v1/packages");
        files.retain(|file| !file.ends_with("store/v1/lock") && !file.starts_with(&packages));
        files.sort();
        files
            .iter()
            .map(|file| file.strip_prefix(self.path()).unwrap().to_owned())
            .collect()
    }
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Writes down what it hears.
#[derive(Default)]
pub(crate) struct Recorder(pub(crate) Mutex<Vec<String>>);

impl Progress for Recorder {
    fn started(&self, file: &str, bytes: u64) {
        self.0.lock().unwrap().push(format!("{file} 0/{bytes}"));
    }

    fn advanced(&self, file: &str, bytes: u64) {
        self.0.lock().unwrap().push(format!("{file} +{bytes}"));
    }

    fn finished(&self, file: &str) {
        self.0.lock().unwrap().push(format!("{file} done"));
    }
}

/// The name of an error's variant.
pub(crate) fn variant(error: &ClientError) -> String {
    let shown = format!("{error:?}");
    assert!(!shown.contains(TOKEN), "a secret in {shown}");
    assert!(!format!("{error}").contains(TOKEN), "a secret in {error}");
    shown
        .split([' ', '{', '('])
        .next()
        .unwrap_or_default()
        .to_owned()
}
