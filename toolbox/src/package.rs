//! Fetches the package that a user names: from a registry by its reference, or from a path.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tool_hub_host::{HostError, Inspection, inspect, inspect_server};
use tool_hub_manifest::{
    AddressError, AdvisoryId, Capabilities, LogEntry, ReferenceError, ServerAddress, ServerCommand,
    ServerUrl, Source, ToolRef, Verified, Version,
};
use tool_hub_registry_client::{AllowedYanks, ClientError, Progress, Resolved};
use url::Url;

use crate::advisories::known::KnownAdvisories;
use crate::advisories::refresh::refresh_configured;
use crate::built_package;
use crate::chosen_version::{ChosenVersion, choose};
use crate::derived_manifest;
use crate::error::Error;
use crate::fetch_options::{FetchOptions, Purpose};
use crate::known_releases::KnownReleases;
use crate::logged_version::not_trusted;
use crate::notices::{Notice, Notices};
use crate::package_signature::{self, PackageSignature};
use crate::policy::policies::Policies;
use crate::policy::subject::OriginSubject;
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// A tool as a user names it. What starts with `.`, `/` or `~`, or ends in
/// `.wasm`, is a path; what starts with `mcp:` or `mcp+https:`, a server; everything else is
/// `owner/name`.
#[derive(Debug, Clone)]
pub enum Subject {
    /// The path of a component, a package or a project.
    Path(PathBuf),
    /// A reference, or the reason why the text is none, and the text.
    Reference(Result<ToolRef, ReferenceError>, String),
    /// An MCP server, or the reason why the text names none.
    Server(Result<ServerAddress, AddressError>),
}

impl FromStr for Subject {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        if let Some(program) = text.strip_prefix("mcp:") {
            let command = ServerCommand::new(vec![program.to_owned()]);
            return Ok(Self::Server(command.map(ServerAddress::Command)));
        }
        if let Some(url) = text.strip_prefix("mcp+") {
            return Ok(Self::Server(ServerUrl::new(url).map(ServerAddress::Remote)));
        }
        let is_path =
            text.starts_with(['.', '/', '~']) || text.ends_with(".wasm") && address(text).is_none();
        Ok(if is_path {
            Self::Path(PathBuf::from(text))
        } else {
            Self::Reference(text.parse(), text.to_owned())
        })
    }
}

/// A tool whose bytes are at hand and agree with their manifest.
#[derive(Debug)]
pub struct Fetched {
    /// The bytes.
    pub verified: Verified,
    /// The place.
    pub origin: FetchedFrom,
    /// The signature.
    pub signature: PackageSignature,
    /// The place of the version in the log of its registry, if that keeps one.
    pub logged: Option<LogEntry>,
    /// The advisories that would refuse it and were allowed.
    pub allowed_advisories: BTreeSet<AdvisoryId>,
}

/// The place a fetched tool came from.
#[derive(Debug)]
pub enum FetchedFrom {
    /// A registry.
    Registry {
        /// Its URL.
        endpoint: Url,
        /// The reference that was resolved.
        reference: ToolRef,
        /// The commit that it resolved to.
        resolved: Box<Resolved>,
    },
    /// This disk.
    File {
        /// The component, package or project.
        path: PathBuf,
    },
    /// An MCP server, which was started to say what its tools are.
    Server {
        /// Its command or URL.
        address: ServerAddress,
    },
    /// The store, which has it since it was approved.
    Approved(Source),
}

impl FetchedFrom {
    /// The place as a lock records it.
    pub fn source(&self) -> Source {
        match self {
            Self::Registry {
                endpoint, resolved, ..
            } => Source::Registry {
                endpoint: endpoint.clone(),
                repo: resolved.repo.clone(),
                commit: resolved.commit.clone(),
            },
            Self::File { path } => Source::File { path: path.clone() },
            Self::Server { address } => Source::Server {
                address: address.clone(),
            },
            Self::Approved(source) => source.clone(),
        }
    }
}

impl Fetched {
    /// Inspects it: the component, or the description of the server.
    ///
    /// # Errors
    /// As [`inspect`] and [`inspect_server`].
    pub fn inspect(&self) -> Result<Inspection, HostError> {
        inspect_from(&self.origin.source(), &self.verified)
    }

