//! `tool push`: publishes a package to a registry as one commit, and a tag for the version.
//! The commit has manifest, component and card. The tag never changes afterwards.

mod attestation;
mod job_identity;
mod keyless;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tool_hub_manifest::{RepoId, Verified, package_file};
use tool_hub_registry_client::{
    CARD_BYTES_MAX, Client, Push as Upload, PushOutcome, PushReport, Rehearsal, SignatureFiles,
    Visibility,
};
use tool_hub_toolbox::authorship::{self, Authorship};
use tool_hub_toolbox::evidence::Evidence;
use tool_hub_toolbox::signing_keys::SigningKeys;
use tool_hub_toolbox::{Error, built_package};

use job_identity::{GivenIdentities, JobIdentity};
use keyless::{KeylessFlags, KeylessSigner};

use crate::build::Sources;
use crate::commands::check::steering_characters;
use crate::commands::key::signing_key::SigningKey;
use crate::commands::load::refusals::check_refusals;
use crate::commands::test::before_a_push;
use crate::consent::authorship_json::{attestations_json, signer_json};
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

    #[command(flatten)]
    keyless: KeylessFlags,

    /// Publish as the job of a build service whose identity token is in this file, without a token
    /// of yours; GitHub's and GitLab's are found where there is no token. With --keyless one whose
    /// audience is `sigstore` signs instead, and the option may be given twice
    #[arg(long, value_name = "FILE")]
    identity_token: Vec<PathBuf>,

    /// Check everything, ask the registry what is there, and publish nothing
    #[arg(long)]
    dry_run: bool,
}

impl Push {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let settings = &config.settings;
        let keyless = self.keyless.is_wanted();
        let mut given = GivenIdentities::read(&self.identity_token, keyless, settings)?;
        let signer = self.keyless.signer(&mut given, session)?;
        let directory = settings.working.join(&self.directory);
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
        let mut client = settings.writing_client(&settings.endpoint, printer)?;
        let mut release = Release {
            repo: self.repo(&client, &verified).await?,
            package: &verified,
            card: &card,
            files,
            authorship,
            is_signed_anew: self.sign.is_some() || signer.is_some(),
            visibility: match self.private {
                true => Visibility::Private,
                false => Visibility::Public,
            },
        };
        if self.dry_run {
            let rehearsal = release.rehearse(&client, signer.is_some()).await?;
            warn_of_newer(&client, &release, printer).await;
            return say_what_would_happen(&release, rehearsal, session);
        }
        let job = self.job_identity(given.publishes, signer.as_ref(), session)?;
        if let Some(job) = &job {
            client = job.sign_in(&release.repo, session).await?;
        }
        let pushed = release.publish(&client, signer.as_ref(), session).await;
        if job.is_some() {
            job_identity::sign_out(&client, printer).await;
        }
        let pushed = pushed?;
        warn_of_losses(&pushed, printer);
        warn_of_newer(&client, &release, printer).await;
        say_what_happened(&release, &pushed, printer)
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
            // The signature is made last, because it is in a public log from then on.
            None if self.keyless.is_wanted() => SignatureFiles {
                card: Some(card.to_vec()),
                attestations,
                ..SignatureFiles::default()
            },
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

