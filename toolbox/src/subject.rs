//! Fetches the package that a user names: from a registry by its reference, or from a path.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tool_hub_manifest::{
    AddressError, Capabilities, ReferenceError, ServerAddress, ServerCommand, ServerUrl, Source,
    ToolRef,
};
use url::Url;

use crate::authorship::Authorship;
use crate::built_package;
use crate::bundle::origin::EXTENSION;
use crate::dependencies;
use crate::derived_manifest;
use crate::error::Error;
use crate::fetch_options::{FetchOptions, Purpose};
use crate::fetched::{Fetched, FetchedFrom};
use crate::notices::{Notice, Notices};
use crate::policy::subject::OriginSubject;
use crate::registry_fetch::{Watchers, from_registry, policies_for};
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// A tool as a user names it. What starts with `.`, `/` or `~`, or ends in
/// `.wasm` or `.tools`, is a path; what starts with `mcp:` or `mcp+https:`, a server; everything
/// else is `owner/name`.
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
        let is_file = text.ends_with(".wasm") || text.ends_with(EXTENSION);
        let is_path = text.starts_with(['.', '/', '~']) || is_file && address(text).is_none();
        Ok(if is_path {
            Self::Path(PathBuf::from(text))
        } else {
            Self::Reference(text.parse(), text.to_owned())
        })
    }
}

impl Subject {
    /// The path of the bundle that it names, if it does.
    pub fn bundle(&self, settings: &Settings) -> Option<PathBuf> {
        let Self::Path(path) = self else {
            return None;
        };
        let path: PathBuf = settings.place(path).components().collect();
        let is_bundle = path.to_string_lossy().ends_with(EXTENSION);
        (is_bundle && !path.is_dir()).then_some(path)
    }

    /// Gets the tool's bytes: from the registry at `endpoint` into the store, or from the disk; and
    /// those of the tools that it depends on, from that registry. The bytes are inert until they
    /// are approved.
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
        let mut fetched = self
            .fetch_itself(&options, endpoint, settings, watchers)
            .await?;
        dependencies::fetch(&mut fetched, &options, endpoint, settings, watchers).await?;
        Ok(fetched)
    }

    /// The tool without those that it depends on.
    async fn fetch_itself(
        &self,
        options: &FetchOptions,
        endpoint: &Url,
        settings: &Settings,
        watchers: Watchers<'_>,
    ) -> Result<Fetched, Error> {
        match self {
            Self::Path(path) => {
                let (asked, notices) = (options.asked.clone(), watchers.notices);
                from_disk(path, asked, options.purpose, settings, notices)
            }
            Self::Reference(reference, text) => {
                let there = settings.working.join(text);
                let there = there.exists().then_some(there);
                match reference {
                    Ok(reference) => {
                        if there.is_some() {
                            watchers.notices.notice(&Notice::NamedLikeAPath { text });
                        }
                        from_registry(reference, options, endpoint, settings, watchers).await
                    }
                    Err(error) => Err(Error::NotAReference {
                        text: text.clone(),
                        address: address(text).map(Box::new),
                        there,
                        source: error.clone(),
                    }),
                }
            }
            Self::Server(Ok(address)) => Err(Error::ServerNotHere {
                address: address.clone(),
            }),
            Self::Server(Err(error)) => Err(error.clone().into()),
        }
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
    let (verified, authorship) = match path.is_dir() {
        true => {
            let verified = built_package::read(&path)?;
            let directory = built_package::directory(&path)?;
            let keys = SigningKeys::read(settings)?;
            let (_, authorship) = Authorship::verify_in(&directory, &verified, &keys)?;
            (verified, authorship)
        }
        false => {
            let verified = derived_manifest::read(&path, asked)?;
            notices.notice(&Notice::ManifestDerived);
            (verified, Authorship::none())
        }
    };
    let origin = OriginSubject {
        source: &Source::File { path: path.clone() },
        version: &verified.manifest().version,
        signer: authorship.signature.signer(),
        attested_by: &authorship.attestations.publishers(),
        yank: None,
        advisories: Vec::new(),
        logged: None,
    };
    let policies = policies_for(purpose, settings)?;
    policies.check_origin(&path.display().to_string(), &origin)?;
    Ok(Fetched {
        verified,
        signature: authorship.signature,
        attestations: authorship.attestations,
        logged: None,
        allowed_advisories: BTreeSet::new(),
        bundle: None,
        dependencies: BTreeMap::new(),
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
        for text in [
            "./x",
            "/x",
            "../x/y",
            "adder.wasm",
            "a/b.wasm",
            "x.tools",
            ".",
        ] {
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
