//! The open `Bundle`, and the check of each tool in it, for which nobody is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use time::OffsetDateTime;
use tool_hub_manifest::{
    DependencyRequest, Digest, Interpreter, Package, Revision, Source, ToolName, ToolRef, Verified,
};
use tool_hub_registry_client::{
    ATTESTATIONS_BYTES_MAX, CARD_BYTES_MAX, COMPONENT_BYTES_MAX, ClientError, MANIFEST_BYTES_MAX,
    Resolved, SBOM_BYTES_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX, SignatureFiles,
    VersionRecords,
};

use super::archive::{BundleArchive, unusable};
use super::carried_advisories;
use super::error::BundleError;
use super::index::{BundleIndex, BundledTool};
use super::log_records;
use super::origin::{BundleOrigin, Doubt};
use crate::advisories::known::{KeptSource, KnownAdvisories};
use crate::advisories::source::AdvisorySource;
use crate::chosen_version::ChosenVersion;
use crate::error::Error;
use crate::fetch_options::{AllowedNew, FetchOptions};
use crate::fetched::Fetched;
use crate::known_logs::KnownLogs;
use crate::known_releases::KnownReleases;
use crate::known_releases::known_repo::yank_at_least;
use crate::logged_version::LoggedVersion;
use crate::logged_version::error::LogError;
use crate::notices::Notices;
use crate::published_version::PublishedVersion;
use crate::registry_fetch::policies_for;
use crate::settings::Settings;

/// The most bytes of a log's records of one version.
const RECORDS_BYTES_MAX: u64 = 1 << 20;

/// An open bundle. Its members are those that its index names, by their digests.
#[derive(Debug)]
pub struct Bundle {
    path: PathBuf,
    archive: BundleArchive,
    index: BundleIndex,
    /// Those that were read already, which tools share.
    interpreters: BTreeMap<Digest, Interpreter>,
}

