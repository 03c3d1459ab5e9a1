//! Tests a tool in the sandbox: cases of `tests/*.toml`, examples of its manifest, random calls.
//! It asks for no consent, and the tool gets copies of what the tests hold and what flags name.

mod case_file;
mod comparison;
mod fixture;
mod judgement;
mod junit;
mod plan;
mod random_calls;
mod recordings;
mod report;
mod runner;

use std::sync::Arc;

use tool_hub_host::Tool;
use tool_hub_manifest::{Grants, Verified};

use crate::commands::load::refusals::check_refusals;
use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::terminal::signals::stop_requested;
use crate::toolbox::{fetching, sandbox};
use case_file::{CaseFile, Expected};
use recordings::Recording;
use runner::{Call, Given, Runner};

pub(crate) use case_file::are_there as cases_are_there;
pub(crate) use junit::junit;
pub(crate) use plan::{Plan, RANDOM_CALLS, Subject};
pub(crate) use recordings::Requests;
pub(crate) use report::Report;

/// The suite of the examples in the manifest.
const EXAMPLES: &str = "examples";

/// Runs all tests of a package.
///
/// # Errors
/// When a file of the tests is wrong, the tool cannot be loaded, or the user asks to stop; then no
/// call goes on and no copy remains. A test that fails is no error.
pub(crate) async fn run(
    subject: Subject<'_>,
    plan: &Plan,
    session: &Session,
) -> anyhow::Result<Report> {
    tokio::select! {
        // Whoever listens first misses no signal.
        biased;
        () = stop_requested() => Err(Problem::interrupted().into()),
        report = run_all(subject, plan, session) => report,
    }
}

async fn run_all(subject: Subject<'_>, plan: &Plan, session: &Session) -> anyhow::Result<Report> {
    let config = &session.config;
    let dependencies = fetching::dependencies_of(subject.package.manifest(), session).await?;
    let inspection = fetching::inspect_package(subject.package, &dependencies)?;
    check_refusals(&inspection)?;
    let asked = &subject.package.manifest().capabilities;
    let runner = Runner {
        subject,
        plan,
        config,
        host: sandbox::open_host(config)?,
        given: Given {
            grants: plan.flags.grants(asked, Grants::none(), config)?,
            requests: plan.requests,
        },
        inspection,
    };
    let mut report = Report {
        tool: runner.inspection.name.to_string(),
        version: runner.inspection.version.to_string(),
        seed: plan.seed.unwrap_or_else(|| own_seed(subject.package)),
        results: Vec::new(),
        notes: Vec::new(),
    };
    let mut files = case_file::read_all(subject.project, &runner.inspection.functions)?;
    if !files.iter().any(|file| file.name == case_file::EXAMPLES) {
        files.push(CaseFile::of_examples());
    }
    for file in &files {
        run_file(&runner, file, &mut report).await?;
    }
    let of_examples = files.iter().find(|file| file.name == case_file::EXAMPLES);
    if let Some(CaseFile { setup, .. }) = of_examples
        && plan.random_calls > 0
    {
        let recording = Arc::new(Recording::none());
        let (tool, _fixture) = runner.load(setup, recording, &Given::of_tests()).await?;
        random_calls::run(&runner, &tool, &mut report).await;
    }
    match report.results.is_empty() {
        true => Err(Problem::user("there is nothing to test")
            .hint("write cases into tests/*.toml or examples into tool.toml; see docs/reference.md")
            .into()),
        false => Ok(report),
    }
}

/// A seed that stays the same as long as the package does.
fn own_seed(package: &Verified) -> u64 {
    let digest = package.pin().digest().to_string();
    let digits = digest.rsplit(':').next().and_then(|it| it.get(..8));
    digits.map_or(0, |it| u64::from_str_radix(it, 16).unwrap_or(0))
}

/// Runs the cases of a file, and the examples of the manifest where it is theirs.
async fn run_file(runner: &Runner<'_>, file: &CaseFile, report: &mut Report) -> anyhow::Result<()> {
    let has_examples = file.name == case_file::EXAMPLES;
    if file.cases.is_empty() && !(has_examples && runner.examples().next().is_some()) {
        return Ok(());
    }
    let project = runner.subject.project;
    let recording = Arc::new(Recording::open(project, &file.name, runner.plan.requests)?);
    let loaded = runner.load(&file.setup, recording.clone(), &runner.given);
    let (tool, _fixture) = loaded.await?;
    let suite = format!("{}/{}.toml", case_file::DIRECTORY, file.name);
    for case in &file.cases {
        let call = Call {
            suite: &suite,
            name: &case.name,
            function: case.function.as_str(),
            arguments: &case.arguments,
        };
        let result = runner.tested(&tool, call, &case.expected).await?;
        report.results.push(result);
    }
    if has_examples {
        run_examples(runner, &tool, report).await?;
    }
    if let Some(path) = recording.finish(project)? {
        report
            .notes
            .push(format!("recorded requests in {}", path.display()));
    }
    Ok(())
}

/// Calls each function as its examples do: none of them may fail.
async fn run_examples(runner: &Runner<'_>, tool: &Tool, report: &mut Report) -> anyhow::Result<()> {
    let expected = Expected::Answer {
        value: None,
        texts: Vec::new(),
    };
    for (function, index, arguments) in runner.examples() {
        let call = Call {
            suite: EXAMPLES,
            name: &format!("example {}", index + 1),
            function,
            arguments: &arguments,
        };
        report
            .results
            .push(runner.tested(tool, call, &expected).await?);
    }
    Ok(())
}
