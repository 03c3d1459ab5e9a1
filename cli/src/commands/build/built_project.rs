//! Builds a project into a verified package, with its card and the digests of its sources.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use tool_hub_host::IncludedPackage;
use tool_hub_host::authoring::{self, BuildTool, Docs, Sbom};
use tool_hub_manifest::{
    Build as BuildSection, Icon, Interpreter, Language, Manifest, Package, SbomClaim, ToolName,
    VariableRequest, Verified, package_file,
};
use tool_hub_toolbox::built_package::DIRECTORY as PACKAGE_DIRECTORY;
use tool_hub_toolbox::fetched::Fetched;

use crate::build::{self, FinishedCard, Form, Functions, Sources, TypeCheck};
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

/// The largest file that is read to say of it that it is too big for an icon.
const ICON_BYTES_READ: u64 = 1 << 20;

/// A package as it was built, not yet written anywhere.
pub(crate) struct BuiltProject {
    pub(crate) verified: Verified,
    /// The card, where the author wrote one.
    card: Option<FinishedCard>,
    /// The digests of the source files of this build.
    sources: Sources,
    /// The advice to ask for more capabilities, where the sources use more than the manifest asks
    /// for.
    pub(crate) proposal: Option<String>,
    /// The script that it runs and does not hold, for [`build::SCRIPT_VARIABLE`].
    pub(crate) script: Option<String>,
    /// The packages of others that are part of it.
    pub(crate) packages: Vec<IncludedPackage>,
    /// The tools that it depends on.
    pub(crate) dependencies: BTreeMap<ToolName, Fetched>,
    /// The check of its types, which is waited for where a package is built.
    pub(crate) types: Option<TypeCheck>,
}

impl BuiltProject {
    /// Builds the project in `directory`, as a package or for one run of `tool dev`.
    ///
    /// # Errors
    /// When the user does not trust the project where that is needed, when its manifest, WIT or
    /// code is wrong, for a package also when its types are, when a build tool cannot be had, and
    /// when the user asks to stop.
    pub(crate) async fn of(
        directory: &Path,
        form: Form,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let author = build::read_author_manifest(directory)?;
        let section = author.build.as_ref();
        if section.is_some_and(|section| section.language == Language::Rust) {
            build::obtain_trust(directory, session)?;
        }
        Self::of_trusted(directory, form, session).await
    }

    /// The same for a project whose programs the user has agreed to.
    ///
    /// # Errors
    /// The errors of [`BuiltProject::of`].
    pub(crate) async fn of_trusted(
        directory: &Path,
        form: Form,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let printer = &session.printer;
        let mut author = build::read_author_manifest(directory)?;
        let Some(section) = author.build.clone() else {
            return Err(
                Problem::user("tool.toml does not say how to build the tool")
                    .hint("add: [build] language = \"rust\", \"python\", \"javascript\" or \"c\"")
                    .into(),
            );
        };
        if let Some(file) = &section.icon {
            author.icon = Some(icon(&directory.join(file))?);
        }
        let functions = Functions::of(directory, &author, &section, &session.config)?;
        if let Some(functions) = &functions {
            functions.complete(&mut author)?;
        }
        let written = functions.as_ref().map(Functions::generated);
        let dependencies = fetching::dependencies_of(&author, session).await?;
        let wit_parent = written.unwrap_or(directory);
        if !dependencies.is_empty() {
            let wit = build::wit_files(wit_parent)?;
            build::write_dependencies(directory, &author, &wit, &dependencies, printer)?;
        }
        let wit = wit_with_packages(wit_parent, printer)?;
        // A mistake in the WIT is told with its place before a build tool stumbles over it.
        let docs = docs_of(&section, &wit)?;
        let mut sources = Sources::of(directory)?;
        let proposal = build::proposal(directory, &sources, &section, &author.capabilities);
        let functions = functions.as_ref();
        let (built, mut types) =
            build::component(directory, &section, &docs, functions, form, session).await?;
        if form == Form::Package
            && let Some(types) = types.take()
        {
            types.finish().await?;
        }
        // The build writes locks itself; whatever else changes meanwhile may not be built.
        for lock in build::LOCKS {
            sources.renew(directory, lock)?;
        }
        let verified = match built.script {
            None => {
                let component = docs.embed(&built.bytes)?;
                let sbom = Sbom {
                    packages: built.packages,
                    build_tools: with_this_command(built.build_tools),
                    interpreter: built.interpreter.as_ref().map(build::interpreter_in_sbom),
                };
                package_of(author, &docs, &component, built.interpreter, Some(sbom))
                    .map_err(|error| build::explained_claims(error, directory, &docs))?
            }
            // Its comments are left out: they would have it compiled anew when they change.
            Some(_) => package_of(with_script(author)?, &docs, &built.bytes, None, None)?,
        };
        let packages = match verified.sbom() {
            Some(sbom) => Sbom::from_bytes(sbom)?.packages,
            None => Vec::new(),
        };
        build::check_program(directory, &verified, &section, session).await?;
        let card = finished_card(directory, verified.manifest(), printer)?;
        Ok(Self {
            verified,
            card,
            sources,
            proposal,
            script: built.script,
            packages,
            dependencies,
            types,
        })
    }