impl Bundle {
    /// Opens the bundle at `path`, and hashes all of it.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Bundle`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let (archive, index) = BundleArchive::open_at(path)?;
        Ok(Self {
            path: path.to_owned(),
            archive,
            index,
            interpreters: BTreeMap::new(),
        })
    }

    /// The tools called `names`, each a repo or the last part of one; all of them if none is named.
    ///
    /// # Errors
    /// [`Error::Bundle`] if it has no tool of a name, or several.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<BundledTool>, Error> {
        if names.is_empty() {
            return Ok(self.index.tools.clone());
        }
        let named = |name: &String| {
            let is_called = |tool: &&BundledTool| tool.is_called(name);
            let mut found = self.index.tools.iter().filter(is_called);
            match (found.next(), found.next()) {
                (Some(tool), None) => Ok(tool.clone()),
                _ => Err(self.unusable(BundleError::NoSuchTool {
                    name: name.clone(),
                    known: self
                        .index
                        .tools
                        .iter()
                        .map(|it| it.repo.to_string())
                        .collect(),
                })),
            }
        };
        names.iter().map(named).collect()
    }

    /// Checks one of its tools and all that it depends on as if they had come from their registry:
    /// the package, its signature, the records of the log, yanks, advisories, age and policies. It
    /// asks nobody, and writes nothing.
    ///
    /// # Errors
    /// [`Error::Bundle`], [`Error::WrongSignature`], [`Error::Client`] for a version that was
    /// yanked, [`Error::Advised`], [`Error::Policy`], [`Error::Dependency`].
    pub fn check(
        &mut self,
        tool: &BundledTool,
        options: &FetchOptions,
        settings: &Settings,
        notices: &dyn Notices,
    ) -> Result<Fetched, Error> {
        let mut fetched = self.check_alone(tool, options, settings, notices)?;
        let manifest = fetched.verified.manifest();
        tool.check_dependencies(&manifest.dependencies)
            .map_err(unusable(&self.path))?;
        for (name, bundled) in &tool.dependencies {
            let options = options.of_dependency(name, &bundled.repo);
            let found = self.check(bundled, &options, settings, notices);
            let found = found.map_err(|source| Error::Dependency {
                name: name.clone(),
                of: fetched.verified.manifest().name.clone(),
                source: Box::new(source),
            })?;
            if let (Some(bundle), Some(below)) = (&mut fetched.bundle, &found.bundle) {
                bundle.add_doubts_of(below);
            }
            fetched.dependencies.insert(name.clone(), found);
        }
        Ok(fetched)
    }

    /// Checks one tool, without those that it depends on.
    fn check_alone(
        &mut self,
        tool: &BundledTool,
        options: &FetchOptions,
        settings: &Settings,
        notices: &dyn Notices,
    ) -> Result<Fetched, Error> {
        let reference = ToolRef {
            repo: tool.repo.clone(),
            revision: Revision::Newest,
        };
        let policies = policies_for(options.purpose, settings)?;
        policies.check_repo(&reference.to_string(), &tool.registry, &tool.repo)?;
        let verified = self.package(tool).map_err(unusable(&self.path))?;
        let signature = self.signature(tool).map_err(unusable(&self.path))?;
        let (logged, doubts) = self.logged(tool, settings)?;
        let is_known = |doubt: &Doubt| !matches!(doubt, Doubt::NoRecord | Doubt::UnknownLog { .. });
        let is_proved = doubts.iter().all(is_known);
        if !is_proved {
            // The registry is the word of whoever made the bundle, so it counts as a file as well.
            let path = self.path.clone();
            policies.check_place(&reference.to_string(), &Source::File { path })?;
        }
        let chosen = ChosenVersion {
            resolved: resolved(tool, options, settings)?,
            is_new: self.is_new(tool, logged.as_ref(), options, settings)?,
            logged,
        };
        let carried = self.advisories().map_err(unusable(&self.path))?;
        let version = PublishedVersion {
            endpoint: &tool.registry,
            reference: &reference,
            chosen,
            verified,
            signature,
            is_proved,
            advisories: KnownAdvisories::read(settings)?.and(carried),
        };
        let checked = version.check(options, &policies, settings, notices);
        let fetched = checked.map_err(|error| self.of_bundle(error))?;
        let actual = fetched.signature.signer();
        if actual != tool.signer.as_ref() {
            return Err(self.unusable(BundleError::OtherSigner {
                repo: tool.repo.clone(),
                expected: tool.signer.clone().map(Box::new),
                actual: actual.cloned().map(Box::new),
            }));
        }
        Ok(Fetched {
            bundle: Some(BundleOrigin {
                path: self.path.clone(),
                is_proved,
                doubts,
            }),
            ..fetched
        })
    }

    fn package(&mut self, tool: &BundledTool) -> Result<Verified, BundleError> {
        let files = &tool.files;
        let package = Package {
            manifest: self.archive.read(files.manifest, MANIFEST_BYTES_MAX)?,
            component: self.archive.read(files.component, COMPONENT_BYTES_MAX)?,
            interpreter: match files.interpreter {
                Some(digest) => Some(self.interpreter(digest)?),
                None => None,
            },
            sbom: self.optional(files.sbom, SBOM_BYTES_MAX)?,
        };
        let verified = Verified::check(package).map_err(|source| BundleError::NotThePackage {
            repo: tool.repo.clone(),
            source,
        })?;
        let actual = &verified.manifest().version;
        match *actual == tool.version {
            true => Ok(verified),
            false => Err(BundleError::OtherVersion {
                repo: tool.repo.clone(),
                version: tool.version.clone(),
                actual: actual.clone(),
            }),
        }
    }

    fn interpreter(&mut self, digest: Digest) -> Result<Interpreter, BundleError> {
        if let Some(known) = self.interpreters.get(&digest) {
            return Ok(known.clone());
        }
        let read = Interpreter::hashed(self.archive.read(digest, COMPONENT_BYTES_MAX)?);
        self.interpreters.insert(digest, read.clone());
        Ok(read)
    }

    fn signature(&mut self, tool: &BundledTool) -> Result<Option<SignatureFiles>, BundleError> {
        let files = &tool.files;
        if files.signature.is_none() && files.attestations.is_none() {
            return Ok(None);
        }
        Ok(Some(SignatureFiles {
            bundle: self.optional(files.signature, SIGNATURE_BYTES_MAX)?,
            attestations: self.optional(files.attestations, ATTESTATIONS_BYTES_MAX)?,
            signer: self.optional(files.signer, SIGNER_BYTES_MAX)?,
            rotation: self.optional(files.rotation, SIGNATURE_BYTES_MAX)?,
            card: self.optional(files.card, CARD_BYTES_MAX)?,
        }))
    }

    fn optional(
        &mut self,
        digest: Option<Digest>,
        bytes_max: u64,
    ) -> Result<Option<Vec<u8>>, BundleError> {
        let read = digest.map(|digest| self.archive.read(digest, bytes_max));
        read.transpose()
    }

    /// The version as the log has it. Where this machine has seen a log of the registry, there has
    /// to be a record of it.
    fn logged(
        &mut self,
        tool: &BundledTool,
        settings: &Settings,
    ) -> Result<(Option<LoggedVersion>, Vec<Doubt>), Error> {
        let known = KnownLogs::read(settings)?;
        let known = known.of(&tool.registry);
        let witnesses = settings.witnesses_of(&tool.registry);
        // The key is known before the log was seen, where the user named it.
        let named = settings.log_dataset(&tool.registry).map(|log| &log.key);
        let Some(digest) = tool.log else {
            return match (known.map(|log| &log.key).or(named), witnesses) {
                (None, None) => Ok((None, vec![Doubt::NoRecord])),
                _ => Err(self.unusable(BundleError::NotLogged {
                    repo: tool.repo.clone(),
                    version: tool.version.clone(),
                    endpoint: Box::new(tool.registry.clone()),
                })),
            };
        };
        let records = self
            .archive
            .json::<VersionRecords>(digest, RECORDS_BYTES_MAX);
        let records = records.map_err(unusable(&self.path))?;
        let now = OffsetDateTime::now_utc();
        let subject = (&tool.repo, &tool.version);
        let checked = match named {
            Some(named) if *named != records.key => Err(LogError::OtherKey {
                before: Box::new(named.clone()),
                now: Box::new(records.key.clone()),
            }),
            _ => log_records::check(&records, subject, known, witnesses, now),
        };
        let (logged, doubts) = checked.map_err(|source| {
            self.unusable(BundleError::Log {
                endpoint: Box::new(tool.registry.clone()),
                source: Box::new(source),
            })
        })?;
        Ok((Some(logged), doubts))
    }

    /// True if the version is younger than the user's release age, and taken nevertheless.
    fn is_new(
        &self,
        tool: &BundledTool,
        logged: Option<&LoggedVersion>,
        options: &FetchOptions,
        settings: &Settings,
    ) -> Result<bool, Error> {
        let Some(logged) = logged else {
            return Ok(false);
        };
        let is_new = OffsetDateTime::now_utc() - logged.published() < settings.release_age;
        match options.allowed_new {
            AllowedNew::IfNoOther | AllowedNew::Any => Ok(is_new),
            _ if !is_new => Ok(false),
            AllowedNew::None | AllowedNew::InUse => Err(self.unusable(BundleError::TooNew {
                repo: tool.repo.clone(),
                version: tool.version.clone(),
                published: logged.entry(true).at,
                days: settings.release_age.whole_days(),
            })),
        }
    }

    /// The advisories that it carries. They count for what it holds, and are not kept.
    fn advisories(&mut self) -> Result<KeptSource, BundleError> {
        Ok(KeptSource {
            source: AdvisorySource::Path(self.path.clone()),
            registry: None,
            revision: None,
            advisories: carried_advisories::read(&mut self.archive, &self.index)?,
            faults: Vec::new(),
            faulty: 0,
        })
    }

    fn unusable(&self, error: BundleError) -> Error {
        unusable(&self.path)(error)
    }

    /// An error of the registry's log, which is the bundle's here.
    fn of_bundle(&self, error: Error) -> Error {
        match error {
            Error::Log {
                endpoint, source, ..
            } => self.unusable(BundleError::Log { endpoint, source }),
            error => error,
        }
    }
}

