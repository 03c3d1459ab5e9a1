//! Loads a tool with what its test gives it, makes the test's calls, and judges their outcomes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_hub_host::{Host, HttpRecorder, Inspection, Outcome, RequiredGrant, Tool};
use tool_hub_manifest::Grants;

use super::case_file::{Expected, Setup};
use super::fixture::Fixture;
use super::judgement;
use super::plan::{Plan, Subject};
use super::recordings::Requests;
use super::report::{self, TestResult};
use crate::consent::grant_flags;
use crate::settings::config::Config;
use crate::toolbox::watch::{Person, Watch};

/// The most lines that are shown of what a tool wrote during a call.
const LINES_MAX: usize = 30;

/// A tool under test, and what its calls are made with.
pub(super) struct Runner<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) plan: &'a Plan,
    pub(super) config: &'a Config,
    pub(super) host: Host,
    pub(super) given: Given,
    pub(super) inspection: Inspection,
}

/// What a tool is given beside what its tests hold.
pub(super) struct Given {
    /// What the flags grant.
    pub(super) grants: Grants,
    pub(super) requests: Requests,
}

impl Given {
    /// Nothing, as for random calls: they may change whatever they reach.
    pub(super) fn of_tests() -> Self {
        Self {
            grants: Grants::none(),
            requests: Requests::Replayed,
        }
    }
}

impl Runner<'_> {
    /// The examples of the manifest: the function, the number and the arguments of each.
    pub(super) fn examples(&self) -> impl Iterator<Item = (&str, usize, Value)> {
        let functions = self.subject.package.manifest().functions.iter();
        functions.flat_map(|(name, function)| {
            let examples = function.examples.iter().enumerate();
            examples.filter_map(|(index, example)| {
                let arguments = serde_json::to_value(example).ok()?;
                Some((name.as_str(), index, arguments))
            })
        })
    }

    /// Makes a call and holds its outcome against what is expected.
    pub(super) async fn tested(
        &self,
        tool: &Tool,
        call: Call<'_>,
        expected: &Expected,
    ) -> anyhow::Result<TestResult> {
        let made = call.made(tool).await;
        let problems = judgement::of_case(expected, &made.outcome)?;
        let has_failed = !problems.is_empty();
        Ok(TestResult {
            suite: call.suite.to_owned(),
            name: call.name.to_owned(),
            function: call.function.to_owned(),
            passed: !has_failed,
            calls: 1,
            time: made.time,
            problems,
            written: if has_failed { made.written } else { Vec::new() },
            arguments: has_failed.then(|| call.arguments.clone()),
            repeat: has_failed.then(|| self.repeat(call.function, call.arguments)),
        })
    }

    /// The command that makes a call again.
    pub(super) fn repeat(&self, function: &str, arguments: &Value) -> String {
        let shown = self.subject.shown.display().to_string();
        // A name alone would be one of the toolbox.
        let shown = match shown.starts_with(['.', '/', '~']) || shown.ends_with(".wasm") {
            true => shown,
            false => format!("./{shown}"),
        };
        report::repeat(&shown, function, arguments)
    }

    /// Loads the tool with what `setup` and the flags give it. The author asked for the test of
    /// their own tool, which is the consent to copies of its tests and to what the flags name; it
    /// is recorded nowhere.
    pub(super) async fn load(
        &self,
        setup: &Setup,
        recorder: Arc<dyn HttpRecorder>,
        given: &Given,
    ) -> anyhow::Result<(Tool, Fixture)> {
        let asked = &self.subject.package.manifest().capabilities;
        let mut fixture = Fixture::new(setup, asked, &given.grants, self.subject.project)?;
        let mut grants = fixture.grants.clone();
        if given.requests == Requests::Replayed {
            // No request leaves; each is answered from the recording or refused.
            for (origin, methods) in asked.network.iter() {
                grants = grants.network(origin.clone(), methods.clone());
            }
        }
        let flagged = self.config.settings.granted_variables(&given.grants)?;
        fixture.values.extend(flagged);
        let command = format!("tool test {}", self.subject.shown.display());
        let mut approved = self
            .inspection
            .approve(grants)?
            .with_recorder(recorder)
            .with_grant_advice(move |grants| advice(&command, grants));
        for (name, value) in &fixture.values {
            approved = approved.with_variable(name.clone(), value)?;
        }
        let credentials = self.config.settings.granted_credentials(&given.grants)?;
        for (name, value) in credentials {
            approved = approved.with_credential(name, value)?;
        }
        Ok((self.host.load(approved).await?, fixture))
    }
}

/// How an author gives the tool `grants` in a test.
fn advice(command: &str, grants: &[RequiredGrant]) -> String {
    let is_network = |grant: &RequiredGrant| matches!(grant, RequiredGrant::Network(_));
    let command = match grants.iter().any(is_network) {
        true => format!("{command} --record"),
        false => command.to_owned(),
    };
    grant_flags::command(&command, grants)
}

/// One call of a test.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) suite: &'a str,
    pub(super) name: &'a str,
    pub(super) function: &'a str,
    pub(super) arguments: &'a Value,
}

/// A call that was made.
pub(super) struct Made {
    pub(super) outcome: Outcome,
    pub(super) time: Duration,
    /// What the tool wrote, line by line.
    pub(super) written: Vec<String>,
}

impl Call<'_> {
    pub(super) async fn made(&self, tool: &Tool) -> Made {
        let watch = Arc::new(Watch::with(Person::Author));
        let arguments = self.arguments.to_string();
        let begun = Instant::now();
        let call = tool.call_with(self.function, &arguments, watch.clone());
        let outcome = call.await;
        let time = begun.elapsed();
        let mut written = watch.written(tool.name().as_str());
        if let Some(more @ 1..) = written.len().checked_sub(LINES_MAX) {
            written.truncate(LINES_MAX);
            written.push(format!("and {more} more lines"));
        }
        Made {
            outcome,
            time,
            written,
        }
    }
}
