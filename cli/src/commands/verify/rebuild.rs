//! `tool verify --rebuild`: builds a published version again from its sources, and compares files.

mod sections;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;
use tool_hub_host::authoring::{BuildTool, Sbom};
use tool_hub_manifest::{
    Capabilities, Digest, Interpreter, Language, Manifest, SbomClaim, Verified, package_file,
};
use tool_hub_registry_client::{AllowedYanks, CARD_BYTES_MAX};
use tool_hub_toolbox::advisories::allowed::AllowedAdvisories;
use tool_hub_toolbox::built_package;
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions, Purpose};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::subject::Subject;
use tool_hub_toolbox::target::Target;

use crate::build::{self, Form};
use crate::commands::build::built_project::BuiltProject;
use crate::files;
use crate::session::Session;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;
use crate::terminal::table::table;
use crate::toolbox::fetching;
use sections::{ChangedSection, changed_sections};

/// The most sections of a component that are shown.
const SECTIONS_SHOWN_MAX: usize = 20;

/// A package that is to be built again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rebuild<'a> {
    pub(super) tool: &'a Subject,
    /// The project with its sources.
    pub(super) source: Option<&'a Path>,
    /// True if the user has looked at the project's programs.
    pub(super) trust: bool,
}

/// A file of the package, as it was published and as it is made here.
#[derive(Debug, Serialize)]
struct ComparedFile {
    file: &'static str,
    result: Comparison,
    published: Option<Digest>,
    rebuilt: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<ChangedSection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Comparison {
    Equal,
    Different,
    /// It is taken as it was published.
    NotRebuilt,
}

/// A build program that is not the one that the package was built with.
#[derive(Debug, Serialize)]
struct OtherTool {
    name: String,
    published: Option<String>,
    here: Option<String>,
}

const OF_AN_INTERPRETER: &str =
    "each build of an interpreter makes other bytes; both claim the same recipe";
const HOLDS_AN_INTERPRETER: &str =
    "the component holds an interpreter, of which each build makes other bytes";

impl Rebuild<'_> {
    pub(super) async fn execute(self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let target = Target::of(self.tool, &config.settings)?;
        let options = FetchOptions {
            asked: Capabilities::default(),
            allowed_yanks: AllowedYanks::All,
            allowed_new: AllowedNew::IfNoOther,
            allowed_advisories: AllowedAdvisories::All,
            purpose: Purpose::Look,
            ..FetchOptions::default()
        };
        let (subject, endpoint) = (&target.subject, &target.endpoint);
        let fetched = fetching::fetch(subject, options, endpoint, session).await?;
        let source = self.source_of(&fetched, session)?;
        let language = check_project(&source, &fetched.verified)?;
        if language == Language::Rust {
            if self.trust {
                build::remember_trust(&source, config)?;
            }
            build::obtain_trust(&source, session)?;
        }
        let built = built_again(&source, language, session).await?;
        let card = published_card(&fetched, session).await?;
        let published = &fetched.verified;
        let files = compared(published, card, &built, language);
        let tools = other_tools(published.sbom(), built.verified.sbom());
        let manifest = published.manifest();
        let differing: Vec<&str> = files
            .iter()
            .filter(|it| it.result == Comparison::Different)
            .map(|it| it.file)
            .collect();
        if printer.wants_json() {
            printer.json(&json!({
                "name": manifest.name,
                "version": manifest.version,
                "equal": differing.is_empty(),
                "files": files,
                "other_tools": tools,
            }))?;
        } else {
            printer.data(&shown(&files))?;
        }
        for tool in &tools {
            let said = |version: &Option<String>| {
                version
                    .as_deref()
                    .map_or_else(|| "none".to_owned(), escape_line)
            };
            let (published, here) = (said(&tool.published), said(&tool.here));
            let name = escape_line(&tool.name);
            printer.warning(&format!(
                "it was built with {name} {published}, here is {here}"
            ));
        }
        if differing.is_empty() {
            printer.note(&format!(
                "{} {} is what these sources make",
                manifest.name, manifest.version
            ));
            return Ok(ExitCode::SUCCESS);
        }
        let named = format!("{} {}", manifest.name, manifest.version);
        Err(differs(&named, &files, &differing, tools.is_empty()).into())
    }

    /// The directory with the sources: the one that is named, or the project around the package.
    fn source_of(self, fetched: &Fetched, session: &Session) -> anyhow::Result<PathBuf> {
        let settings = &session.config.settings;
        let source = match (self.source, &fetched.origin) {
            (Some(source), _) => settings.place(source),
            (None, FetchedFrom::File { path }) => path.clone(),
            (None, _) => {
                return Err(Problem::user("a package does not hold its sources")
                    .hint("check them out as they were for this version, and name the project with: --source DIR")
                    .into());
            }
        };
        Ok(source.canonicalize().unwrap_or(source))
    }
}

