//! Fetches the package that a command names: from a registry by its reference, or from a path.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use tool_hub_manifest::{
    Capabilities, Manifest, Package, ReferenceError, RepoId, Source, ToolRef, Verified,
    package_file,
};
use tool_hub_registry_client::{MANIFEST_BYTES_MAX, Resolved};
use url::Url;

use crate::files;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Bars;
use crate::toolbox::derived_manifest;

/// The directory for the package that `tool build` finished.
pub(crate) const PACKAGE_DIRECTORY: &str = "dist";

/// A tool as it is named on the command line. What starts with `.`, `/` or `~`, or ends in
/// `.wasm`, is a path; everything else is `owner/name`.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    Path(PathBuf),
    Reference(Result<ToolRef, ReferenceError>, String),
}

impl FromStr for Subject {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
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
pub(crate) struct Fetched {
    pub(crate) verified: Verified,
    pub(crate) origin: FetchedFrom,
}

/// The place a fetched tool came from.
#[derive(Debug)]
pub(crate) enum FetchedFrom {
    Registry {
        endpoint: Url,
        reference: ToolRef,
        resolved: Resolved,
    },
    File {
        path: PathBuf,
    },
    /// The store, which has it since it was approved.
    Approved(Source),
}

impl FetchedFrom {
    /// The place as a lock records it.
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Registry {
                endpoint, resolved, ..
            } => Source::Registry {
                endpoint: endpoint.clone(),
                repo: resolved.repo.clone(),
                commit: resolved.commit.clone(),
            },
            Self::File { path } => Source::File { path: path.clone() },
            Self::Approved(source) => source.clone(),
        }
    }
}

impl Subject {
    /// Gets the tool's bytes: from the registry at `endpoint` into the store, or from the
    /// disk. They are inert until they are approved.
    pub(crate) async fn fetch(&self, endpoint: &Url, session: &Session) -> anyhow::Result<Fetched> {
        let nothing = Capabilities::default();
        self.fetch_asking(nothing, endpoint, session).await
    }

    /// Like [`fetch`](Self::fetch), but a component without a manifest gets one that asks for
    /// `asked`, the capabilities that the user wants to grant.
    pub(crate) async fn fetch_asking(
        &self,
        asked: Capabilities,
        endpoint: &Url,
        session: &Session,
    ) -> anyhow::Result<Fetched> {
        let Session { config, printer } = session;
        match self {
            Self::Path(path) => {
                // Without the `.` of `./x`, which would only be noise in the lock.
                let path: PathBuf = config.place(path).components().collect();
                let verified = match path.is_dir() {
                    true => read(&path)?,
                    false => {
                        let verified = derived_manifest::read(&path, asked)?;
                        printer.note(derived_manifest::NOTE);
                        verified
                    }
                };
                Ok(Fetched {
                    verified,
                    origin: FetchedFrom::File { path },
                })
            }
            Self::Reference(reference, text) => {
                let reference = match reference {
                    Ok(reference) => reference.clone(),
                    Err(error) => return Err(not_a_reference(text, error.clone(), config)),
                };
                if config.working.join(text).exists() {
                    printer.note(&format!(
                        "{text} means a tool of the registry; for the file or directory, write ./{text}"
                    ));
                }
                let client = config.client(endpoint, printer)?;
                let resolved = client.resolve(&reference).await?;
                warn_of_version_branches(&resolved, printer);
                let bars = Bars::start(printer);
                let pulled = client.pull(&resolved, &config.open_store()?, &bars).await;
                bars.finish();
                let origin = FetchedFrom::Registry {
                    endpoint: endpoint.clone(),
                    reference,
                    resolved,
                };
                Ok(Fetched {
                    verified: pulled?,
                    origin,
                })
            }
        }
    }
}

/// Warns of branches with a version's name. This command resolves versions to tags, but other
/// clients may get the branch.
fn warn_of_version_branches(resolved: &Resolved, printer: &Printer) {
    for branch in &resolved.version_branches {
        let (repo, name) = (&resolved.repo, &branch.name);
        let also = if branch.is_tag_too { " and a tag" } else { "" };
        printer.warning(&format!(
            "{repo}: {name} is a branch{also}, so other clients may get changing content for this version"
        ));
    }
}

