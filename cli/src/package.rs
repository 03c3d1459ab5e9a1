//! What a command is pointed at: a reference to a registry, or something on this disk.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{
    Manifest, Package, ReferenceError, Source, ToolName, ToolRef, Verified, package_file,
};
use tool_hub_registry_client::{COMPONENT_BYTES_MAX, Resolved};
use url::Url;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::printer::Printer;
use crate::progress::Bars;

/// Where `tool build` puts the finished package.
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
        let is_path = text.starts_with(['.', '/', '~']) || text.ends_with(".wasm");
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

/// Where a fetched tool came from.
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
    pub(crate) async fn fetch(
        &self,
        endpoint: &Url,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<Fetched> {
        match self {
            Self::Path(path) => {
                // Without the `.` of `./x`, which would only be noise in the lock.
                let path: PathBuf = config.place(path).components().collect();
                let verified = read(&path)?;
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
                let client = config.client(endpoint, printer)?;
                let resolved = client.resolve(&reference).await?;
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

fn not_a_reference(text: &str, error: ReferenceError, config: &Config) -> anyhow::Error {
    let problem = Problem::user(format!("`{text}` names no tool")).caused_by(error);
    let problem = if config.working.join(text).exists() {
        problem.hint(format!("for the file or directory, write ./{text}"))
    } else {
        problem.hint("write owner/name, owner/name@1.2.0, or ./a/path")
    };
    problem.into()
}

/// Reads a package from a directory, or somebody else's component from a file, whose
/// manifest is then derived from its types.
pub(crate) fn read(path: &Path) -> anyhow::Result<Verified> {
    if path.is_dir() {
        return read_directory(&package_directory(path)?);
    }
    let component = read_component(path)?;
    let manifest = derive_manifest(&component, name_of(path))
        .with_context(|| format!("{} cannot be used as a tool", path.display()))?;
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
    };
    Ok(Verified::check(package)?)
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
    Err(
        Problem::user(format!("{} holds no built package", path.display()))
            .hint(format!("run: tool build {}", path.display()))
            .into(),
    )
}

fn read_directory(directory: &Path) -> anyhow::Result<Verified> {
    let manifest_path = directory.join(package_file::MANIFEST);
    let manifest = std::fs::read(&manifest_path)
        .with_context(|| format!("{} cannot be read", manifest_path.display()))?;
    let component = read_component(&directory.join(package_file::COMPONENT))?;
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

fn read_component(path: &Path) -> anyhow::Result<Vec<u8>> {
    let failed = || format!("{} cannot be read", path.display());
    let length = std::fs::metadata(path).with_context(failed)?.len();
    if length > COMPONENT_BYTES_MAX {
        return Err(Problem::refused(format!(
            "{} has {length} bytes, a component has at most {COMPONENT_BYTES_MAX}",
            path.display()
        ))
        .into());
    }
    std::fs::read(path).with_context(failed)
}

/// The author's manifest of the project in `directory`.
pub(crate) fn read_author_manifest(directory: &Path) -> anyhow::Result<Manifest> {
    let path = directory.join(package_file::MANIFEST);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.parse()?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Problem::user(format!(
            "there is no tool project in {}",
            directory.display()
        ))
        .hint("make one with: tool new NAME")
        .into()),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// A tool's name made of a file's: what a tool name cannot hold becomes a dash.
fn name_of(path: &Path) -> ToolName {
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let name: String = stem
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(64)
        .collect();
    let fallback = || "tool".parse().expect("`tool` is a tool name");
    name.trim_matches('-')
        .parse()
        .unwrap_or_else(|_| fallback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_references_are_told_apart() {
        for text in ["./x", "/x", "../x/y", "adder.wasm", "a/b.wasm", "."] {
            assert!(matches!(text.parse(), Ok(Subject::Path(_))), "{text}");
        }
        for text in ["demo/x", "demo/x@1.0.0", "demo", "a/b/c"] {
            assert!(matches!(text.parse(), Ok(Subject::Reference(..))), "{text}");
        }
    }

    #[test]
    fn a_file_s_name_becomes_a_tool_s() {
        for (path, name) in [
            ("/x/Adder_2.wasm", "adder-2"),
            ("é.wasm", "tool"),
            ("con.wasm", "tool"),
        ] {
            assert_eq!(name_of(Path::new(path)).as_str(), name);
        }
    }
}