/// The error for a package of which files are different, by the reason for that.
fn differs(
    named: &str,
    files: &[ComparedFile],
    differing: &[&str],
    has_same_tools: bool,
) -> Problem {
    let holds_an_interpreter = files.iter().any(|it| it.why == Some(HOLDS_AN_INTERPRETER));
    if holds_an_interpreter && differing == [package_file::COMPONENT] {
        return Problem::refused(format!(
            "nobody can tell by its bytes if {named} is what these sources make: {HOLDS_AN_INTERPRETER}; all else is equal"
        ))
        .hint("the same sources differ here, too; read them, and load what you build of them yourself")
        .hint("ask the author for WIT that a shared interpreter has: such a tool is the same each time it is built");
    }
    let problem = Problem::refused(format!(
        "{named} is not what these sources make here: {} differ",
        differing.join(", ")
    ));
    let problem = match has_same_tools {
        true => problem.hint("ask the author for the very sources and locks of this version"),
        false => problem.hint("try again with the programs that it was built with"),
    };
    match holds_an_interpreter {
        true => problem.hint(format!(
            "{} will differ all the same: {HOLDS_AN_INTERPRETER}",
            package_file::COMPONENT
        )),
        false => problem,
    }
}

/// Checks that the project in `source` is of the published tool and version; tells its language.
fn check_project(source: &Path, published: &Verified) -> anyhow::Result<Language> {
    let author = build::read_author_manifest(source)?;
    let manifest = published.manifest();
    if (&author.name, &author.version) != (&manifest.name, &manifest.version) {
        return Err(Problem::user(format!(
            "{} holds {} {}, and the package is {} {}",
            source.display(),
            author.name,
            author.version,
            manifest.name,
            manifest.version
        ))
        .hint("check out the sources of that version")
        .into());
    }
    let Some(section) = author.build else {
        return Err(Problem::user(format!(
            "{} holds no project: its tool.toml has no [build]",
            source.display()
        ))
        .into());
    };
    Ok(section.language)
}

/// Builds a copy of the project in `source`, with what its locks name and nothing newer.
async fn built_again(
    source: &Path,
    language: Language,
    session: &Session,
) -> anyhow::Result<BuiltProject> {
    let scratch = build::scratch::directory("tool-rebuild-", &session.config)?;
    let project = scratch.path().join("project");
    build::copy_sources(source, &project)?;
    let locks = || -> anyhow::Result<Vec<Option<String>>> {
        let read = |lock: &&str| Ok(files::read_if_present(&project.join(lock))?);
        build::LOCKS.iter().map(read).collect()
    };
    let before = locks()?;
    if language == Language::Rust && before[0].is_none() {
        return Err(not_locked(source, build::LOCKS[0]));
    }
    let built = BuiltProject::of_trusted(&project, Form::Package, session).await?;
    let after = locks()?;
    let changed = build::LOCKS.iter().zip(before.iter().zip(&after));
    let mut changed = changed.filter(|(_, (before, after))| before != after);
    match changed.next() {
        Some((lock, _)) => Err(not_locked(source, lock)),
        None => Ok(built),
    }
}

fn not_locked(source: &Path, lock: &str) -> anyhow::Error {
    Problem::user(format!(
        "{} has no {lock} for what it asks for, so nobody knows which packages were taken",
        source.display()
    ))
    .hint("take the sources with the locks that the author's build wrote")
    .into()
}

/// The card as it was published.
async fn published_card(fetched: &Fetched, session: &Session) -> anyhow::Result<Option<Vec<u8>>> {
    let Session { config, printer } = session;
    match &fetched.origin {
        FetchedFrom::Registry {
            endpoint, resolved, ..
        } => {
            let client = config.settings.client(endpoint, printer)?;
            Ok(client.card(resolved).await?.map(String::into_bytes))
        }
        FetchedFrom::File { path } => {
            let path = built_package::directory(path)?.join(package_file::CARD);
            match path.symlink_metadata() {
                Ok(_) => Ok(Some(files::read_regular(&path, CARD_BYTES_MAX)?)),
                Err(_) => Ok(None),
            }
        }
        FetchedFrom::Server { .. } | FetchedFrom::Approved(_) => Ok(None),
    }
}

