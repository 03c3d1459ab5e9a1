//! `tool push`: publishes a package to a registry as one commit, and a tag for the version.
//! The commit has manifest, component and card. The tag never changes afterwards.

mod attestation;
mod job_identity;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tool_hub_manifest::{RepoId, Verified, package_file};
use tool_hub_registry_client::{
    CARD_BYTES_MAX, Client, Push as Upload, PushOutcome, Rehearsal, SignatureFiles, Visibility,
};
use tool_hub_toolbox::authorship::{self, Authorship};
use tool_hub_toolbox::evidence::Evidence;
use tool_hub_toolbox::signing_keys::SigningKeys;
use tool_hub_toolbox::{Error, built_package};

use job_identity::JobIdentity;

use crate::build::Sources;
use crate::commands::check::steering_characters;
use crate::commands::key::signing_key::SigningKey;
use crate::commands::load::refusals::check_refusals;
use crate::commands::test::before_a_push;
use crate::consent::attestations::attestations_json;
use crate::consent::signer::signer_json;
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Bars;
use crate::testing::Subject;
use crate::toolbox::fetching;

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

    /// Publish it without running the project's tests
    #[arg(long)]
    no_test: bool,

    /// Sign the package: the name of one of your keys, or a PEM file
    #[arg(long, value_name = "KEY")]
    sign: Option<SigningKey>,

    /// Sign it as the owner of a certificate for that key: a PEM file with it, and with those
    /// between it and its root
    #[arg(long, value_name = "FILE", requires = "sign")]
    certificate: Option<PathBuf>,

    /// Publish an attestation with it: a build service's statement about tool.toml and tool.wasm,
    /// as a Sigstore bundle; repeatable
    #[arg(long, value_name = "FILE")]
    attestation: Vec<PathBuf>,

    /// Publish as the job of a build service whose identity token is in this file, without a token
    /// of yours; GitHub's and GitLab's are found where there is no token
    #[arg(long, value_name = "FILE")]
    identity_token: Option<PathBuf>,

    /// Check everything, ask the registry what is there, and publish nothing
    #[arg(long)]
    dry_run: bool,
}

