//! The `Fixture` that runs an attack, and asserts that it kept to `Bounds` and did no damage.
//!
//! It has a host, canaries and another tool, whose calls have to succeed before and after the
//! attack. What it records, tests in other languages repeat (`kept.rs`).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tool_hub_host::{
    Approved, Failure, FailureKind, Host, HostConfig, HostError, Interaction, Outcome, Output,
    Progress, Tool, inspect,
};
use tool_hub_manifest::{Grants, Limits, Verified};

use crate::canaries::Canaries;
use crate::guest;
use crate::instruments;
use crate::kept::Kept;
use crate::support::{failure, package, reply};

/// The most that a step of an attack may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The longest time.
    pub(crate) time: Duration,
    /// The most that the resident memory of the process may grow.
    pub(crate) memory_mib: u64,
}

/// The tolerance for chance, and for machines that do other things as well.
pub(crate) const SLACK_MIB: u64 = 32;

impl Bounds {
    /// Five seconds, and nothing beside what every call takes.
    pub(crate) fn tight() -> Self {
        Self {
            time: Duration::from_secs(5),
            memory_mib: SLACK_MIB,
        }
    }

    /// `mib` of memory beside what every call takes.
    pub(crate) fn and_mib(mut self, mib: u64) -> Self {
        self.memory_mib += mib;
        self
    }

    pub(crate) fn and_seconds(mut self, seconds: u64) -> Self {
        self.time += Duration::from_secs(seconds);
        self
    }
}

/// The environment of an attack.
pub(crate) struct Fixture {
    pub(crate) host: Host,
    pub(crate) canaries: Canaries,
    heard: Arc<OutputRecorder>,
    bystander: Tool,
    descriptors: usize,
    kept: Option<Kept>,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let canaries = Canaries::new();
        let host = Host::new(HostConfig::new()).unwrap();
        let bystander = bystander(&host, canaries.secret()).await;
        let mut fixture = Self {
            host,
            canaries,
            heard: Arc::default(),
            bystander,
            descriptors: 0,
            kept: Kept::wanted(),
        };
        fixture.bystander_is_well().await;
        fixture.descriptors = instruments::descriptors();
        fixture
    }

    /// Goes on with a host whose limits are changed by `edit`.
    pub(crate) async fn limit(&mut self, edit: impl FnOnce(&mut Limits)) {
        let mut config = HostConfig::new();
        edit(&mut config.limits);
        self.configure(config).await;
    }

    /// Goes on with a host of another configuration.
    pub(crate) async fn configure(&mut self, config: HostConfig) {
        if let Some(kept) = &mut self.kept {
            kept.limits = config.limits;
        }
        self.host = Host::new(config).unwrap();
        self.bystander = bystander(&self.host, self.canaries.secret()).await;
        self.bystander_is_well().await;
        self.descriptors = instruments::descriptors();
    }

    /// Runs `step` and holds it to `bounds`.
    pub(crate) async fn within<R>(&self, bounds: Bounds, step: impl Future<Output = R>) -> R {
        let before = instruments::begin_peak();
        let begun = Instant::now();
        let done = step.await;
        let (took, peak) = (begun.elapsed(), instruments::peak());
        let grown_mib = peak.saturating_sub(before) >> 20;
        eprintln!("    {took:?}, {grown_mib} MiB");
        assert!(took <= bounds.time, "it took {took:?}: {bounds:?}");
        let memory = format!("it took {grown_mib} MiB: {bounds:?}");
        assert!(grown_mib <= bounds.memory_mib, "{memory}");
        done
    }

    /// Loads what asks for nothing.
    pub(crate) async fn load(&self, component: Vec<u8>) -> Tool {
        let verified = package(component, |_| {});
        self.keep(&verified);
        self.host.load(approved(&verified)).await.unwrap()
    }

    /// Calls `run` of `tool` and holds the call to `bounds`.
    pub(crate) async fn call(&self, tool: &Tool, arguments: &str, bounds: Bounds) -> Outcome {
        let call = tool.call_with("run", arguments, self.heard.clone());
        let outcome = self.within(bounds, call).await;
        if let Some(kept) = &self.kept {
            kept.call(&tool.pin(), arguments, &outcome);
        }
        self.canaries.absent_from(&format!("{outcome:?}"));
        outcome
    }

    /// Loads `component` and calls its function `run` without arguments.
    pub(crate) async fn attack(&self, component: Vec<u8>, bounds: Bounds) -> Outcome {
        let tool = self.load(component).await;
        self.call(&tool, "", bounds).await
    }

    /// Asserts that the host refuses to load `component`, cheaply.
    pub(crate) async fn refused(&self, component: Vec<u8>, bounds: Bounds) -> HostError {
        let verified = package(component, |_| {});
        self.keep_refused(&verified);
        let loaded = self.within(bounds, self.host.load(approved(&verified)));
        loaded.await.expect_err("a refusal")
    }

    /// Keeps a component for the tests of other processes, where somebody wants that.
    pub(crate) fn keep(&self, verified: &Verified) {
        if let Some(kept) = &self.kept {
            kept.component(verified);
        }
    }

    /// Keeps a component that is never to be loaded.
    pub(crate) fn keep_refused(&self, verified: &Verified) {
        if let Some(kept) = &self.kept {
            kept.component(verified);
            kept.refusal(verified.pin());
        }
    }

    /// The output of guests to their standard output, their standard error and their log, and how
    /// much of it was dropped.
    pub(crate) fn heard(&self) -> (String, u64) {
        let outputs = self.heard.0.lock().unwrap();
        let text = outputs.iter().flat_map(|output| {
            let streams = [&output.stdout, &output.stderr].into_iter();
            let log = output.log.iter().map(|entry| entry.message.clone());
            streams
                .map(|stream| String::from_utf8_lossy(stream).into_owned())
                .chain(log)
        });
        let dropped = outputs.iter().map(|output| output.dropped_bytes).sum();
        (text.collect(), dropped)
    }

    /// Asserts that another tool still works: it answers with its variables, and the host masks
    /// the secret among them, which only a guest that still has it can say.
    pub(crate) async fn bystander_is_well(&self) {
        let variables = reply(self.bystander.call("run", "").await);
        assert_eq!(variables.text(), r#"[["SECRET","***"]]"#);
        self.canaries.absent_from(&variables.text());
    }

    /// Looks after everything that must be as it was.
    pub(crate) async fn close(self) {
        self.bystander_is_well().await;
        self.canaries.absent_from(&self.heard().0);
        self.canaries.untouched();
        let descriptors = instruments::settle(instruments::descriptors, self.descriptors);
        // A slot of the pool may hold on to the image of the module that last had it.
        assert!(
            descriptors <= self.descriptors + 4,
            "{} descriptors became {descriptors}",
            self.descriptors
        );
    }
}