fn compared(
    published: &Verified,
    card: Option<Vec<u8>>,
    built: &BuiltProject,
    language: Language,
) -> Vec<ComparedFile> {
    let rebuilt = &built.verified;
    let interpreters = (published.interpreter(), rebuilt.interpreter());
    // Whose bytes differ each time is not held against the rest of the package.
    let taken = match interpreters {
        (Some(theirs), Some(ours)) if build::have_same_recipe(theirs, ours) => {
            (theirs != ours).then_some(theirs)
        }
        _ => None,
    };
    let ours = rebuilt.interpreter().map(Interpreter::component);
    let theirs = published.interpreter().map(Interpreter::component);
    let is_interpreted = matches!(language, Language::Python | Language::Javascript);
    let holds_an_interpreter = is_interpreted && ours.is_none() && theirs.is_none();
    let (manifest, sbom) = match taken {
        Some(interpreter) => with_interpreter(rebuilt, interpreter),
        None if holds_an_interpreter => with_component(rebuilt, published),
        None => (
            rebuilt.manifest_bytes().to_vec(),
            rebuilt.sbom().map(<[u8]>::to_vec),
        ),
    };
    let mut files = vec![
        compare(
            package_file::MANIFEST,
            Some(published.manifest_bytes()),
            Some(&manifest),
        ),
        compare(
            package_file::COMPONENT,
            Some(published.component()),
            Some(rebuilt.component()),
        ),
        compare(package_file::INTERPRETER, theirs, ours),
        compare(package_file::SBOM, published.sbom(), sbom.as_deref()),
        compare(
            package_file::CARD,
            card.as_deref(),
            built.card_text().map(str::as_bytes),
        ),
    ];
    files.retain(|it| it.published.is_some() || it.rebuilt.is_some());
    for file in &mut files {
        let is_different = file.result == Comparison::Different;
        if file.file == package_file::INTERPRETER && taken.is_some() {
            file.result = Comparison::NotRebuilt;
            file.why = Some(OF_AN_INTERPRETER);
        } else if file.file == package_file::COMPONENT && is_different {
            file.sections = changed_sections(published.component(), rebuilt.component());
            if holds_an_interpreter {
                file.why = Some(HOLDS_AN_INTERPRETER);
            }
        }
    }
    files
}

fn compare(file: &'static str, published: Option<&[u8]>, rebuilt: Option<&[u8]>) -> ComparedFile {
    ComparedFile {
        file,
        result: match published == rebuilt {
            true => Comparison::Equal,
            false => Comparison::Different,
        },
        published: published.map(Digest::of),
        rebuilt: rebuilt.map(Digest::of),
        why: None,
        sections: Vec::new(),
    }
}

/// Manifest and bill of materials of `rebuilt` as they are with the component of `published`, of
/// which the bill says nothing.
fn with_component(rebuilt: &Verified, published: &Verified) -> (Vec<u8>, Option<Vec<u8>>) {
    let mut manifest: Manifest = rebuilt.manifest().clone();
    manifest.component = published.manifest().component.clone();
    let sbom = rebuilt.sbom().map(<[u8]>::to_vec);
    (manifest.to_toml().into_bytes(), sbom)
}

/// Manifest and bill of materials of `rebuilt` as they are with another `interpreter`.
fn with_interpreter(rebuilt: &Verified, interpreter: &Interpreter) -> (Vec<u8>, Option<Vec<u8>>) {
    let mut manifest: Manifest = rebuilt.manifest().clone();
    manifest.interpreter = Some(interpreter.claim());
    let sbom = rebuilt.sbom().and_then(|sbom| Sbom::from_bytes(sbom).ok());
    let sbom = sbom.map(|mut sbom| {
        sbom.interpreter = Some(build::interpreter_in_sbom(interpreter));
        sbom.to_bytes(&manifest)
    });
    manifest.sbom = sbom.as_deref().map(SbomClaim::of);
    (manifest.to_toml().into_bytes(), sbom)
}

/// The programs that differ between the builds of two bills of materials. Of a package without a
/// bill nothing is known.
fn other_tools(published: Option<&[u8]>, here: Option<&[u8]>) -> Vec<OtherTool> {
    let read = |sbom: Option<&[u8]>| -> Option<BTreeMap<String, String>> {
        let tools = Sbom::from_bytes(sbom?).ok()?.build_tools.into_iter();
        Some(
            tools
                .map(|BuildTool { name, version }| (name, version))
                .collect(),
        )
    };
    let (Some(mut published), Some(here)) = (read(published), read(here)) else {
        return Vec::new();
    };
    let mut others = Vec::new();
    for (name, here) in here {
        let before = published.remove(&name);
        if before.as_deref() != Some(here.as_str()) {
            others.push(OtherTool {
                name,
                published: before,
                here: Some(here),
            });
        }
    }
    others.extend(published.into_iter().map(|(name, version)| OtherTool {
        name,
        published: Some(version),
        here: None,
    }));
    others
}

fn shown(files: &[ComparedFile]) -> String {
    let rows = files.iter().map(|file| {
        let result = match file.result {
            Comparison::Equal => "equal",
            Comparison::Different => "different",
            Comparison::NotRebuilt => "not built again",
        };
        let why = file.why.map(|why| format!(": {why}")).unwrap_or_default();
        [file.file.to_owned(), format!("{result}{why}")]
    });
    let mut lines = vec![table(["FILE", "RESULT"], rows.collect())];
    let sections: Vec<&ChangedSection> = files.iter().flat_map(|it| &it.sections).collect();
    if !sections.is_empty() {
        lines.push(format!(
            "Sections of {} that differ",
            package_file::COMPONENT
        ));
    }
    let told = sections.iter().take(SECTIONS_SHOWN_MAX);
    lines.extend(told.map(|section| format!("  {}", escape_line(&section.to_string()))));
    if let Some(more @ 1..) = sections.len().checked_sub(SECTIONS_SHOWN_MAX) {
        lines.push(format!("  {more} more (all with --json)"));
    }
    lines.join("\n")
}
