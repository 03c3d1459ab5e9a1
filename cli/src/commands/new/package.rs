//! Finds the file with tools in a package of PyPI, for `tool new --from pypi:PACKAGE`.

use std::path::Path;

use tool_hub_source::{Framework, Language, SOURCE_BYTES_MAX, read};

use super::server::listing;
use crate::build::{ServerEntry, ServerFile, UnpackedPackage, companions, package_name, scratch};
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
/// The package by which these frameworks read docstrings.
const DOCSTRINGS: &str = "griffelib";
const READ_DOCSTRINGS: [&str; 2] = ["fastmcp", "openai-agents"];
/// The directory that is the home directory of a server.
const HOME: &str = "home";
/// The beginnings of the names of frameworks whose tools are found when a package's modules run.
const FRAMEWORKS: [&str; 5] = [
    "crewai",
    "langchain",
    "llama-index",
    "openai-agents",
    "smolagents",
];
/// The most files that are named beside the one that is taken.
const OTHERS_MAX: usize = 10;

/// The requirement in a value of `--from` that names a package.
pub(super) fn named(from: &Path) -> Option<&str> {
    from.to_str()?.strip_prefix(PREFIX)
}

/// The functions of the package: the tools that its MCP server lists, those that its modules have
/// for a framework, or those in the file with the most tools.
pub(super) async fn fetched(
    requirement: &str,
    session: &Session,
) -> anyhow::Result<FunctionSource> {
    let place = scratch::directory("tool-package-", &session.config)?;
    let directory = place.path();
    let package = UnpackedPackage::fetch(requirement, directory, &session.printer).await?;
    let started = entry(&package).or_else(|| modules_entry(&package, directory));
    let Some(server) = started else {
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
                "its functions are read from a file, because the package did not start in the sandbox: {error:#}"
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
            tools_of: Vec::new(),
            function: Some(function.trim().to_owned()),
            arguments: Vec::new(),
        });
    }
    let mut modules = package.modules.iter();
    let module = modules.find_map(|file| file.strip_suffix("/__main__.py"))?;
    Some(ServerEntry {
        module: format!("{}.__main__", module.replace('/', ".")),
        tools_of: Vec::new(),
        function: None,
        arguments: Vec::new(),
    })
}

/// The modules of the package that have tools for a framework, if there are any: the package
/// itself, which names what it is for, and those in which tools are seen.
fn modules_entry(package: &UnpackedPackage, directory: &Path) -> Option<ServerEntry> {
    let is_one = |framework: Framework| {
        matches!(
            framework,
            Framework::LangChain
                | Framework::LlamaIndex
                | Framework::OpenAiAgents
                | Framework::Smolagents
        )
    };
    let has_tools = |file: &&String| frameworks(&directory.join(file)).into_iter().any(is_one);
    let mut files: Vec<&String> = package.modules.iter().filter(has_tools).collect();
    let is_framework = |needed: &String| {
        let name = package_name(needed);
        FRAMEWORKS.iter().any(|it| name.starts_with(it))
    };
    if files.is_empty() && !package.needs.iter().any(is_framework) {
        return None;
    }
    let packages = package.modules.iter();
    let packages = packages.filter(|file| file.ends_with("__init__.py"));
    files.extend(packages.min_by_key(|file| file.len()));
    files.sort_by_key(|file| file.len());
    files.dedup();
    // The package itself first, whatever it is called.
    files.sort_by_key(|file| !file.ends_with("__init__.py"));
    let names: Vec<String> = files.into_iter().map(|file| module_of(file)).collect();
    Some(ServerEntry {
        module: names.first()?.clone(),
        tools_of: names,
        function: None,
        arguments: Vec::new(),
    })
}

/// The name of the module in a file of a package.
fn module_of(file: &str) -> String {
    let name = file.strip_suffix(".py").unwrap_or(file);
    name.strip_suffix("/__init__")
        .unwrap_or(name)
        .replace('/', ".")
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
    let needs_docstrings = |it: &String| READ_DOCSTRINGS.contains(&package_name(it).as_str());
    if package.needs.iter().any(needs_docstrings) {
        requirements.push((DOCSTRINGS.to_owned(), String::new()));
    }
    let lines = requirements.iter();
    let lines: String = lines
        .map(|(name, version)| format!("{name}{version}\n"))
        .collect();
    let mut modules = package.modules.iter();
    let directories = match modules.any(|it| looks_for_home(&directory.join(it))) {
        true => vec![HOME.to_owned()],
        false => Vec::new(),
    };
    let listing = listing(&file, "python", &[("requirements.txt", &lines)], session).await?;
    file.tools = Some(listing.tools);
    file.server.arguments = listing.arguments;
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
        directories,
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
        .map(|file| (frameworks(&directory.join(file)).len(), file.as_str()))
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

/// True if a module looks for the home directory of whoever runs it.
fn looks_for_home(path: &Path) -> bool {
    let text = files::read_text(path, SOURCE_BYTES_MAX as u64).unwrap_or_default();
    ["expanduser(", "Path.home("]
        .iter()
        .any(|call| text.contains(call))
}

/// The framework of each tool that is seen in a file.
fn frameworks(path: &Path) -> Vec<Framework> {
    let text = files::read_text(path, SOURCE_BYTES_MAX as u64);
    let functions = text.map(|text| read(&text, Language::Python));
    let functions = functions.into_iter().flatten().flatten();
    let definitions = functions.filter_map(|it| it.definition.ok());
    definitions
        .filter_map(|it| Some(it.tool?.framework))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(directory: &Path, needs: &[&str], modules: &[(&str, &str)]) -> UnpackedPackage {
        for (path, text) in modules {
            files::write(&directory.join(path), text.as_bytes()).unwrap();
        }
        UnpackedPackage {
            name: "words".to_owned(),
            version: "1.0".to_owned(),
            license: None,
            license_texts: Vec::new(),
            modules: modules.iter().map(|(path, _)| (*path).to_owned()).collect(),
            needs: needs.iter().map(|it| (*it).to_owned()).collect(),
            programs: Vec::new(),
        }
    }

    #[track_caller]
    fn check_modules(needs: &[&str], modules: &[(&str, &str)], expect: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        let package = package(directory.path(), needs, modules);
        let found = modules_entry(&package, directory.path());
        let found = found.map(|it| it.tools_of).unwrap_or_default();
        assert_eq!(found, expect);
    }

    #[test]
    fn modules_with_tools_come_after_their_package() {
        const TOOL: &str = "from langchain_core.tools import tool\n\n@tool\ndef f(x: str) -> str:\n    \"\"\"F.\"\"\"\n";
        const SERVER: &str = "from fastmcp import FastMCP\nmcp = FastMCP()\n\n@mcp.tool\ndef f(x: str) -> str:\n    \"\"\"F.\"\"\"\n";
        let inner = [
            ("words/a.py", ""),
            ("words/inner/b.py", TOOL),
            ("words/__init__.py", ""),
        ];
        check_modules(&["langchain-core>=1"], &inner, &["words", "words.inner.b"]);
        // The needs of a package are enough: its tools may be made when it runs.
        let empty = [("llama_index/tools/w/__init__.py", "")];
        check_modules(&["llama-index-core"], &empty, &["llama_index.tools.w"]);
        check_modules(&["requests"], &[("words.py", TOOL)], &["words"]);
        check_modules(&["requests"], &[("words.py", SERVER)], &[]);
    }
}