/// Approves what asks for nothing.
fn approved(verified: &Verified) -> Approved {
    inspect(verified).unwrap().approve(Grants::none()).unwrap()
}

/// The tool that has a secret in its memory while it is called.
async fn bystander(host: &Host, secret: &str) -> Tool {
    let verified = package(guest::environment(), |manifest| {
        manifest.capabilities =
            guest::capabilities(r#"variables = [{ name = "SECRET", secret = true }]"#);
    });
    let name = "SECRET".parse::<tool_hub_manifest::VariableName>().unwrap();
    let grants = Grants::none().variable(name.clone());
    let approved = inspect(&verified).unwrap().approve(grants).unwrap();
    let approved: Approved = approved.with_variable(name, secret).unwrap();
    host.load(approved).await.unwrap()
}

/// Takes what guests say.
#[derive(Default)]
struct OutputRecorder(Mutex<Vec<Output>>);

impl Interaction for OutputRecorder {
    fn progress(&self, progress: Progress) {
        let stdout = progress.message.unwrap_or_default().into_bytes();
        self.0.lock().unwrap().push(Output {
            stdout,
            stderr: Vec::new(),
            log: Vec::new(),
            dropped_bytes: 0,
        });
    }

    fn output(&self, output: &Output) {
        self.0.lock().unwrap().push(output.clone());
    }
}

/// Asserts that the call was stopped at `limit`, whose value is named.
#[track_caller]
pub(crate) fn stopped_at(outcome: Outcome, limit: &str, value: u64) -> Failure {
    let failed = failure(outcome);
    match &failed.kind {
        FailureKind::HostLimit { limit: l, value: v } => {
            assert_eq!((*l, *v), (limit, value), "{failed}");
        }
        other => panic!("{other:?}: {failed}"),
    }
    let named = format!("(limit {limit} = {value})");
    assert!(failed.message.contains(&named), "{failed}");
    failed
}

/// Asserts that the guest trapped, and that its failure says `why`.
#[track_caller]
pub(crate) fn trapped(outcome: Outcome, why: &str) {
    let failed = failure(outcome);
    assert_eq!(failed.kind, FailureKind::Trapped, "{failed}");
    assert!(failed.message.contains(why), "{failed}");
}
