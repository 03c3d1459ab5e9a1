//! The attacked server in its own process: its memory, and how quickly it answers probes.

use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tool_hub_registry_server::Downloads;

use crate::process;
use crate::replica::Replica;
use crate::support::TestRegistry;

/// Rest between two probes.
const PROBE_EVERY: Duration = Duration::from_millis(50);

/// The time that a server is given to work off what it was sent, and the pause between two looks at
/// it.
const SETTLE_MAX: Duration = Duration::from_secs(20);
const SETTLE_LOOK: Duration = Duration::from_millis(500);

/// A server in a process of its own, with alice's repository `alice/tool`.
pub(crate) struct Target {
    pub(crate) hub: TestRegistry,
    server: Replica,
}

/// Asks again and again whether the server is ready, until it is told to stop.
pub(crate) struct Probes(JoinHandle<Seen>, tokio::sync::oneshot::Sender<()>);

/// The answers to probes.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) slowest: Duration,
    pub(crate) answered: usize,
    /// Probes that were not answered with 200.
    pub(crate) failed: usize,
}

impl Target {
    pub(crate) async fn start() -> Self {
        let mut hub = TestRegistry::start_in(None, |_| ()).await;
        hub.create("alice/tool").await;
        hub.stop().await;
        let server = Replica::start(None, &hub.config.directory, Downloads::Proxy);
        Self {
            hub: hub.through(&server.endpoint),
            server,
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.hub.endpoint.strip_prefix("http://").unwrap()
    }

    /// Mebibytes in memory now, and at most since [`Target::forget_peak`].
    pub(crate) fn resident_mib(&self) -> (u64, u64) {
        let id = self.server.id();
        (
            process::resident_bytes(id) >> 20,
            process::peak_resident_bytes(id) >> 20,
        )
    }

    pub(crate) fn forget_peak(&self) {
        process::forget_peak(self.server.id());
    }

    /// Waits until the server has worked off what it was sent.
    pub(crate) async fn settle(&self) {
        let start = Instant::now();
        let mut before = Duration::MAX;
        while start.elapsed() < SETTLE_MAX {
            tokio::time::sleep(SETTLE_LOOK).await;
            let now = process::processor_time(self.server.id());
            if now.saturating_sub(before) < SETTLE_LOOK / 10 && before != Duration::MAX {
                return;
            }
            before = now;
        }
    }

    pub(crate) fn probe(&self) -> Probes {
        let url = format!("{}/health/ready", self.hub.endpoint);
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let probing = async move {
            let client = reqwest::Client::new();
            let mut seen = Seen::default();
            while stopped.try_recv().is_err() {
                let asked = Instant::now();
                let answer = client.get(&url).send().await;
                let status = answer.map(|answer| answer.status().as_u16());
                match status {
                    Ok(200) => seen.answered += 1,
                    _ => seen.failed += 1,
                }
                seen.slowest = seen.slowest.max(asked.elapsed());
                tokio::time::sleep(PROBE_EVERY).await;
            }
            seen
        };
        Probes(tokio::spawn(probing), stop)
    }
}

impl Probes {
    pub(crate) async fn end(self) -> Seen {
        let _ = self.1.send(());
        self.0.await.unwrap()
    }
}