    /// The tool as a user names it.
    pub fn subject(&self) -> String {
        match &self.origin {
            FetchedFrom::Registry { reference, .. } => reference.to_string(),
            FetchedFrom::File { path } => path.display().to_string(),
            FetchedFrom::Approved(Source::Registry { endpoint, repo, .. }) => {
                format!("{endpoint}{repo}")
            }
            FetchedFrom::Approved(Source::File { path }) => path.display().to_string(),
            FetchedFrom::Server { address } | FetchedFrom::Approved(Source::Server { address }) => {
                address.to_string()
            }
        }
    }
}

/// Inspects what was had from `source`. Only what was had from a server is taken for one: whatever
/// a registry or a file has in its place is no component.
///
/// # Errors
/// As [`inspect`] and [`inspect_server`].
pub fn inspect_from(source: &Source, verified: &Verified) -> Result<Inspection, HostError> {
    match source {
        Source::Server { .. } => inspect_server(verified),
        Source::Registry { .. } | Source::File { .. } => inspect(verified),
    }
}

/// Whoever follows a fetch while it goes on.
#[derive(Clone, Copy)]
pub struct Watchers<'a> {
    /// Is told of bytes that arrive.
    pub progress: &'a dyn Progress,
    /// Is told of what a person should know.
    pub notices: &'a dyn Notices,
}

impl fmt::Debug for Watchers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchers").finish_non_exhaustive()
    }
}

impl Subject {
    /// Gets the tool's bytes: from the registry at `endpoint` into the store, or from the disk. The
    /// bytes are inert until they are approved.
    ///
    /// # Errors
    /// [`Error::NotAReference`], [`Error::WrongSignature`], [`Error::Advised`], [`Error::Policy`],
    /// and if the tool cannot be read, pulled or verified.
    pub async fn fetch(
        &self,
        options: FetchOptions,
        endpoint: &Url,
        settings: &Settings,
        watchers: Watchers<'_>,
    ) -> Result<Fetched, Error> {
        let (reference, text) = match self {
            Self::Path(path) => {
                let (asked, notices) = (options.asked, watchers.notices);
                return from_disk(path, asked, options.purpose, settings, notices);
            }
            Self::Reference(reference, text) => (reference, text),
            Self::Server(Ok(address)) => {
                return Err(Error::ServerNotHere {
                    address: address.clone(),
                });
            }
            Self::Server(Err(error)) => return Err(error.clone().into()),
        };
        let there = settings.working.join(text);
        let there = there.exists().then_some(there);
        let reference = match reference {
            Ok(reference) => reference.clone(),
            Err(error) => {
                return Err(Error::NotAReference {
                    text: text.clone(),
                    address: address(text).map(Box::new),
                    there,
                    source: error.clone(),
                });
            }
        };
        let Watchers { progress, notices } = watchers;
        if there.is_some() {
            notices.notice(&Notice::NamedLikeAPath { text });
        }
        let policies = policies_for(options.purpose, settings)?;
        policies.check_repo(&reference.to_string(), endpoint, &reference.repo)?;
        let client = settings.client(endpoint, notices)?;
        let chosen = choose(&reference, &options, &client, settings, notices).await?;
        let ChosenVersion {
            resolved,
            logged,
            is_new,
        } = chosen;
        KnownReleases::note(settings, endpoint, &resolved.repo, &resolved.releases)?;
        let source = Source::Registry {
            endpoint: endpoint.clone(),
            repo: resolved.repo.clone(),
            commit: resolved.commit.clone(),
        };
        for branch in &resolved.version_branches {
            notices.notice(&Notice::VersionBranch {
                repo: &resolved.repo,
                branch: &branch.name,
                is_tag_too: branch.is_tag_too,
            });
        }
        let store = settings.open_store()?;
        let verified = client.pull(&resolved, &store, progress).await?;
        let version = &verified.manifest().version;
        check_releases(&resolved, version, &options.allowed_yanks, notices)?;
        if let Some(logged) = &logged {
            let said = resolved.releases.yanked.get(version);
            logged
                .check(&resolved.commit, verified.pin())
                .and_then(|()| {
                    logged.check_yank(&resolved.repo, version, said.map(|yank| yank.severity))
                })
                .map_err(|source| not_trusted(endpoint, settings, source))?;
        }
        refresh_configured(settings, notices).await?;
        let known = KnownAdvisories::read(settings)?;
        let place = (endpoint, &resolved.repo);
        let allowed = &options.allowed_advisories;
        let allowed_advisories = allowed.check(&known, place, version, notices)?;
        let files = client.signature(&resolved).await?;
        let keys = SigningKeys::read(settings)?;
        let signature = PackageSignature::verify(files.as_ref(), &verified, &keys);
        let signature = signature.map_err(|source| Error::WrongSignature {
            subject: reference.to_string(),
            source,
        })?;
        let entry = logged.map(|logged| logged.entry(is_new));
        let about = known.about(endpoint, &resolved.repo, version).into_iter();
        let origin = OriginSubject {
            source: &source,
            version,
            signer: signature.signer(),
            yank: resolved.releases.yanked.get(version),
            advisories: about.map(|found| found.advisory).collect(),
            logged: entry.as_ref(),
        };
        policies.check_origin(&reference.to_string(), &origin)?;
        Ok(Fetched {
            verified,
            signature,
            logged: entry,
            allowed_advisories,
            origin: FetchedFrom::Registry {
                endpoint: endpoint.clone(),
                reference,
                resolved: Box::new(resolved),
            },
        })
    }
}

