//! Finds the file with tools in a package of PyPI, for `tool new --from pypi:PACKAGE`.

use std::path::Path;

use tool_hub_source::{Language, SOURCE_BYTES_MAX, read};

use super::server::listing;
use crate::build::{ServerEntry, ServerFile, UnpackedPackage, companions, package_name};
use crate::files;
use crate::scaffold::{FunctionSource, PlainFile, ServerProject, Template};
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// What a value of `--from` begins with that names such a package.
const PREFIX: &str = "pypi:";
/// The packages that MCP servers are made with.
const SDKS: [&str; 3] = ["fastmcp", "fastmcp-slim", "mcp"];
/// The package by which FastMCP reads docstrings.
const DOCSTRINGS: &str = "griffelib";
/// The most files that are named beside the one that is taken.
const OTHERS_MAX: usize = 10;

/// The requirement in a value of `--from` that names a package.
pub(super) fn named(from: &Path) -> Option<&str> {
    from.to_str()?.strip_prefix(PREFIX)
}

/// The functions of the package: the tools that its MCP server lists, or those in the file with
/// the most tools.
pub(super) async fn fetched(
    requirement: &str,
    session: &Session,
) -> anyhow::Result<FunctionSource> {
    let place = tempfile::Builder::new().prefix("tool-package-").tempdir()?;
    let directory = place.path();
    let package = UnpackedPackage::fetch(requirement, directory, &session.printer).await?;
    let Some(server) = entry(&package) else {
        let plain = file_of(package, directory, &session.printer)?;
        return Ok(FunctionSource::Plain(plain));
    };
    match server_project(&package, server, directory, session).await {
        Ok(project) => Ok(FunctionSource::Server(project)),
        Err(error) => {
            // A file of it may hold plain functions all the same.
            let Ok(plain) = file_of(package, directory, &session.printer) else {
                return Err(error);
            };
            session.printer.warning(&format!(
                "its functions are read from a file, because the server did not start in the sandbox: {error:#}"
            ));
            Ok(FunctionSource::Plain(plain))
        }
    }
}

/// How the MCP server of the package is started, if it has one.
fn entry(package: &UnpackedPackage) -> Option<ServerEntry> {
    let is_made_with = |needed: &String| SDKS.contains(&package_name(needed).as_str());
    if !package.needs.iter().any(is_made_with) {
        return None;
    }
    let own = package_name(&package.name);
    let rank = |name: &str| match package_name(name) {
        name if name == own => 0,
        name if name.contains("mcp") => 1,
        name if name.contains("server") => 2,
        _ => 3,
    };
    let program = package.programs.iter().min_by_key(|(name, _)| rank(name));
    let called = program.and_then(|(_, called)| called.split_once(':'));
    if let Some((module, function)) = called {
        return Some(ServerEntry {
            module: module.trim().to_owned(),
            function: Some(function.trim().to_owned()),
            arguments: Vec::new(),
        });
    }
    let mut modules = package.modules.iter();
    let module = modules.find_map(|file| file.strip_suffix("/__main__.py"))?;
    Some(ServerEntry {
        module: format!("{}.__main__", module.replace('/', ".")),
        function: None,
        arguments: Vec::new(),
    })
}

async fn server_project(
    package: &UnpackedPackage,
    server: ServerEntry,
    directory: &Path,
    session: &Session,
) -> anyhow::Result<ServerProject> {
    let UnpackedPackage { name, version, .. } = package;
    let mut file = ServerFile {
        server,
        tools: None,
    };
    let mut requirements = vec![(name.clone(), format!("=={version}"))];
    let more = companions(directory, &package.modules, &package.needs);
    requirements.extend(more.into_iter().map(|name| (name, String::new())));
    if package.needs.iter().any(|it| package_name(it) == "fastmcp") {
        requirements.push((DOCSTRINGS.to_owned(), String::new()));
    }
    let lines = requirements.iter();
    let lines: String = lines
        .map(|(name, version)| format!("{name}{version}\n"))
        .collect();
    let listing = listing(&file, "python", &[("requirements.txt", &lines)], session).await?;
    file.tools = Some(listing.tools);
    Ok(ServerProject {
        template: Template::Python,
        interface: file.interface(),
        file,
        package: format!("{name} {version}"),
        license: package.license.clone(),
        license_texts: package.license_texts.clone(),
        requirements,
        npm_lock: None,
        variables: listing.variables,
    })
}

/// The file of the package with the most tools, with what it needs of the package and its license.
fn file_of(
    package: UnpackedPackage,
    directory: &Path,
    printer: &Printer,
) -> anyhow::Result<PlainFile> {
    let UnpackedPackage { name, version, .. } = &package;
    let mut files: Vec<(usize, &str)> = package
        .modules
        .iter()
        .map(|file| (tools(&directory.join(file)), file.as_str()))
        .filter(|(count, _)| *count > 0)
        .collect();
    // The most tools first, of as many the shortest path.
    files.sort_by_key(|(count, file)| (usize::MAX - count, file.len()));
    let Some(((count, taken), others)) = files.split_first() else {
        return Err(Problem::user(format!(
            "no file of {name} {version} has tools for a framework"
        ))
        .hint("a server that lists its tools when it runs is read by: tool new NAME --from-mcp COMMAND")
        .into());
    };
    printer.note(&format!(
        "took {taken} of {name} {version}, which has {}",
        counted(*count, "tool")
    ));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(OTHERS_MAX).map(|(_, it)| *it).collect();
        printer.note(&format!(
            "{} with tools were not taken: {}",
            counted(others.len(), "other file"),
            names.join(", ")
        ));
    }
    let mut plain = PlainFile::read_in(directory, taken, Path::new(taken), Template::Python)?;
    plain.belongs_to(package.license, package.license_texts);
    Ok(plain)
}

/// The number of tools for a framework in a file.
fn tools(path: &Path) -> usize {
    let text = files::read_text(path, SOURCE_BYTES_MAX as u64);
    let functions = text.map(|text| read(&text, Language::Python));
    let functions = functions.into_iter().flatten().flatten();
    let tools = functions.filter(|it| it.definition.as_ref().is_ok_and(|it| it.tool.is_some()));
    tools.count()
}
