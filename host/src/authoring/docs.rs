//! Reads doc comments from WIT sources and components; lists the WIT packages offered to tools.
//! Components lose the comments of their sources, so these are carried in the section that other
//! component tools read.

mod members;
pub(super) mod section;
mod signatures;
mod text;

use std::collections::BTreeMap;
use std::path::Path;

use tool_hub_manifest::{ExportName, Members};
use wit_parser::{
    Resolve, SourceMap, Type, TypeDefKind, UnresolvedPackageGroup, WorldId, WorldItem,
};

use crate::authoring::docs::text::text;
use crate::error::HostError;

/// A WIT package that this host offers to tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WitPackage {
    /// Its name, such as `tool-hub:tool`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The name and the text of each of its files.
    pub files: &'static [(&'static str, &'static str)],
}

/// The contract `tool-hub:tool`, so that a project need not carry a copy of it.
pub const CONTRACT: WitPackage = WitPackage {
    name: "tool-hub:tool",
    version: "0.1.0",
    files: &[
        ("types.wit", include_str!("../../../wit/types.wit")),
        (
            "interaction.wit",
            include_str!("../../../wit/interaction.wit"),
        ),
        ("prompts.wit", include_str!("../../../wit/prompts.wit")),
        ("resources.wit", include_str!("../../../wit/resources.wit")),
        (
            "interpreter.wit",
            include_str!("../../../wit/interpreter.wit"),
        ),
        ("toolbox.wit", include_str!("../../../wit/toolbox.wit")),
    ],
};

/// The contract, and the WASI proposals that no language brings along.
pub const PACKAGES: [WitPackage; 3] = [
    CONTRACT,
    WitPackage {
        name: "wasi:keyvalue",
        version: "0.2.0-draft",
        files: &[(
            "keyvalue.wit",
            include_str!("../../../wit/deps/wasi-keyvalue/keyvalue.wit"),
        )],
    },
    WitPackage {
        name: "wasi:logging",
        version: "0.1.0-draft",
        files: &[(
            "logging.wit",
            include_str!("../../../wit/deps/wasi-logging/logging.wit"),
        )],
    },
];

impl WitPackage {
    /// The name of its directory below `wit/deps` of a project.
    pub fn directory(&self) -> String {
        self.name.replace(':', "-")
    }
}

/// One WIT file of a project, already read.
#[derive(Debug, Clone, Copy)]
pub struct WitSource<'a> {
    /// Its path below the project's `wit` directory, such as `world.wit` or
    /// `deps/wasi-http/types.wit`. Files below one directory of `deps`, and single files
    /// there, are packages of their own.
    pub path: &'a Path,
    /// Its text.
    pub contents: &'a str,
}

/// The doc comments of a world and of what it exports.
#[derive(Debug, Clone, Default)]
pub struct Docs {
    world_name: String,
    world: Option<String>,
    functions: BTreeMap<String, FunctionDocs>,
}

#[derive(Debug, Clone, Default)]
struct FunctionDocs {
    text: String,
    /// The names of the parameters.
    parameters: Vec<String>,
    /// Parameters of the contract's type `audio`, which has the fields of `image`.
    audio: Vec<String>,
    /// The comments on members within parameters.
    members: BTreeMap<String, Members>,
    /// The comments on members within the result.
    answered: Members,
}