/// Tells of what the repo says of the `version` that was fetched, and refuses it where that is not
/// allowed: the head of a branch may hold a yanked version, too.
fn check_releases(
    resolved: &Resolved,
    version: &Version,
    allowed: &AllowedYanks,
    notices: &dyn Notices,
) -> Result<(), Error> {
    let Resolved { repo, releases, .. } = resolved;
    if let Some(yank) = releases.yanked.get(version) {
        if !allowed.allow(version, yank) {
            return Err(Error::from(ClientError::VersionYanked {
                repo: repo.clone(),
                version: version.clone(),
                yank: Box::new(yank.clone()),
            }));
        }
        notices.notice(&Notice::YankedVersionFetched {
            repo,
            version,
            yank,
        });
    }
    if let Some((newer, yank)) = resolved.passed_over.first() {
        notices.notice(&Notice::PassedOver {
            repo,
            version: newer,
            yank,
            taken: version,
        });
    }
    if let Some(deprecation) = &releases.deprecated {
        notices.notice(&Notice::Deprecated { repo, deprecation });
    }
    Ok(())
}

/// The policies that apply to a fetch for `purpose`.
fn policies_for(purpose: Purpose, settings: &Settings) -> Result<Policies, Error> {
    match purpose {
        Purpose::Use => Ok(Policies::read(settings)?),
        Purpose::Look => Ok(Policies::default()),
    }
}

fn from_disk(
    path: &Path,
    asked: Capabilities,
    purpose: Purpose,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<Fetched, Error> {
    // Without the `.` of `./x`, which would only be noise in the lock.
    let path: PathBuf = settings.place(path).components().collect();
    let (verified, signature) = match path.is_dir() {
        true => {
            let verified = built_package::read(&path)?;
            let directory = built_package::directory(&path)?;
            let signed = package_signature::verified_in(&directory, &verified, settings)?;
            let signature = signed.map_or_else(PackageSignature::none, |(_, signature)| signature);
            (verified, signature)
        }
        false => {
            let verified = derived_manifest::read(&path, asked)?;
            notices.notice(&Notice::ManifestDerived);
            (verified, PackageSignature::none())
        }
    };
    let origin = OriginSubject {
        source: &Source::File { path: path.clone() },
        version: &verified.manifest().version,
        signer: signature.signer(),
        yank: None,
        advisories: Vec::new(),
        logged: None,
    };
    let policies = policies_for(purpose, settings)?;
    policies.check_origin(&path.display().to_string(), &origin)?;
    Ok(Fetched {
        verified,
        signature,
        logged: None,
        allowed_advisories: BTreeSet::new(),
        origin: FetchedFrom::File { path },
    })
}

/// The URL, if the user gave one in place of a name.
fn address(text: &str) -> Option<Url> {
    let url: Url = text.parse().ok()?;
    text.contains("://").then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_references_are_told_apart() {
        for text in ["./x", "/x", "../x/y", "adder.wasm", "a/b.wasm", "."] {
            assert!(matches!(text.parse(), Ok(Subject::Path(_))), "{text}");
        }
        for text in [
            "demo/x",
            "demo/x@1.0.0",
            "demo",
            "a/b/c",
            "https://example.org/x.wasm",
            "https://example.org/x",
        ] {
            assert!(matches!(text.parse(), Ok(Subject::Reference(..))), "{text}");
        }
    }
}