impl BundledTool {
    /// Holds the tools that it depends on against those that its manifest asks for.
    fn check_dependencies(
        &self,
        asked: &BTreeMap<ToolName, DependencyRequest>,
    ) -> Result<(), BundleError> {
        let names: BTreeSet<&ToolName> = asked.keys().chain(self.dependencies.keys()).collect();
        for name in names {
            let (asked, found) = (asked.get(name), self.dependencies.get(name));
            if let (Some(asked), Some(found)) = (asked, found)
                && found.repo == asked.repo
                && found.registry == self.registry
                && asked.version.matches(&found.version)
            {
                continue;
            }
            let nothing = || "nothing".to_owned();
            return Err(BundleError::OtherDependency {
                repo: self.repo.clone(),
                name: name.clone(),
                expected: asked.map_or_else(nothing, |it| {
                    format!("{} {} of {}", it.repo, it.version, self.registry)
                }),
                actual: found.map_or_else(nothing, |it| {
                    format!("{} {} of {}", it.repo, it.version, it.registry)
                }),
            });
        }
        Ok(())
    }

    fn is_called(&self, name: &str) -> bool {
        let called = self.repo.name().replace('-', "_");
        self.repo.as_str() == name || called == name.replace('-', "_")
    }
}

/// The commit, with what the bundle says of the tool's versions. A yank that is known here counts,
/// too, whatever the bundle says.
fn resolved(
    tool: &BundledTool,
    options: &FetchOptions,
    settings: &Settings,
) -> Result<Resolved, Error> {
    let known = KnownReleases::read(settings)?;
    let (registry, repo, version) = (&tool.registry, &tool.repo, &tool.version);
    let mut releases = tool.releases.clone();
    if let Some(yank) = known.yank(registry, repo, version) {
        if !options.allowed_yanks.allow(version, yank) {
            return Err(Error::from(ClientError::VersionYanked {
                repo: repo.clone(),
                version: version.clone(),
                yank: Box::new(yank.clone()),
            }));
        }
        yank_at_least(&mut releases.yanked, version, yank);
    }
    if releases.deprecated.is_none() {
        releases.deprecated = known.deprecation(registry, repo).cloned();
    }
    Ok(Resolved {
        repo: tool.repo.clone(),
        commit: tool.commit.clone(),
        version: Some(tool.version.clone()),
        version_branches: Vec::new(),
        releases,
        passed_over: Vec::new(),
    })
}