    /// The text of the card, where the author wrote one.
    pub(crate) fn card_text(&self) -> Option<&str> {
        self.card.as_ref().map(|card| card.text.as_str())
    }

    /// Writes the package into a directory beside `dist` and swaps the two, so that `dist` always
    /// holds one whole package.
    ///
    /// # Errors
    /// When something cannot be written.
    pub(crate) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let place = directory.join(PACKAGE_DIRECTORY);
        let staging = tempfile::Builder::new()
            .prefix(".dist-")
            .tempdir_in(directory)?;
        let write =
            |name: &str, contents: &[u8]| files::write(&staging.path().join(name), contents);
        write(package_file::MANIFEST, self.verified.manifest_bytes())?;
        write(package_file::COMPONENT, self.verified.component())?;
        if let Some(interpreter) = self.verified.interpreter() {
            write(package_file::INTERPRETER, interpreter.component())?;
        }
        if let Some(sbom) = self.verified.sbom() {
            write(package_file::SBOM, sbom)?;
        }
        if let Some(card) = &self.card {
            write(package_file::CARD, card.text.as_bytes())?;
        }
        self.sources.write(staging.path())?;
        let failed = || format!("{} cannot be written", place.display());
        if place.exists() {
            std::fs::remove_dir_all(&place).with_context(failed)?;
        }
        files::make_public(staging.path()).with_context(failed)?;
        std::fs::rename(staging.path(), &place).with_context(failed)?;
        let _ = staging.keep();
        Ok(())
    }
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
    let docs = Docs::from_sources(&build::wit_sources(wit), section.world.as_deref())
        .map_err(|error| build::explained_wit(error, wit))?;
    if docs.exports().next().is_none() {
        return Err(build::world_without_exports(docs.world_name(), wit).into());
    }
    Ok(docs)
}

/// Finishes the manifest, with the comments of the WIT.
fn package_of(
    author: Manifest,
    docs: &Docs,
    component: &[u8],
    interpreter: Option<Interpreter>,
    sbom: Option<Sbom>,
) -> anyhow::Result<Verified> {
    let mut manifest = authoring::complete_manifest(author, component, Some(docs))?;
    manifest.interpreter = interpreter.as_ref().map(Interpreter::claim);
    let sbom = sbom.map(|sbom| sbom.to_bytes(&manifest));
    manifest.sbom = sbom.as_deref().map(SbomClaim::of);
    Ok(Verified::check(Package {
        manifest: manifest.to_toml().into_bytes(),
        component: component.to_owned(),
        interpreter,
        sbom,
    })?)
}

/// The programs of a build, this one included.
fn with_this_command(mut build_tools: Vec<BuildTool>) -> Vec<BuildTool> {
    build_tools.push(BuildTool {
        name: "tool-hub".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    });
    build_tools
}

/// A manifest that asks for the variable with the script as well.
fn with_script(mut author: Manifest) -> anyhow::Result<Manifest> {
    author.capabilities.variables.push(VariableRequest {
        name: build::SCRIPT_VARIABLE.parse()?,
        secret: false,
        why: "the script that is being worked on".to_owned(),
    });
    Ok(author)
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
