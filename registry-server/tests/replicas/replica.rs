//! A server, or two, each in a process of its own: this program started with other arguments.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tool_hub_registry_server::{Downloads, Registry, RegistryConfig, serve};

use crate::backends::{Backend, Shared};
use crate::support::TestRegistry;

/// The first argument of a replica.
const ROLE: &str = "--serve-as-a-replica";

/// Short parts, so that a file of a few megabytes has several.
const LFS_PART_BYTES: u64 = 5 << 20;

/// The time that requests may take after a replica was asked to end.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// A running server, killed when this value is dropped.
pub(crate) struct Replica {
    pub(crate) endpoint: String,
    child: Child,
}

/// A registry served by two processes, and by a third server in this one for what an operator does.
pub(crate) struct Pair {
    pub(crate) hub: TestRegistry,
    /// The registry through the first process.
    pub(crate) a: TestRegistry,
    /// The registry through the second process.
    pub(crate) b: TestRegistry,
    pub(crate) replicas: [Replica; 2],
}

impl Pair {
    pub(crate) async fn start() -> Self {
        Self::start_with(Downloads::Redirect).await
    }

    pub(crate) async fn start_with(downloads: Downloads) -> Self {
        let place = Shared::get().unwrap().place();
        let hub = TestRegistry::start_in(Some(place.clone()), |_| ()).await;
        let replicas = ["a", "b"]
            .map(|name| Replica::start(&place, &hub.directory.path().join(name), downloads));
        Self {
            a: hub.through(&replicas[0].endpoint),
            b: hub.through(&replicas[1].endpoint),
            hub,
            replicas,
        }
    }

    /// The registry through one of the two, in turn.
    pub(crate) fn turn(&self, at: usize) -> &TestRegistry {
        if at.is_multiple_of(2) {
            &self.a
        } else {
            &self.b
        }
    }
}

impl Replica {
    /// Starts a server on a place, or on a directory alone.
    pub(crate) fn start<'a>(
        place: impl Into<Option<&'a Backend>>,
        directory: &Path,
        downloads: Downloads,
    ) -> Self {
        let [database, endpoint, storage] = match place.into() {
            Some(place) => [&place.database, &place.endpoint, &place.storage].map(String::as_str),
            None => [""; 3],
        };
        let downloads = match downloads {
            Downloads::Proxy => "proxy",
            _ => "redirect",
        };
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([ROLE, database, endpoint, storage, downloads])
            .arg(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut endpoint = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut endpoint).unwrap();
        assert!(endpoint.starts_with("http://"), "the replica did not start");
        Self {
            endpoint: endpoint.trim().to_owned(),
            child,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process at once, with whatever it is doing.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to end, as an orchestrator does.
    #[allow(dead_code, reason = "not every target asks")]
    pub(crate) fn terminate(&self) {
        let mut kill = Command::new("kill");
        let sent = kill.args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// The exit code, if the process has ended by itself.
    #[allow(dead_code, reason = "not every target asks")]
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.child.try_wait().unwrap()?.code()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves, when this process was started to do so.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [role, database, endpoint, storage, downloads, directory] = &arguments[..] else {
        return None;
    };
    if role != ROLE {
        return None;
    }
    let place = (!database.is_empty()).then(|| Backend {
        database: database.clone(),
        endpoint: endpoint.clone(),
        storage: storage.clone(),
    });
    let downloads = match downloads.as_str() {
        "proxy" => Downloads::Proxy,
        _ => Downloads::Redirect,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut config = match &place {
        Some(place) => place.config(Path::new(directory), downloads),
        None => RegistryConfig::new(directory),
    };
    config.limits.shutdown_grace_max = GRACE;
    config.limits.lfs_part_bytes = LFS_PART_BYTES;
    runtime.block_on(run(config));
    Some(ExitCode::SUCCESS)
}

async fn run(config: RegistryConfig) {
    let registry = Registry::open(config).await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut terminated = signal(SignalKind::terminate()).unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    let parent_ended = tokio::task::spawn_blocking(|| {
        let _ = std::io::stdin().read(&mut [0]);
    });
    let stop = async move {
        tokio::select! {
            _ = parent_ended => {}
            _ = terminated.recv() => {}
        }
    };
    serve(listener, registry.clone(), stop).await.unwrap();
    registry.close().await;
    // What waits for the end of standard input would keep the process.
    std::process::exit(0);
}
