//! Proposes capabilities for what a project's sources reach and `tool.toml` does not ask for.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use toml_edit::ser::ValueSerializer;
use tool_hub_manifest::{
    Access, Build, Capabilities, DirectoryName, DirectoryRequest, Language, Methods, Origin,
    VariableRequest,
};
use tool_hub_source::{SOURCE_BYTES_MAX, UseKind, uses};

use super::sources::Sources;
use crate::files;

/// The most places that are named.
const PLACES_MAX: usize = 10;
/// The reason in a proposal, which the author writes.
const WHY: &str = "say here what it is for";
/// The directory that is proposed for files that are in none.
const FILES: &str = "files";

/// The advice to ask for what the sources of the project in `directory` reach; nothing where
/// `asked` has all of it.
pub(crate) fn proposal(
    directory: &Path,
    sources: &Sources,
    build: &Build,
    asked: &Capabilities,
) -> Option<String> {
    found(directory, sources, build, asked).advice(asked)
}

/// `asked`, and what the sources of the project in `directory` reach beyond it.
pub(crate) fn proposed(
    directory: &Path,
    sources: &Sources,
    build: &Build,
    asked: &Capabilities,
) -> Capabilities {
    found(directory, sources, build, asked).capabilities
}

fn found(directory: &Path, sources: &Sources, build: &Build, asked: &Capabilities) -> Proposal {
    let mut proposed = Proposal {
        capabilities: asked.clone(),
        places: Vec::new(),
        requests: Vec::new(),
    };
    for file in sources.paths().filter(|file| is_code(file, build.language)) {
        let Some(language) = tool_hub_source::Language::of(Path::new(file)) else {
            continue;
        };
        let bytes = files::read_regular(&directory.join(file), SOURCE_BYTES_MAX as u64);
        let Some(text) = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
            continue;
        };
        for found in uses(&text, language) {
            proposed.add(found.kind, &format!("{file}:{}", found.position.line));
        }
    }
    proposed
}

/// True for a file of the project's language that is not of its tests.
fn is_code(file: &str, language: Language) -> bool {
    let endings: &[&str] = match language {
        Language::Python => &["py"],
        Language::Javascript => &["js", "mjs", "ts", "mts"],
        Language::Rust => &["rs"],
        // Sources in C are not read for what they reach.
        Language::C => &[],
    };
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let is_test = name.starts_with("test_")
        || ["_test", ".test", ".spec"]
            .iter()
            .any(|end| name.ends_with(end))
        || ["conftest", "build", "setup"].contains(&name)
        || file
            .split('/')
            .any(|part| ["test", "tests", "__tests__"].contains(&part));
    endings.contains(&ending) && !is_test
}

struct Proposal {
    /// The capabilities of the manifest, and those that are proposed.
    capabilities: Capabilities,
    /// The places of what is proposed, in words.
    places: Vec<String>,
    /// The places of requests whose origin is not known.
    requests: Vec<String>,
}

impl Proposal {
    fn add(&mut self, kind: UseKind, place: &str) {
        let told = match &kind {
            UseKind::Origin(origin) => origin.clone(),
            UseKind::Path { path, .. } => format!("the file `{path}`"),
            UseKind::Variable(name) => format!("the variable `{name}`"),
            UseKind::Requests(sender) => {
                self.requests
                    .push(format!("{place}: requests by `{sender}`"));
                return;
            }
            _ => return,
        };
        if self.places.len() < PLACES_MAX && self.is_new(kind) {
            self.places.push(format!("{place}: {told}"));
        }
    }

    /// Adds to the capabilities; tells whether they lacked it.
    fn is_new(&mut self, kind: UseKind) -> bool {
        let asked = &mut self.capabilities;
        match kind {
            UseKind::Origin(origin) => {
                let Ok(origin) = origin.parse::<Origin>() else {
                    return false;
                };
                let is_new = asked.network.methods(&origin).is_none();
                if is_new {
                    asked.network.insert(origin, Methods::Any);
                }
                is_new
            }
            UseKind::Path { path, is_written } => {
                let path = path.trim_start_matches('/');
                let inside = path.split_once('/');
                let name = inside.map_or(FILES, |(name, _)| name);
                let Ok(name) = name.parse::<DirectoryName>() else {
                    return false;
                };
                // The directory itself, such as `Path("/notes")`.
                if path
                    .parse()
                    .is_ok_and(|name| asked.directory(&name).is_some())
                {
                    return false;
                }
                let is_new = asked.directory(&name).is_none();
                if is_new {
                    let access = match is_written {
                        true => Access::ReadWrite,
                        false => Access::Read,
                    };
                    let why = WHY.to_owned();
                    asked
                        .directories
                        .push(DirectoryRequest { name, access, why });
                }
                is_new
            }
            UseKind::Variable(name) => {
                let Ok(name) = name.parse() else {
                    return false;
                };
                let is_new = asked.variable(&name).is_none();
                if is_new {
                    asked.variables.push(VariableRequest {
                        name,
                        secret: true,
                        why: WHY.to_owned(),
                    });
                }
                is_new
            }
            _ => false,
        }
    }

    fn advice(mut self, asked: &Capabilities) -> Option<String> {
        let capabilities = &self.capabilities;
        let mut lines = Vec::new();
        if capabilities.network.is_empty() && !self.requests.is_empty() {
            self.places.append(&mut self.requests);
            self.places.truncate(PLACES_MAX);
            lines.push("network = [\"https://HOST\"]".to_owned());
        }
        if capabilities.network != asked.network {
            lines.extend(line("network", &capabilities.network));
        }
        if capabilities.directories != asked.directories {
            lines.extend(line("directories", &capabilities.directories));
        }
        if capabilities.variables != asked.variables {
            lines.extend(line("variables", &capabilities.variables));
        }
        if self.places.is_empty() || lines.is_empty() {
            return None;
        }
        let mut advice = "the sources use what tool.toml does not ask for:\n".to_owned();
        for place in &self.places {
            let _ = writeln!(advice, "  {place}");
        }
        advice.push_str("a call is denied it; to ask for it, write these lines in tool.toml:\n");
        let _ = write!(advice, "[capabilities]\n{}", lines.join("\n"));
        Some(advice)
    }
}

/// A key of `tool.toml` with its value on one line.
fn line(key: &str, value: &impl Serialize) -> Option<String> {
    let value = value.serialize(ValueSerializer::new()).ok()?;
    Some(format!("{key} = {value}"))
}
