//! `tool build`: from a project to a package: the component, the finished manifest and the
//! card, in `dist`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tool_hub_host::authoring::{self, Docs, WitSource};
use tool_hub_manifest::{Manifest, Package, Verified, package_file};

use crate::build::{self, Project};
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::package::{self, PACKAGE_DIRECTORY};
use crate::printer::Printer;

/// The largest WIT file that is read.
const WIT_BYTES_MAX: u64 = 1 << 20;

/// Arguments of `tool build`.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The project
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
}

impl Build {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let directory = config.working.join(&self.directory);
        let author = package::read_author_manifest(&directory)?;
        let verified = self.build(&directory, author, config, printer).await?;
        write_package(&directory, &verified)?;
        let manifest = verified.manifest();
        let place = self.directory.join(PACKAGE_DIRECTORY);
        if printer.wants_json() {
            printer.json(&json!({
                "directory": directory.join(PACKAGE_DIRECTORY),
                "name": manifest.name,
                "version": manifest.version,
                "functions": manifest.functions.keys().collect::<Vec<_>>(),
                "bytes": verified.component().len(),
                "digest": verified.pin().digest(),
            }))?;
        } else {
            let functions: Vec<&str> = manifest
                .functions
                .keys()
                .map(|name| name.as_str())
                .collect();
            printer.note(&format!(
                "built {} {} in {}: {} bytes, {}",
                manifest.name,
                manifest.version,
                place.display(),
                verified.component().len(),
                functions.join(", ")
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn build(
        &self,
        directory: &Path,
        author: Manifest,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<Verified> {
        let Some(section) = author.build.clone() else {
            return Err(
                Problem::user("tool.toml does not say how to build the tool")
                    .hint("add: [build] language = \"rust\", \"python\" or \"javascript\"")
                    .into(),
            );
        };
        let project = Project {
            directory,
            build: &section,
        };
        let component = build::component(project, config, printer).await?;
        let files = wit_files(&directory.join("wit"))?;
        let sources: Vec<WitSource<'_>> = files
            .iter()
            .map(|(path, text)| WitSource {
                path,
                contents: text,
            })
            .collect();
        let docs = Docs::from_sources(&sources, section.world.as_deref())?;
        let component = docs.embed(&component)?;
        let manifest = authoring::complete_manifest(author, &component, Some(&docs))?;
        Ok(Verified::check(Package {
            manifest: manifest.to_toml().into_bytes(),
            component,
        })?)
    }
}

/// Every WIT file below `directory`, by its path there.
fn wit_files(directory: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut sources = Vec::new();
    collect_wit(directory, directory, &mut sources)?;
    if sources.is_empty() {
        return Err(
            Problem::user(format!("{} holds no .wit file", directory.display()))
                .hint("a tool's functions are declared in wit/world.wit")
                .into(),
        );
    }
    sources.sort();
    Ok(sources)
}

fn collect_wit(
    root: &Path,
    directory: &Path,
    sources: &mut Vec<(PathBuf, String)>,
) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be read", directory.display());
    for entry in std::fs::read_dir(directory).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.is_dir() {
            collect_wit(root, &path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "wit") {
            let length = std::fs::metadata(&path).with_context(failed)?.len();
            if length > WIT_BYTES_MAX {
                return Err(Problem::user(format!(
                    "{} has {length} bytes, at most {WIT_BYTES_MAX} are read",
                    path.display()
                ))
                .into());
            }
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
            sources.push((name, text));
        }
    }
    Ok(())
}

/// Writes the package into a directory beside `dist` and swaps the two, so that `dist` always
/// holds one whole package.
fn write_package(directory: &Path, verified: &Verified) -> anyhow::Result<()> {
    let place = directory.join(PACKAGE_DIRECTORY);
    let staging = tempfile::Builder::new()
        .prefix(".dist-")
        .tempdir_in(directory)?;
    crate::files::write(
        &staging.path().join(package_file::MANIFEST),
        verified.manifest_bytes(),
    )?;
    crate::files::write(
        &staging.path().join(package_file::COMPONENT),
        verified.component(),
    )?;
    let card = directory.join(package_file::CARD);
    if card.is_file() {
        let text =
            std::fs::read(&card).with_context(|| format!("{} cannot be read", card.display()))?;
        crate::files::write(&staging.path().join(package_file::CARD), &text)?;
    }
    let failed = || format!("{} cannot be written", place.display());
    if place.exists() {
        std::fs::remove_dir_all(&place).with_context(failed)?;
    }
    crate::files::make_public(staging.path()).with_context(failed)?;
    std::fs::rename(staging.path(), &place).with_context(failed)?;
    let _ = staging.keep();
    Ok(())
}