impl Docs {
    /// Reads the doc comments of `world`, or of the only world there is, from the sources of
    /// a project. [`PACKAGES`] are known; every other package that the sources
    /// name has to be among them.
    ///
    /// # Errors
    /// When the sources cannot be parsed or resolved, when the world cannot be found, and when a
    /// function for agents has a value that cannot be written as JSON.
    pub fn from_sources(sources: &[WitSource<'_>], world: Option<&str>) -> Result<Self, HostError> {
        let (resolve, world) = resolved(sources, world)?;
        signatures::check(&resolve, world)?;
        Ok(Self::of_world(&resolve, world))
    }

    /// The names of the parameters of an exported function; nothing where the docs are those that a
    /// component carries.
    pub fn parameters(&self, export: &ExportName) -> Option<&[String]> {
        Some(&self.find(export)?.parameters)
    }

    /// The functions that the world exports, whether or not anything is said of them.
    pub fn exports(&self) -> impl Iterator<Item = ExportName> {
        let names = self.functions.keys();
        names.filter_map(|name| name.parse().ok())
    }

    /// The name of the world; empty where the docs are those that a component carries.
    pub fn world_name(&self) -> &str {
        &self.world_name
    }

    /// The comment on the world.
    pub fn world(&self) -> Option<&str> {
        self.world.as_deref()
    }

    /// The comment on an exported function.
    pub fn function(&self, export: &ExportName) -> Option<&str> {
        let text = &self.find(export)?.text;
        Some(text.as_str()).filter(|text| !text.is_empty())
    }

    /// The description of one parameter of a function: the item of a list in the function's
    /// comment that begins with the parameter's name, as in ``- `text`: what to count``.
    pub fn parameter(&self, export: &ExportName, parameter: &str) -> Option<String> {
        let text = self.function(export)?;
        let mut found: Option<String> = None;
        for line in text.lines() {
            let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            match &mut found {
                None => {
                    let rest = item
                        .and_then(|item| item.trim_start().strip_prefix('`'))
                        .and_then(|item| item.strip_prefix(parameter))
                        .and_then(|item| item.strip_prefix("`:"));
                    found = rest.map(|rest| rest.trim().to_owned());
                }
                Some(_) if item.is_some() || line.trim().is_empty() => break,
                Some(found) if line.starts_with(' ') => {
                    found.push(' ');
                    found.push_str(line.trim());
                }
                Some(_) => break,
            }
        }
        found.filter(|text| !text.is_empty())
    }

    /// The descriptions of the members within one parameter of a function: the comments on the
    /// fields and cases of its types.
    pub(super) fn members(&self, export: &ExportName, parameter: &str) -> Option<&Members> {
        self.find(export)?.members.get(parameter)
    }

    /// The comments on the members within a function's result.
    pub(super) fn answered(&self, export: &ExportName) -> Option<&Members> {
        Some(&self.find(export)?.answered)
    }

    pub(super) fn is_audio(&self, export: &ExportName, parameter: &str) -> bool {
        let docs = self.find(export);
        docs.is_some_and(|docs| docs.audio.iter().any(|name| name == parameter))
    }

    fn find(&self, export: &ExportName) -> Option<&FunctionDocs> {
        let whole = self.functions.get(&export.to_string());
        // Docs that a component carries know interfaces by their short names only.
        whole.or_else(|| {
            let interface = export.interface()?.split('@').next()?;
            let short = interface.rsplit('/').next()?;
            self.functions
                .get(&format!("{short}.{}", export.function()))
        })
    }

    fn of_world(resolve: &Resolve, world: wit_parser::WorldId) -> Self {
        let world = &resolve.worlds[world];
        let mut docs = Self {
            world_name: world.name.clone(),
            world: text(world.docs.contents.as_deref()),
            functions: BTreeMap::new(),
        };
        for (key, item) in &world.exports {
            match item {
                WorldItem::Function(function) => {
                    docs.add(resolve, function.name.clone(), function);
                }
                WorldItem::Interface { id, .. } => {
                    let interface = resolve.name_world_key(key);
                    for function in resolve.interfaces[*id].functions.values() {
                        docs.add(resolve, format!("{interface}.{}", function.name), function);
                    }
                    if docs.world.is_none() {
                        let contents = &resolve.interfaces[*id].docs.contents;
                        docs.world = text(contents.as_deref());
                    }
                }
                WorldItem::Type { .. } => {}
            }
        }
        docs
    }

    fn add(&mut self, resolve: &Resolve, key: String, function: &wit_parser::Function) {
        let parameters = function.params.iter();
        let audio = parameters.clone();
        let audio = audio.filter(|param| is_audio(resolve, &param.ty));
        let members = parameters.map(|param| {
            let members = members::of(resolve, &param.ty);
            (param.name.clone(), members)
        });
        let answered = function.result.as_ref();
        let docs = FunctionDocs {
            text: text(function.docs.contents.as_deref()).unwrap_or_default(),
            parameters: function.params.iter().map(|it| it.name.clone()).collect(),
            audio: audio.map(|param| param.name.clone()).collect(),
            members: members.collect(),
            answered: answered.map_or_else(Members::default, |ty| members::of_answer(resolve, ty)),
        };
        self.functions.insert(key, docs);
    }
}

/// Resolves the sources of a project, and finds the world in them, for generators of bindings.
///
/// # Errors
/// When the sources cannot be parsed or resolved, or the world cannot be found.
pub fn resolved(
    sources: &[WitSource<'_>],
    world: Option<&str>,
) -> Result<(Resolve, WorldId), HostError> {
    let mut packages: BTreeMap<Option<String>, SourceMap> = BTreeMap::new();
    for source in sources {
        let map = packages.entry(dependency(source.path)).or_default();
        // Errors name the file as it lies in the project.
        map.push(&Path::new("wit").join(source.path), source.contents);
    }
    let main = packages.remove(&None).ok_or_else(|| HostError::Wit {
        reason: "there is no WIT file".into(),
    })?;
    let mut dependencies = Vec::new();
    for map in packages.into_values() {
        dependencies.push(parse(map)?);
    }
    for package in PACKAGES {
        let name = format!("{}@{}", package.name, package.version);
        let is_it = |group: &UnresolvedPackageGroup| group.main.name.to_string() == name;
        if dependencies.iter().any(is_it) {
            continue;
        }
        let mut map = SourceMap::default();
        for (path, contents) in package.files {
            map.push(Path::new(path), *contents);
        }
        dependencies.push(parse(map)?);
    }
    let mut resolve = Resolve::default();
    let package = resolve
        .push_groups(parse(main)?, dependencies)
        .map_err(|error| unreadable(resolve.render_error(&error.into())))?;
    let world = resolve
        .select_world(&[package], world)
        .map_err(|error| unreadable(resolve.render_error(&error)))?;
    Ok((resolve, world))
}

/// The dependency that a file belongs to, if not to the project's own package.
fn dependency(path: &Path) -> Option<String> {
    let mut parts = path.iter().map(|part| part.to_string_lossy());
    match parts.next().as_deref() {
        Some("deps") => parts.next().map(|part| part.into_owned()),
        _ => None,
    }
}

fn parse(map: SourceMap) -> Result<UnresolvedPackageGroup, HostError> {
    let parsed = map.parse();
    parsed.map_err(|(map, error)| unreadable(wit_parser::render_anyhow_error(&error.into(), &map)))
}

fn unreadable(reason: String) -> HostError {
    HostError::Wit { reason }
}

fn is_audio(resolve: &Resolve, ty: &Type) -> bool {
    let Type::Id(id) = ty else { return false };
    let definition = &resolve.types[*id];
    match (&definition.kind, definition.name.as_deref()) {
        (_, Some("audio")) => true,
        (TypeDefKind::Type(alias), _) => is_audio(resolve, alias),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "
        package demo:sound;

        /// Works with sound.
        interface edit {
            use tool-hub:tool/types@0.1.0.{audio};

            /// Cuts `sound`.
            ///
            /// - `sound`: what to cut,
            ///   as WAV.
            /// - `seconds`: how long.
            ///
            /// Nothing else.
            cut: func(sound: audio, seconds: u32) -> audio;
        }

        /// A tool for sound.
        world sound {
            export edit;
            /// Says hello.
            export hello: func() -> string;
            /// 获取当前时间,支持指定时区。
            export time: func(zone: string) -> string;
        }
    ";

    fn docs() -> Docs {
        let source = WitSource {
            path: Path::new("world.wit"),
            contents: SOURCE,
        };
        Docs::from_sources(&[source], None).unwrap()
    }

    #[test]
    fn comments_are_found_by_export() {
        let docs = docs();
        assert_eq!(docs.world(), Some("A tool for sound."));
        let hello: ExportName = "hello".parse().unwrap();
        assert_eq!(docs.function(&hello), Some("Says hello."));
        let cut: ExportName = "demo:sound/edit.cut".parse().unwrap();
        assert!(docs.function(&cut).unwrap().starts_with("Cuts `sound`."));
        assert_eq!(
            docs.parameter(&cut, "sound").as_deref(),
            Some("what to cut, as WAV.")
        );
        assert_eq!(
            docs.parameter(&cut, "seconds").as_deref(),
            Some("how long.")
        );
        assert_eq!(docs.parameter(&cut, "else"), None);
        // Each of its characters has several bytes.
        assert_eq!(docs.parameter(&"time".parse().unwrap(), "zone"), None);
        assert!(docs.is_audio(&cut, "sound"));
        assert!(!docs.is_audio(&cut, "seconds"));
    }

    #[test]
    fn sources_that_cannot_be_read_say_where() {
        let source = WitSource {
            path: Path::new("world.wit"),
            contents: "package a:b;\ninterface x { y: fun(); }",
        };
        let error = Docs::from_sources(&[source], None).unwrap_err().to_string();
        assert!(error.contains("world.wit:2"), "{error}");
    }

    #[test]
    fn dependencies_are_packages_of_their_own() {
        let sources = [
            WitSource {
                path: Path::new("world.wit"),
                contents: "package a:b; world w { import c:d/e; export run: func(); }",
            },
            WitSource {
                path: Path::new("deps/c-d/e.wit"),
                contents: "package c:d; interface e { f: func(); }",
            },
        ];
        assert!(Docs::from_sources(&sources, Some("w")).is_ok());
        assert!(Docs::from_sources(&sources[..1], Some("w")).is_err());
    }
}
