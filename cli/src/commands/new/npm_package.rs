//! Finds the MCP server in a package of npm, for `tool new --from npm:PACKAGE`.

use std::path::Path;

use serde_json::{Value, json};

use super::server::listing;
use crate::build::{ServerEntry, ServerFile, npm_lock};
use crate::scaffold::{FunctionSource, ServerProject, Template};
use crate::session::Session;
use crate::terminal::problem::Problem;

/// What a value of `--from` begins with that names such a package.
const PREFIX: &str = "npm:";
/// The packages of the AI SDK that tools are made with.
const AI_SDK: [&str; 2] = ["ai", "@ai-sdk/provider-utils"];

/// The package in a value of `--from` that names one.
pub(super) fn named(from: &Path) -> Option<&str> {
    from.to_str()?.strip_prefix(PREFIX)
}

/// The functions that the package's server lists.
pub(super) async fn fetched(package: &str, session: &Session) -> anyhow::Result<FunctionSource> {
    let (name, wanted) = parts(package)?;
    let manifest = json!({ "private": true, "dependencies": { name: wanted } });
    let lock_text = npm_lock(&manifest.to_string(), session).await?;
    let lock: Value = serde_json::from_str(&lock_text)?;
    let locked = &lock["packages"][format!("node_modules/{name}")];
    let version = locked["version"].as_str().unwrap_or_default();
    let (module, tools_of) = match program(name, &locked["bin"]) {
        Some(program) => {
            let module = format!("{name}/{}", program.trim_start_matches("./"));
            (module, Vec::new())
        }
        None if is_for_the_ai_sdk(locked) => (name.to_owned(), vec![name.to_owned()]),
        None => {
            return Err(Problem::user(format!(
                "{name} {version} installs no program that could be a server"
            ))
            .hint("take the file of it that has tools: tool new NAME --from FILE")
            .into());
        }
    };
    let mut file = ServerFile {
        server: ServerEntry {
            module,
            tools_of,
            function: None,
            arguments: Vec::new(),
        },
        tools: None,
    };
    let manifest = json!({ "private": true, "dependencies": { name: version } });
    let manifest = manifest.to_string();
    // The lock repeats what the manifest asks for.
    let mut lock = lock.clone();
    lock["packages"][""]["dependencies"][name] = version.into();
    let lock_text = format!("{lock:#}\n");
    let more = [
        ("package.json", manifest.as_str()),
        ("package-lock.json", lock_text.as_str()),
    ];
    let listing = listing(&file, "javascript", &more, session).await?;
    file.tools = Some(listing.tools);
    Ok(FunctionSource::Server(ServerProject {
        template: Template::Javascript,
        interface: file.interface(),
        file,
        package: format!("{name} {version}"),
        license: locked["license"].as_str().map(str::to_owned),
        license_texts: Vec::new(),
        requirements: vec![(name.to_owned(), version.to_owned())],
        npm_lock: Some(lock_text),
        variables: listing.variables,
        directories: listing.directories,
    }))
}

/// The name and the version that a package is asked for by.
fn parts(package: &str) -> anyhow::Result<(&str, &str)> {
    let scope = usize::from(package.starts_with('@'));
    let (name, version) = match package[scope..].find('@') {
        Some(at) => (&package[..scope + at], &package[scope + at + 1..]),
        None => (package, "*"),
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-~".contains(c);
    let mut words = name[scope..].split('/');
    let count = 1 + scope;
    let is_name = words.clone().count() == count
        && words
            .all(|word| !word.is_empty() && !word.starts_with('.') && word.chars().all(is_word));
    let is_version = version.chars().all(|c| is_word(c) || "^<>= *+".contains(c));
    if !is_name || !is_version || version.is_empty() {
        return Err(
            Problem::user(format!("`{package}` is not a package of npm"))
                .hint("write its name, or its name and version: npm:PACKAGE@1.2.3")
                .into(),
        );
    }
    Ok((name, version))
}

/// True if the package needs the AI SDK, so that it may export tools for it.
fn is_for_the_ai_sdk(locked: &Value) -> bool {
    let needed = ["dependencies", "peerDependencies"].map(|kind| &locked[kind]);
    needed
        .iter()
        .any(|it| AI_SDK.iter().any(|name| it[name].is_string()))
}

/// The file of the program that the package installs: the one that is called like it, or else one
/// that is called like a server.
fn program<'a>(package: &str, programs: &'a Value) -> Option<&'a str> {
    if let Some(only) = programs.as_str() {
        return Some(only);
    }
    let own = package.rsplit('/').next().unwrap_or(package);
    let rank = |name: &str| match name {
        name if name == own => 0,
        name if name.contains("mcp") => 1,
        name if name.contains("server") => 2,
        _ => 3,
    };
    let programs = programs.as_object()?;
    let (_, file) = programs.iter().min_by_key(|(name, _)| rank(name))?;
    file.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_with_and_without_a_version() {
        for (package, expect) in [
            ("a", Some(("a", "*"))),
            ("@s/a", Some(("@s/a", "*"))),
            ("a@1.2.3", Some(("a", "1.2.3"))),
            ("@s/a@^1", Some(("@s/a", "^1"))),
            ("", None),
            ("@s", None),
            ("s/a", None),
            ("../a", None),
            ("a@", None),
            ("a@git+ssh://x", None),
            ("a@file:../x", None),
        ] {
            assert_eq!(parts(package).ok(), expect, "{package}");
        }
    }

    #[test]
    fn packages_with_tools_for_the_ai_sdk_need_it() {
        assert!(is_for_the_ai_sdk(
            &json!({"peerDependencies": {"ai": "^5"}})
        ));
        assert!(!is_for_the_ai_sdk(&json!({"dependencies": {"zod": "^4"}})));
    }

    #[test]
    fn the_program_is_the_one_that_is_called_like_the_package() {
        assert_eq!(
            program("@s/a", &json!({"b": "b.js", "a": "a.js"})),
            Some("a.js")
        );
        assert_eq!(
            program("a", &json!({"cli": "c.js", "a-mcp": "m.js"})),
            Some("m.js")
        );
        assert_eq!(program("a", &json!("only.js")), Some("only.js"));
        assert_eq!(program("a", &Value::Null), None);
    }
}