    /// The identity of the job that this is: `given`, or where there is no token.
    fn job_identity(
        &self,
        given: Option<JobIdentity>,
        signer: Option<&KeylessSigner>,
        session: &Session,
    ) -> anyhow::Result<Option<JobIdentity>> {
        let settings = &session.config.settings;
        if given.is_some() || settings.token_for(&settings.endpoint)?.is_some() {
            return Ok(given);
        }
        let found = JobIdentity::to_publish()?;
        match (&found, signer) {
            (None, Some(signer)) => Err(signer.publishes_nothing()),
            _ => Ok(found),
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

/// A version with all that is published of it.
struct Release<'a> {
    repo: RepoId,
    package: &'a Verified,
    card: &'a [u8],
    files: SignatureFiles,
    authorship: Authorship,
    /// True if the signature is made for this push: no two of one key are equal.
    is_signed_anew: bool,
    visibility: Visibility,
}

impl Release<'_> {
    fn upload<'a>(&'a self, files: &'a SignatureFiles) -> Upload<'a> {
        let manifest = self.package.manifest();
        Upload {
            repo: self.repo.clone(),
            package: self.package,
            card: self.card,
            signature: Some(files),
            visibility: self.visibility,
            message: format!("{} {}", manifest.name, manifest.version),
        }
    }

    /// The files in `differing` to warn of. They are those in which this package differs from the
    /// version that is there already; a signature that was made anew always does.
    fn not_published(&self, differing: &[&'static str]) -> Vec<&'static str> {
        let counts = |name: &&str| !(self.is_signed_anew && *name == package_file::SIGNATURE);
        differing.iter().copied().filter(counts).collect()
    }

    /// Asks what a push would find, of a release that is to have a keyless signature or not.
    async fn rehearse(&self, client: &Client, is_keyless: bool) -> anyhow::Result<Rehearsal> {
        let mut files = self.files.clone();
        if is_keyless {
            // No two are equal, so all that is looked for is whether there is one.
            files.bundle = Some(Vec::new());
        }
        Ok(client.rehearse(&self.upload(&files)).await?)
    }

    /// Has `signer` sign what the registry does not have yet, and pushes.
    async fn publish(
        &mut self,
        client: &Client,
        signer: Option<&KeylessSigner>,
        session: &Session,
    ) -> anyhow::Result<PushReport> {
        if let Some(signer) = signer
            && !matches!(
                self.rehearse(client, true).await?,
                Rehearsal::AlreadyPushed { .. }
            )
        {
            let attestations = self.files.attestations.take();
            let signed = signer.sign(self.package, self.card, attestations, session);
            (self.files, self.authorship.signature) = signed.await?;
        }
        let bars = Bars::start(&session.printer);
        let pushed = client.push(&self.upload(&self.files), &bars).await;
        bars.finish();
        Ok(pushed?)
    }
}

/// Tells of what the version before had and this one has not.
fn warn_of_losses(pushed: &PushReport, printer: &Printer) {
    if pushed.signature_lost {
        printer.warning("the version before was signed, and this one is not: whoever loaded it is asked before an update takes this one");
    }
    if pushed.signer_changed {
        printer.warning("the version before was signed with another key, and nothing says that this one replaces it: whoever loaded it is asked before an update takes this one");
        printer
            .hint("where a key is to be replaced, make the new one with: tool key rotate OLD NEW");
    }
    if pushed.attestations_lost {
        printer.warning("the version before had an attestation, and this one has none: whoever loaded it is asked before an update takes this one");
    }
}

/// Tells of a version that is there and newer than the one that is pushed: that is the one which
/// users get, while the registry's pages and listings show what was pushed last.
async fn warn_of_newer(client: &Client, release: &Release<'_>, printer: &Printer) {
    // A repo that is not there yet has no versions, and whatever else is wrong was told before.
    let Ok(versions) = client.versions(&release.repo).await else {
        return;
    };
    let pushed = &release.package.manifest().version;
    let newest = versions.iter().find(|it| it.version.pre.is_empty());
    if let Some(newest) = newest.filter(|newest| newest.version > *pushed) {
        let (repo, newest) = (&release.repo, &newest.version);
        printer.warning(&format!(
            "{pushed} is lower than {newest}, the newest version of {repo}: `tool load {repo}` and \
             `tool inspect {repo}` take {newest}, but search and the repo's page show {pushed}"
        ));
        printer.hint(&format!(
            "whoever wants this one has to name it: tool load {repo}@{pushed}"
        ));
    }
}

/// Tells of `files` that differ from those of the version that is there.
fn warn_of_unpublished(release: &Release<'_>, files: &[&str], printer: &Printer) {
    if files.is_empty() {
        return;
    }
    let version = &release.package.manifest().version;
    printer.warning(&format!(
        "{} {version} is there already and never changes: what differs in this package is not \
         published: {}",
        release.repo,
        files.join(", ")
    ));
    printer.hint("to publish it, raise `version` in tool.toml, build and push again");
}

fn say_what_happened(
    release: &Release<'_>,
    pushed: &PushReport,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    let Authorship {
        signature,
        attestations,
    } = &release.authorship;
    let not_published = release.not_published(&pushed.differing);
    warn_of_unpublished(release, &not_published, printer);
    if printer.wants_json() {
        printer.json(&json!({
            "repo": pushed.repo,
            "version": pushed.version,
            "commit": pushed.commit,
            "url": pushed.url,
            "digest": release.package.pin().digest(),
            "signer": signer_json(signature),
            "attestations": attestations_json(attestations),
            "already_there": pushed.outcome == PushOutcome::AlreadyPushed,
            "not_published": not_published,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let done = match pushed.outcome {
        // Its signature and attestations may be others than those of this package.
        PushOutcome::AlreadyPushed if !not_published.is_empty() => {
            printer.note(&format!(
                "{} {} stays as it is: {}",
                pushed.repo, pushed.version, pushed.url
            ));
            return Ok(ExitCode::SUCCESS);
        }
        PushOutcome::AlreadyPushed => "is there already, unchanged",
        _ => "pushed",
    };
    let signed = release.files.bundle.as_ref();
    let signed = signed.map(|_| format!(", {}", signature.in_words()));
    let signed = signed.unwrap_or_default();
    if let Some(why) = signature.unverifiable() {
        printer.warning(&format!("its signature cannot be verified here: {why}"));
    }
    let attested = attestations.verified().iter();
    let attested: String = attested.map(|it| format!(", {}", it.in_words())).collect();
    printer.note(&format!(
        "{} {} {done}{signed}{attested}: {}",
        pushed.repo, pushed.version, pushed.url
    ));
    printer.hint(&format!(
        "anybody who may read it can run: tool load {} --allow-new; once it is a few days old, \
         without --allow-new",
        pushed.repo
    ));
    Ok(ExitCode::SUCCESS)
}

fn say_what_would_happen(
    release: &Release<'_>,
    rehearsal: Rehearsal,
    session: &Session,
) -> anyhow::Result<ExitCode> {
    let Session { config, printer } = session;
    let (repo, verified) = (&release.repo, release.package);
    let manifest = verified.manifest();
    let differing = match &rehearsal {
        Rehearsal::AlreadyPushed { differing } => Some(release.not_published(differing)),
        _ => None,
    };
    warn_of_unpublished(release, differing.as_deref().unwrap_or_default(), printer);
    if printer.wants_json() {
        printer.json(&json!({
            "repo": repo,
            "version": manifest.version,
            "digest": verified.pin().digest(),
            "bytes": verified.component().len(),
            "dry_run": true,
            "already_there": differing.is_some(),
            "not_published": differing.unwrap_or_default(),
            "new_repo": rehearsal == Rehearsal::NewRepo,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(differing) = differing {
        let state = match differing.is_empty() {
            true => ", unchanged",
            false => "",
        };
        printer.note(&format!(
            "{repo} {} is on {} already{state}; a push would change nothing",
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
