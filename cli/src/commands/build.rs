//! `tool build`: builds a project and writes the package, manifest and card included, to `dist`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tool_hub_host::authoring::{self, Docs, WitSource};
use tool_hub_manifest::{
    Build as BuildSection, Icon, Language, Manifest, Package, Verified, package_file,
};
use tool_hub_toolbox::built_package::DIRECTORY as PACKAGE_DIRECTORY;

use crate::build::{self, FinishedCard, Functions, Sources};
use crate::commands::check;
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The largest file that is read to say of it that it is too big for an icon.
const ICON_BYTES_READ: u64 = 1 << 20;

/// Arguments of `tool build`.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The project
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Build with all that the project brings, without asking, and from now on: in Rust its
    /// build scripts and macros and those of all that it depends on, in JavaScript the packages
    /// in its node_modules
    #[arg(long)]
    trust: bool,
}

/// The trust in what a project runs while it is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The user gave it with a flag, from now on.
    Given,
    /// The user is asked, where something would run and nobody was asked before.
    Asked,
}

impl Trust {
    /// The trust that the flag `--trust` gives.
    pub(crate) fn of_flag(is_given: bool) -> Self {
        match is_given {
            true => Self::Given,
            false => Self::Asked,
        }
    }
}

impl Build {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.working.join(&self.directory);
        let verified = build_package(&directory, Trust::of_flag(self.trust), session).await?;
        let remarks = check::remarks_on(&tool_hub_host::inspect(&verified)?);
        let manifest = verified.manifest();
        if printer.wants_json() {
            printer.json(&json!({
                "directory": directory.join(PACKAGE_DIRECTORY),
                "name": manifest.name,
                "version": manifest.version,
                "functions": manifest.functions.keys().collect::<Vec<_>>(),
                "bytes": verified.component().len(),
                "digest": verified.pin().digest(),
                "remarks": remarks,
            }))?;
        } else {
            note_built(&verified, &self.directory, printer);
            check::show(&remarks, printer);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Says what was built, in the directory that the user calls `shown`.
pub(crate) fn note_built(verified: &Verified, shown: &Path, printer: &Printer) {
    let manifest = verified.manifest();
    let functions = manifest.functions.keys();
    let functions: Vec<&str> = functions.map(|name| name.as_str()).collect();
    printer.note(&format!(
        "built {} {} in {}: {} bytes, {}",
        manifest.name,
        manifest.version,
        shown.join(PACKAGE_DIRECTORY).display(),
        verified.component().len(),
        functions.join(", ")
    ));
}

/// Builds the project in `directory`, writes the package to its `dist`, and returns it.
///
/// # Errors
/// When there is no project, it is not trusted, or it cannot be built.
pub(crate) async fn build_package(
    directory: &Path,
    trust: Trust,
    session: &Session,
) -> anyhow::Result<Verified> {
    let Session { config, printer } = session;
    let mut author = build::read_author_manifest(directory)?;
    let Some(section) = author.build.clone() else {
        return Err(
            Problem::user("tool.toml does not say how to build the tool")
                .hint("add: [build] language = \"rust\", \"python\" or \"javascript\"")
                .into(),
        );
    };
    match trust {
        Trust::Given => build::remember_trust(directory, config)?,
        Trust::Asked if section.language == Language::Rust => {
            build::obtain_trust(directory, session)?;
        }
        Trust::Asked => {}
    }
    if let Some(file) = &section.icon {
        author.icon = Some(icon(&directory.join(file))?);
    }
    let functions = Functions::of(directory, &author, &section)?;
    if let Some(functions) = &functions {
        functions.complete(&mut author)?;
    }
    let written = functions.as_ref().map(Functions::generated);
    let wit = wit_with_packages(written.unwrap_or(directory), printer)?;
    // A mistake in the WIT is told with its place before a build tool stumbles over it.
    let docs = docs_of(&section, &wit)?;
    let mut sources = Sources::of(directory)?;
    let functions = functions.as_ref();
    let component = build::component(directory, &section, &docs, functions, session).await?;
    // cargo writes it while it builds; whatever else changes meanwhile may not be built.
    sources.renew(directory, "Cargo.lock")?;
    let verified = package_of(author, &docs, &component)?;
    let card = finished_card(directory, verified.manifest(), printer)?;
    write_package(directory, &verified, card.as_ref(), &sources)?;
    Ok(verified)
}

/// The picture in a file of the author's.
fn icon(path: &Path) -> anyhow::Result<Icon> {
    let bytes = files::read_regular(path, ICON_BYTES_READ)
        .with_context(|| format!("the icon {} cannot be read", path.display()))?;
    Icon::of(&bytes).map_err(|error| {
        Problem::user(format!("{} is not a usable icon: {error}", path.display()))
            .hint("use a PNG, JPEG or WebP picture of at most 16 KiB, such as 64 by 64 pixels")
            .into()
    })
}

/// The project's WIT, to which what the host offers is added where it is used and missing.
fn wit_with_packages(directory: &Path, printer: &Printer) -> anyhow::Result<Vec<build::WitFile>> {
    let wit = build::wit_files(directory)?;
    let added = build::add_packages(directory, &wit)?;
    if added.is_empty() {
        return Ok(wit);
    }
    for package in added {
        printer.note(&format!(
            "the WIT uses {}: wrote it to {}, where editors find it too",
            package.name,
            build::package_directory(package).display()
        ));
    }
    build::wit_files(directory)
}

/// Reads the exports and comments of the project's WIT.
fn docs_of(section: &BuildSection, wit: &[build::WitFile]) -> anyhow::Result<Docs> {
    let sources: Vec<WitSource<'_>> = wit
        .iter()
        .map(|(path, contents)| WitSource { path, contents })
        .collect();
    Ok(Docs::from_sources(&sources, section.world.as_deref())?)
}

/// Finishes the manifest and puts the comments of the WIT into both halves of the package.
fn package_of(author: Manifest, docs: &Docs, component: &[u8]) -> anyhow::Result<Verified> {
    let component = docs.embed(component)?;
    let manifest = authoring::complete_manifest(author, &component, Some(docs))?;
    Ok(Verified::check(Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
    })?)
}

/// The card of the package, where the author wrote one.
fn finished_card(
    directory: &Path,
    manifest: &Manifest,
    printer: &Printer,
) -> anyhow::Result<Option<FinishedCard>> {
    let path = directory.join(package_file::CARD);
    let Some(author) = files::read_if_present(&path)? else {
        return Ok(None);
    };
    let card = build::finished_card(&author, manifest);
    if card.description_differed {
        printer.warning(
            "the front matter of README.md describes the tool in other words than tool.toml; the package says what tool.toml says",
        );
    }
    Ok(Some(card))
}

/// Writes the package into a directory beside `dist` and swaps the two, so that `dist` always
/// holds one whole package.
fn write_package(
    directory: &Path,
    verified: &Verified,
    card: Option<&FinishedCard>,
    sources: &Sources,
) -> anyhow::Result<()> {
    let place = directory.join(PACKAGE_DIRECTORY);
    let staging = tempfile::Builder::new()
        .prefix(".dist-")
        .tempdir_in(directory)?;
    let write = |name: &str, contents: &[u8]| files::write(&staging.path().join(name), contents);
    write(package_file::MANIFEST, verified.manifest_bytes())?;
    write(package_file::COMPONENT, verified.component())?;
    if let Some(card) = card {
        write(package_file::CARD, card.text.as_bytes())?;
    }
    sources.write(staging.path())?;
    let failed = || format!("{} cannot be written", place.display());
    if place.exists() {
        std::fs::remove_dir_all(&place).with_context(failed)?;
    }
    files::make_public(staging.path()).with_context(failed)?;
    std::fs::rename(staging.path(), &place).with_context(failed)?;
    let _ = staging.keep();
    Ok(())
}