fn not_a_reference(text: &str, error: ReferenceError, config: &Config) -> anyhow::Error {
    let problem = Problem::user(format!("`{text}` names no tool")).caused_by(error);
    if let Some(url) = address(text) {
        return problem.hint(address_hint(&url)).into();
    }
    let problem = if config.working.join(text).exists() {
        problem.hint(format!("for the file or directory, write ./{text}"))
    } else {
        problem.hint("write owner/name, owner/name@1.2.0, or ./a/path")
    };
    problem.into()
}

/// The URL, if the user gave one in place of a name.
fn address(text: &str) -> Option<Url> {
    let url: Url = text.parse().ok()?;
    text.contains("://").then_some(url)
}

/// A hint for a user who gave a URL: the reference to write if it is a tool's page.
fn address_hint(url: &Url) -> String {
    let segments: Vec<&str> = url.path().split('/').filter(|it| !it.is_empty()).collect();
    let repo = match &segments[..] {
        [owner, name] | [owner, name, "tree" | "blob" | "resolve", ..] => {
            format!("{owner}/{name}").parse::<RepoId>().ok()
        }
        _ => None,
    };
    match repo.filter(|repo| !repo.as_str().ends_with(".wasm")) {
        Some(repo) => format!(
            "for a tool of that registry, write {repo} --endpoint {}",
            url.origin().ascii_serialization()
        ),
        None => "tools are not fetched from URLs: download the component, inspect it and give its \
                 path, or write owner/name for a tool of a registry"
            .to_owned(),
    }
}

/// Reads a package from a directory, or somebody else's component from a file, whose
/// manifest is then derived from its types.
pub(crate) fn read(path: &Path) -> anyhow::Result<Verified> {
    if path.is_dir() {
        return read_directory(&package_directory(path)?);
    }
    derived_manifest::read(path, Capabilities::default())
}

/// The directory of the finished package: `path` itself, or its `dist`.
pub(crate) fn package_directory(path: &Path) -> anyhow::Result<PathBuf> {
    // Without the `.` that stands for the working directory, which errors need not show.
    let path: &Path = &path.components().collect::<PathBuf>();
    for directory in [path.to_owned(), path.join(PACKAGE_DIRECTORY)] {
        if directory.join(package_file::COMPONENT).is_file() {
            return Ok(directory);
        }
    }
    if !path.exists() {
        return Err(Problem::user(format!("there is no {}", path.display()))
            .hint("look at the path")
            .into());
    }
    Err(
        Problem::user(format!("{} holds no built package", path.display()))
            .hint(format!("run: tool build {}", path.display()))
            .into(),
    )
}

fn read_directory(directory: &Path) -> anyhow::Result<Verified> {
    let manifest_path = directory.join(package_file::MANIFEST);
    let manifest = files::read_regular(&manifest_path, MANIFEST_BYTES_MAX)
        .with_context(|| format!("{} cannot be read", manifest_path.display()))?;
    let component = derived_manifest::read_component(&directory.join(package_file::COMPONENT))?;
    Verified::check(Package {
        manifest,
        component,
    })
    .with_context(|| {
        format!(
            "the package in {} is not what it claims to be",
            directory.display()
        )
    })
}

/// The author's manifest of the project in `directory`.
pub(crate) fn read_author_manifest(directory: &Path) -> anyhow::Result<Manifest> {
    let path = directory.join(package_file::MANIFEST);
    match files::read_if_present(&path)? {
        Some(text) => Ok(text.parse()?),
        None => Err(Problem::user(format!(
            "there is no tool project in {}",
            directory.display()
        ))
        .hint("make one with: tool new NAME")
        .into()),
    }
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

    #[test]
    fn an_address_is_answered_with_what_to_write() {
        for (text, hint) in [
            (
                "https://hub.example.org/ada/adder",
                "write ada/adder --endpoint https://hub.example.org",
            ),
            (
                "http://127.0.0.1:8080/ada/adder/tree/v1.0.0",
                "write ada/adder --endpoint http://127.0.0.1:8080",
            ),
            ("https://example.org/x/adder.wasm", "download the component"),
            ("https://example.org/", "download the component"),
        ] {
            let shown = address_hint(&address(text).unwrap());
            assert!(shown.contains(hint), "{text}: {shown}");
        }
        assert_eq!(address("ada/adder"), None);
        assert_eq!(address("x:y"), None);
    }
}
