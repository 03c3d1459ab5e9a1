//! `tool push`: publishes a package: one commit with manifest, component and card, and a tag
//! for the version, which never changes afterwards.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tool_hub_manifest::{Manifest, RepoId, Verified, package_file};
use tool_hub_registry_client::{Client, Push as Upload, PushOutcome, Visibility};

use crate::commands::load::refuse_the_refused;
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::package;
use crate::printer::Printer;
use crate::progress::Bars;

/// Arguments of `tool push`.
#[derive(Debug, Args)]
pub(crate) struct Push {
    /// Where to publish [default: your own name and the tool's]
    repo: Option<RepoId>,

    /// The project or package
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Only you and your organisation may see a repo that this makes
    #[arg(long)]
    private: bool,

    /// Check everything and publish nothing
    #[arg(long)]
    dry_run: bool,
}

impl Push {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let directory = config.working.join(&self.directory);
        let package = package::package_directory(&directory)?;
        let verified = package::read(&package)?;
        if package != directory {
            refuse_the_stale(&directory, verified.manifest(), &self.directory)?;
        }
        refuse_the_refused(&tool_hub_host::inspect(&verified)?)?;
        let client = config.client(&config.endpoint, printer)?;
        let repo = self.repo(&client, &verified).await?;
        if self.dry_run {
            return self.say_what_would_happen(&repo, &verified, config, printer);
        }
        let card = card(&package)?;
        let upload = Upload {
            repo: repo.clone(),
            package: &verified,
            card: &card,
            visibility: if self.private {
                Visibility::Private
            } else {
                Visibility::Public
            },
            message: format!(
                "{} {}",
                verified.manifest().name,
                verified.manifest().version
            ),
        };
        let bars = Bars::start(printer);
        let pushed = client.push(&upload, &bars).await;
        bars.finish();
        let pushed = pushed?;
        if printer.wants_json() {
            printer.json(&json!({
                "repo": pushed.repo,
                "version": pushed.version,
                "commit": pushed.commit,
                "url": pushed.url,
                "digest": verified.pin().digest(),
                "already_there": pushed.outcome == PushOutcome::AlreadyPushed,
            }))?;
        } else {
            let done = match pushed.outcome {
                PushOutcome::AlreadyPushed => "is there already, unchanged",
                _ => "pushed",
            };
            printer.note(&format!(
                "{} {} {done}: {}",
                pushed.repo, pushed.version, pushed.url
            ));
            printer.hint(&format!(
                "anybody who may read it can run: tool load {}",
                pushed.repo
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn repo(&self, client: &Client, verified: &Verified) -> anyhow::Result<RepoId> {
        match &self.repo {
            Some(repo) => Ok(repo.clone()),
            None => {
                let owner = client.whoami().await?.name;
                Ok(format!("{owner}/{}", verified.manifest().name).parse()?)
            }
        }
    }

    fn say_what_would_happen(
        &self,
        repo: &RepoId,
        verified: &Verified,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let manifest = verified.manifest();
        if printer.wants_json() {
            printer.json(&json!({
                "repo": repo,
                "version": manifest.version,
                "digest": verified.pin().digest(),
                "bytes": verified.component().len(),
                "dry_run": true,
            }))?;
        } else {
            printer.note(&format!(
                "would push {} {} ({} bytes, {}) to {repo} on {}",
                manifest.name,
                manifest.version,
                verified.component().len(),
                verified.pin().digest(),
                config.endpoint
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A package that was built before its manifest was edited is not what the author means to
/// publish.
fn refuse_the_stale(directory: &Path, built: &Manifest, shown: &Path) -> anyhow::Result<()> {
    let author = package::read_author_manifest(directory)?;
    let same = author.name == built.name
        && author.version == built.version
        && (author.description.is_empty() || author.description == built.description)
        && author.capabilities == built.capabilities
        && author.limits == built.limits;
    if same {
        return Ok(());
    }
    Err(Problem::user(format!(
        "the package of {} {} was built before tool.toml was changed",
        author.name, built.version
    ))
    .hint(format!("run: tool build {}", shown.display()))
    .into())
}

fn card(package: &Path) -> anyhow::Result<Vec<u8>> {
    let path = package.join(package_file::CARD);
    std::fs::read(&path)
        .with_context(|| format!("{} cannot be read", path.display()))
        .map_err(|error| {
            Problem::user("the package has no card, by which people and search find it")
                .caused_by(error)
                .hint("write a README.md beside tool.toml and build again")
                .into()
        })
}
