//! `tool test`: builds a project and runs its cases, its examples and random calls in the sandbox.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::{Access, DirectoryName, Methods, Origin, VariableName, Verified};
use tool_hub_toolbox::built_package;

use crate::build::{self, Form, Sources};
use crate::commands::build::built_project::BuiltProject;
use crate::commands::build::note_built;
use crate::consent::rights_flags::{RightsFlags, named_directory, origin_with_methods};
use crate::consent::signing;
use crate::session::Session;
use crate::terminal::output::Output;
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;
use crate::testing::{self, Plan, RANDOM_CALLS, Report, Requests, Subject};

/// Arguments of `tool test`.
#[derive(Debug, Args)]
pub(crate) struct Test {
    /// The project, or a built package
    #[arg(value_name = "PROJECT", default_value = ".")]
    directory: PathBuf,

    /// How many calls with random arguments each function gets; 0 for none
    #[arg(long, value_name = "COUNT", default_value_t = RANDOM_CALLS,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    random: u32,

    /// The seed of the random arguments, as a run prints it [default: one of the package's own]
    #[arg(long)]
    seed: Option<u64>,

    /// Send requests to the origins of --allow-network, and record them in tests/recordings, from
    /// where they are answered afterwards
    #[arg(long, requires = "network")]
    record: bool,

    /// Write the results as JUnit's XML into a file; with `-` standard output has nothing else
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Build with all that the project brings, as `tool build --trust` does
    #[arg(long)]
    trust: bool,

    /// With --record: send requests to an origin that the tool asks for or, with ORIGIN=GET,HEAD,
    /// only with some methods (repeatable)
    #[arg(long = "allow-network", value_name = "ORIGIN", requires = "record",
          value_parser = origin_with_methods)]
    network: Vec<(Origin, Option<Methods>)>,

    /// Use this directory in place of a copy of what the tests hold, with NAME:read=PATH only to
    /// read it (repeatable)
    #[arg(long = "allow-dir", value_name = "NAME=PATH", value_parser = named_directory)]
    directories: Vec<(DirectoryName, Option<Access>, PathBuf)>,

    /// Have a credential of yours put into requests that are sent (repeatable)
    #[arg(long = "allow-credential", value_name = "NAME")]
    credentials: Vec<VariableName>,

    /// Let the tool read a variable of yours in place of what the tests set (repeatable)
    #[arg(long = "allow-var", value_name = "NAME")]
    variables: Vec<VariableName>,

    /// The same for a variable whose value is not secret (repeatable)
    #[arg(long = "allow-plain-var", value_name = "NAME")]
    plain_variables: Vec<VariableName>,
}

impl Test {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let project = config.settings.working.join(&self.directory);
        let plan = self.plan(session)?;
        // Before any work is done for it.
        let junit = match &self.junit {
            Some(file) => Some(Output::find(file, config)?),
            None => None,
        };
        let package = self.package(&project, session).await?;
        let subject = Subject {
            package: &package,
            project: &project,
            shown: &self.directory,
        };
        let report = testing::run(subject, &plan, session).await?;
        if let Some(junit) = &junit {
            junit.write(&testing::junit(&report)?, printer)?;
        }
        match (&junit, printer.wants_json()) {
            (Some(Output::Standard), _) => {}
            (_, true) => printer.json(&report.json()?)?,
            (_, false) => printer.data(&report.lines().join("\n"))?,
        }
        match report.failed() {
            0 => Ok(ExitCode::SUCCESS),
            _ => Err(Problem::user(of_all(&report)).into()),
        }
    }

    fn plan(&self, session: &Session) -> anyhow::Result<Plan> {
        let flags = RightsFlags {
            network: self.network.clone(),
            directories: self.directories.clone(),
            credentials: self.credentials.clone(),
            variables: self.variables.clone(),
            plain_variables: self.plain_variables.clone(),
            ..RightsFlags::default()
        };
        if flags.grants_something() {
            let hint = "leave the flags --allow-… out: tests have copies of what they hold";
            let act = "a test with rights beyond its own files";
            signing::refuse_unrecorded(act, hint, &session.config.settings)?;
        }
        Ok(Plan {
            flags,
            requests: match self.record {
                true => Requests::Recorded,
                false => Requests::Replayed,
            },
            random_calls: self.random,
            seed: self.seed,
        })
    }

    /// The package, built anew where the project changed since it was built.
    async fn package(&self, project: &Path, session: &Session) -> anyhow::Result<Verified> {
        let built = built_package::directory(project);
        let is_current = match &built {
            _ if project.is_file() => true,
            Ok(package) if package == project => true,
            Ok(package) => Sources::change_since(project, package)?.is_none(),
            Err(_) => false,
        };
        if is_current {
            return Ok(built_package::read(project)?);
        }
        if self.trust {
            build::read_author_manifest(project)?;
            build::remember_trust(project, &session.config)?;
        }
        let built = BuiltProject::of(project, Form::Package, session).await?;
        built.write(project)?;
        note_built(&built.verified, &self.directory, &session.printer);
        Ok(built.verified)
    }
}

/// Runs the tests of a project that is about to be published, where it has cases.
///
/// # Errors
/// When a test fails.
pub(crate) async fn before_a_push(subject: Subject<'_>, session: &Session) -> anyhow::Result<()> {
    if !testing::cases_are_there(subject.project)? {
        return Ok(());
    }
    let report = testing::run(subject, &Plan::standard(), session).await?;
    let printer = &session.printer;
    if report.failed() == 0 {
        let what = "cases in tests, examples and random calls";
        printer.note(&format!("tested {what}: {}", report.summary()));
        return Ok(());
    }
    printer.note(&report.failures().join("\n"));
    let shown = subject.shown.display();
    Err(
        Problem::user(format!("{}, so nothing was pushed", of_all(&report)))
            .hint(format!("see all with: tool test {shown}"))
            .hint("publish it anyway with --no-test")
            .into(),
    )
}

fn of_all(report: &Report) -> String {
    let all = counted(report.count(), "test");
    format!("{} of {all} failed", report.failed())
}