impl Push {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.working.join(&self.directory);
        let package = built_package::directory(&directory)?;
        let verified = built_package::read(&package)?;
        if package != directory {
            refuse_the_stale(&directory, &package, &self.directory)?;
        }
        let dependencies = fetching::dependencies_of(verified.manifest(), session).await?;
        let inspection = fetching::inspect_package(&verified, &dependencies)?;
        check_refusals(&inspection)?;
        for remark in steering_characters(&inspection) {
            printer.warning(&remark);
        }
        if !self.no_test {
            let subject = Subject {
                package: &verified,
                project: &directory,
                shown: &self.directory,
            };
            before_a_push(subject, session).await?;
        }
        let card = card(&package)?;
        let (files, authorship) = self.authorship(&package, &verified, &card, session)?;
        let mut client = config
            .settings
            .writing_client(&config.settings.endpoint, printer)?;
        let repo = self.repo(&client, &verified).await?;
        let job = self.job_identity(session)?.filter(|_| !self.dry_run);
        if let Some(job) = &job {
            client = job.sign_in(&repo, session).await?;
        }
        let upload = Upload {
            repo: repo.clone(),
            package: &verified,
            card: &card,
            signature: Some(&files),
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
        if self.dry_run {
            let rehearsal = client.rehearse(&upload).await?;
            warn_of_newer(&client, &upload, printer).await;
            return say_what_would_happen(&upload, rehearsal, session);
        }
        let bars = Bars::start(printer);
        let pushed = client.push(&upload, &bars).await;
        bars.finish();
        if job.is_some() {
            job_identity::sign_out(&client, printer).await;
        }
        let pushed = pushed?;
        if pushed.signature_lost {
            printer.warning("the version before was signed, and this one is not: whoever loaded it is asked before an update takes this one");
        }
        if pushed.attestations_lost {
            printer.warning("the version before had an attestation, and this one has none: whoever loaded it is asked before an update takes this one");
        }
        warn_of_newer(&client, &upload, printer).await;
        if printer.wants_json() {
            printer.json(&json!({
                "repo": pushed.repo,
                "version": pushed.version,
                "commit": pushed.commit,
                "url": pushed.url,
                "digest": verified.pin().digest(),
                "signer": signer_json(&authorship.signature),
                "attestations": attestations_json(&authorship.attestations),
                "already_there": pushed.outcome == PushOutcome::AlreadyPushed,
            }))?;
        } else {
            let done = match pushed.outcome {
                PushOutcome::AlreadyPushed => "is there already, unchanged",
                _ => "pushed",
            };
            let signed = files.bundle.as_ref();
            let signed = signed.map(|_| format!(", {}", authorship.signature.in_words()));
            let signed = signed.unwrap_or_default();
            let attested = authorship.attestations.verified().iter();
            let attested: String = attested.map(|it| format!(", {}", it.in_words())).collect();
            printer.note(&format!(
                "{} {} {done}{signed}{attested}: {}",
                pushed.repo, pushed.version, pushed.url
            ));
            printer.hint(&format!(
                "anybody who may read it can run: tool load {}",
                pushed.repo
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The signature and the attestations that are published: those that are asked for, and where
    /// nothing is, those in the package.
    fn authorship(
        &self,
        package: &Path,
        verified: &Verified,
        card: &[u8],
        session: &Session,
    ) -> anyhow::Result<(SignatureFiles, Authorship)> {
        let settings = &session.config.settings;
        let keys = SigningKeys::read(settings)?;
        let there = authorship::files_in(package)?;
        let attestations = match &self.attestation[..] {
            [] => there.attestations,
            paths => Some(attestation::read(paths, settings)?),
        };
        let files = match &self.sign {
            Some(key) => {
                let certificate = self.certificate.as_deref();
                let files = key.sign(verified, (card, attestations), certificate, settings);
                files.map_err(not_published)?
            }
            None => SignatureFiles {
                attestations,
                ..there
            },
        };
        let (shown, now) = (package.display().to_string(), SystemTime::now());
        let authorship = Authorship::verify(Some(&files), verified, &keys, now, &shown);
        let authorship = authorship.map_err(not_published)?;
        if !self.attestation.is_empty() {
            attestation::refuse_unverified(&authorship.attestations)?;
        }
        Ok((files, authorship))
    }

    /// The identity of the job that this is, where it is named, or where there is no token.
    fn job_identity(&self, session: &Session) -> anyhow::Result<Option<JobIdentity>> {
        let settings = &session.config.settings;
        match &self.identity_token {
            Some(file) => Ok(Some(JobIdentity::File(settings.working.join(file)))),
            None if settings.token_for(&settings.endpoint)?.is_some() => Ok(None),
            None => JobIdentity::of_environment(),
        }
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
}

/// Tells of a version that is there and newer than the one that is pushed: that is the one which
/// users get, while the registry's pages and listings show what was pushed last.
async fn warn_of_newer(client: &Client, upload: &Upload<'_>, printer: &Printer) {
    // A repo that is not there yet has no versions, and whatever else is wrong was told before.
    let Ok(versions) = client.versions(&upload.repo).await else {
        return;
    };
    let pushed = &upload.package.manifest().version;
    let newest = versions.iter().find(|it| it.version.pre.is_empty());
    if let Some(newest) = newest.filter(|newest| newest.version > *pushed) {
        let (repo, newest) = (&upload.repo, &newest.version);
        printer.warning(&format!(
            "{pushed} is lower than {newest}, the newest version of {repo}: `tool load {repo}` and \
             `tool inspect {repo}` take {newest}, but search and the repo's page show {pushed}"
        ));
        printer.hint(&format!(
            "whoever wants this one has to name it: tool load {repo}@{pushed}"
        ));
    }
}

fn say_what_would_happen(
    upload: &Upload<'_>,
    rehearsal: Rehearsal,
    session: &Session,
) -> anyhow::Result<ExitCode> {
    let Session { config, printer } = session;
    let (repo, verified) = (&upload.repo, upload.package);
    let manifest = verified.manifest();
    let already_there = rehearsal == Rehearsal::AlreadyPushed;
    if printer.wants_json() {
        printer.json(&json!({
            "repo": repo,
            "version": manifest.version,
            "digest": verified.pin().digest(),
            "bytes": verified.component().len(),
            "dry_run": true,
            "already_there": already_there,
            "new_repo": rehearsal == Rehearsal::NewRepo,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if already_there {
        printer.note(&format!(
            "{repo} {} is on {} already, unchanged; a push would change nothing",
            manifest.version, config.settings.endpoint
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let new = match rehearsal {
        Rehearsal::NewRepo => " (a new repo)",
        _ => "",
    };
    printer.note(&format!(
        "would push {} {} ({} bytes, {}) to {repo}{new} on {}",
        manifest.name,
        manifest.version,
        verified.component().len(),
        verified.pin().digest(),
        config.settings.endpoint
    ));
    Ok(ExitCode::SUCCESS)
}

/// A package that was built from something else than what the project holds is not what the
/// author means to publish, and a version can never be published again.
fn refuse_the_stale(directory: &Path, package: &Path, shown: &Path) -> anyhow::Result<()> {
    let Some(change) = Sources::change_since(directory, package)? else {
        return Ok(());
    };
    Err(
        Problem::user(format!("the package is not what the sources say: {change}"))
            .hint(format!("build again: tool build {}", shown.display()))
            .into(),
    )
}

/// A wrong signature or attestation is not published: nobody could load the package.
fn not_published(error: Error) -> anyhow::Error {
    match error {
        Error::WrongSignature {
            evidence,
            subject,
            source,
        } => {
            let problem = Problem::refused(format!("the {evidence} of {subject} does not count"));
            let hint = match evidence {
                Evidence::Signature => {
                    "sign the package as it is now: tool push --sign KEY; or remove model.sig"
                }
                Evidence::Attestation => {
                    "have tool.toml and tool.wasm attested to as `tool build` wrote them"
                }
            };
            problem.caused_by(source).hint(hint).into()
        }
        error => error.into(),
    }
}

fn card(package: &Path) -> anyhow::Result<Vec<u8>> {
    let path = package.join(package_file::CARD);
    files::read_regular(&path, CARD_BYTES_MAX)
        .with_context(|| format!("{} cannot be read", path.display()))
        .map_err(|error| {
            Problem::user("the package has no card, by which people and search find it")
                .caused_by(error)
                .hint("write a README.md beside tool.toml and build again")
                .into()
        })
}
