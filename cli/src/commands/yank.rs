//! `tool yank`: takes a published version back, so that nobody else begins to use it.
//! `tool deprecate` says of a whole tool that nobody should.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;
use tool_hub_manifest::{
    Deprecation, Reason, Releases, RepoId, Revision, Severity, ToolRef, Version, Yank as Withdrawn,
};
use tool_hub_registry_client::{Client, ReleasesReport, TaggedVersion};

use crate::session::Session;
use crate::terminal::problem::Problem;

/// Arguments of `tool yank`.
#[derive(Debug, Args)]
pub(crate) struct Yank {
    /// The version: owner/name@1.2.0
    version: ToolRef,

    /// The reason, which everybody reads who has the version
    #[arg(long, value_name = "TEXT", required_unless_present = "undo")]
    reason: Option<Reason>,

    /// The severity
    #[arg(long, value_name = "KIND", default_value = "broken")]
    severity: Kind,

    /// The version or the tool to use in its place: 1.2.1, owner/name or owner/name@1.0.0
    #[arg(long, value_name = "VERSION|TOOL")]
    replaced_by: Option<String>,

    /// Give the version back
    #[arg(long, conflicts_with_all = ["reason", "replaced_by"])]
    undo: bool,
}

/// Arguments of `tool deprecate`.
#[derive(Debug, Args)]
pub(crate) struct Deprecate {
    /// The tool: owner/name
    repo: RepoId,

    /// The reason, which everybody reads who loads the tool
    #[arg(long, value_name = "TEXT", required_unless_present = "undo")]
    reason: Option<Reason>,

    /// The tool to use in its place: owner/name
    #[arg(long, value_name = "TOOL")]
    replaced_by: Option<ToolRef>,

    /// Take it back
    #[arg(long, conflicts_with_all = ["reason", "replaced_by"])]
    undo: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// It does not work
    Broken,
    /// It can be attacked
    Vulnerable,
    /// It attacks its users: nothing loads or serves it any more
    Malicious,
}

impl From<Kind> for Severity {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Broken => Self::Broken,
            Kind::Vulnerable => Self::Vulnerable,
            Kind::Malicious => Self::Malicious,
        }
    }
}

impl Yank {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let repo = &self.version.repo;
        let version = self.one_version()?;
        let settings = &session.config.settings;
        let client = settings.writing_client(&settings.endpoint, &session.printer)?;
        let versions = client.versions(repo).await?;
        if !versions.iter().any(|it| it.version == version) {
            let known: Vec<String> = versions.iter().map(|it| it.version.to_string()).collect();
            let hint = match known.is_empty() {
                true => "it has no versions".to_owned(),
                false => format!("it has: {}", known.join(", ")),
            };
            return Err(Problem::user(format!("{repo} has no version {version}"))
                .hint(hint)
                .into());
        }
        let yank = match &self.reason {
            Some(reason) => Some(Withdrawn {
                severity: self.severity.into(),
                reason: reason.clone(),
                replaced_by: self.replacement(&version, &versions, &client).await?,
            }),
            None => None,
        };
        let message = match &yank {
            Some(yank) => format!("Yank {version} as {}", yank.severity),
            None => format!("Give {version} back"),
        };
        let change = |releases: &mut Releases| {
            match &yank {
                Some(yank) => releases.yanked.insert(version.clone(), yank.clone()),
                None => releases.yanked.remove(&version),
            };
        };
        let report = client.change_releases(repo, message, change).await?;
        let said = match (&yank, &report.commit) {
            (Some(yank), _) => format!("{repo} {version} is yanked as {yank}"),
            (None, Some(_)) => format!("{repo} {version} is given back"),
            (None, None) => format!("{repo} {version} is not yanked"),
        };
        tell(repo, &report, &said, session)?;
        if let Some(yank) = &yank {
            session.printer.hint(match yank.severity {
                Severity::Malicious => "nobody can load it, and every `tool serve` drops it when it asks the registry next",
                _ => "whoever has it keeps it and is told; give it back with --undo",
            });
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The version that is named, which has to be whole.
    fn one_version(&self) -> anyhow::Result<Version> {
        let whole = match &self.version.revision {
            Revision::Version(requirement) => {
                requirement.to_string().trim_start_matches('=').parse().ok()
            }
            _ => None,
        };
        whole.ok_or_else(|| {
            let named = &self.version;
            Problem::user(format!("`{named}` does not name one version"))
                .hint(format!("name it whole: {}@1.2.0", named.repo))
                .into()
        })
    }

    /// The tool to use in place of `version`, which has to be there and another one.
    async fn replacement(
        &self,
        version: &Version,
        own: &[TaggedVersion],
        client: &Client,
    ) -> anyhow::Result<Option<ToolRef>> {
        let Some(text) = &self.replaced_by else {
            return Ok(None);
        };
        let reference: Result<ToolRef, _> = match text.parse::<Version>() {
            Ok(version) => format!("{}@{version}", self.version.repo).parse(),
            Err(_) => text.parse(),
        };
        let reference: ToolRef = reference.map_err(|error| {
            Problem::user(format!("--replaced-by is no version and no tool: {error}"))
                .hint("write 1.2.1, owner/name or owner/name@1.0.0")
        })?;
        let own_name = self.version.repo.as_str();
        let is_own = reference.repo.as_str().eq_ignore_ascii_case(own_name);
        let elsewhere;
        let versions = match is_own {
            true => own,
            false => {
                elsewhere = client.versions(&reference.repo).await?;
                &elsewhere
            }
        };
        if let [only] = meant(&reference, versions)?.as_slice()
            && is_own
            && *only == version
            && matches!(reference.revision, Revision::Version(_))
        {
            return Err(not_published(format!(
                "--replaced-by names {reference}, the version that is yanked itself"
            )));
        }
        Ok(Some(reference))
    }
}

/// The `versions` that `reference` allows. It is an error if it asks for one that is not there.
fn meant<'a>(
    reference: &ToolRef,
    versions: &'a [TaggedVersion],
) -> anyhow::Result<Vec<&'a Version>> {
    let Revision::Version(requirement) = &reference.revision else {
        return Ok(versions.iter().map(|it| &it.version).collect());
    };
    let versions = versions.iter().map(|it| &it.version);
    let meant: Vec<&Version> = versions.filter(|it| requirement.matches(it)).collect();
    match meant.is_empty() {
        true => Err(not_published(format!(
            "--replaced-by names `{reference}`, and there is no such version"
        ))),
        false => Ok(meant),
    }
}

fn not_published(problem: String) -> anyhow::Error {
    Problem::user(problem)
        .hint("name a version that was published, or leave --replaced-by out")
        .into()
}

impl Deprecate {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let repo = &self.repo;
        let is_itself = |it: &ToolRef| it.repo.as_str().eq_ignore_ascii_case(repo.as_str());
        if self.replaced_by.as_ref().is_some_and(is_itself) {
            return Err(
                Problem::user(format!("{repo} cannot be replaced by itself"))
                    .hint("name another tool, or leave --replaced-by out")
                    .into(),
            );
        }
        let settings = &session.config.settings;
        let client = settings.writing_client(&settings.endpoint, &session.printer)?;
        if let Some(reference) = &self.replaced_by {
            meant(reference, &client.versions(&reference.repo).await?)?;
        }
        let deprecated = self.reason.clone().map(|reason| Deprecation {
            reason,
            replaced_by: self.replaced_by.clone(),
        });
        let message = match &deprecated {
            Some(_) => "Deprecate",
            None => "Take the deprecation back",
        };
        let change = |releases: &mut Releases| releases.deprecated = deprecated;
        let report = client.change_releases(repo, message.to_owned(), change);
        let report = report.await?;
        let said = match (&report.releases.deprecated, &report.commit) {
            (Some(deprecation), _) => format!("{repo} is deprecated: {deprecation}"),
            (None, Some(_)) => format!("{repo} is not deprecated any more"),
            (None, None) => format!("{repo} is not deprecated"),
        };
        tell(repo, &report, &said, session)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Says what a change came to.
fn tell(
    repo: &RepoId,
    report: &ReleasesReport,
    said: &str,
    session: &Session,
) -> anyhow::Result<()> {
    let printer = &session.printer;
    if printer.wants_json() {
        printer.json(&json!({
            "repo": repo,
            "commit": report.commit,
            "deprecated": report.releases.deprecated,
            "yanked": report.releases.yanked,
        }))
    } else {
        printer.note(said);
        Ok(())
    }
}
