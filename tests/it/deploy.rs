//! Tests of the files that deploy a registry or build a release: all that they name exists.
//! Each is parsed: every command, variable, port and path. They cannot be run here as they stand.

mod compose;
mod dockerfile;
mod kubernetes;
mod nginx;
mod release;
mod service;

use std::collections::BTreeMap;

use tool_hub_registry_server::{RouteMethod, routes};

use crate::support::documents::variables_read;
use crate::support::{Home, Server, Test, root};

pub(crate) fn tests() -> Vec<Test> {
    [
        compose::tests(),
        dockerfile::tests(),
        kubernetes::tests(),
        nginx::tests(),
        release::tests(),
        service::tests(),
    ]
    .concat()
}

/// A file of `deploy/`.
#[track_caller]
fn file(name: &str) -> String {
    let path = root().join("deploy").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Asserts that `tool` takes `arguments`: with `--help` after them, it reads them all and does
/// nothing else.
#[track_caller]
pub(crate) fn understood(arguments: &[String]) {
    let help = "--help".to_owned();
    let ran = Home::new().run(arguments.iter().chain([&help]));
    assert_eq!(ran.code(), 0, "tool {arguments:?}\n{}", ran.stderr());
}

/// The value after an option.
#[track_caller]
fn option<'a>(arguments: &'a [String], name: &str) -> &'a str {
    let at = arguments.iter().position(|argument| argument == name);
    let at = at.unwrap_or_else(|| panic!("{name} is not among {arguments:?}"));
    &arguments[at + 1]
}

/// The port of `--listen ADDRESS`, which has to be every address of the container.
#[track_caller]
fn port_for_all(arguments: &[String], name: &str) -> u16 {
    let address = option(arguments, name);
    let port = address.strip_prefix("0.0.0.0:").expect("every address");
    port.parse().expect("a port")
}

/// Asserts that anybody may GET `path` on a registry.
#[track_caller]
fn is_served(path: &str) {
    let served = routes();
    let mut served = served.iter().filter(|it| it.method == RouteMethod::Get);
    assert!(served.any(|route| route.path == path), "{path} is no route");
}

/// Asserts that each of these variables is read by somebody: ours by the command, those of
/// the bucket and of PostgreSQL by the libraries, as the reference says.
#[track_caller]
fn are_read<'a>(names: impl IntoIterator<Item = &'a str>) {
    let reference = std::fs::read_to_string(root().join("docs/reference.md")).expect("reference");
    let ours = variables_read();
    for name in names {
        let known = ours.contains(name)
            || (name.starts_with("AWS_") && reference.contains(&format!("`{name}`")))
            || ["PGPASSWORD", "REGISTRY_URL", "TRUSTED_PROXY"].contains(&name);
        assert!(known, "nobody reads {name}");
    }
}

/// `text` with `$(NAME)` and `${NAME}` replaced, and `${NAME:-DEFAULT}` by the default.
#[track_caller]
fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("$(").into_iter().chain(rest.find("${")).min() {
        let (before, from) = rest.split_at(at);
        let closing = if from.starts_with("$(") { ')' } else { '}' };
        let (inside, after) = from[2..].split_once(closing).expect("an end");
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (inside.split(":?").next().unwrap_or(inside), None),
        };
        let value = default.or_else(|| values.get(name).cloned());
        filled.push_str(before);
        filled.push_str(&value.unwrap_or_else(|| panic!("{name} is not set")));
        rest = after;
    }
    filled + rest
}

/// A registry that was started with arguments of a file, on a free port.
struct Started(Server);

impl Started {
    /// Starts `tool` with `arguments`, which listen anywhere.
    #[track_caller]
    fn with(home: &Home, arguments: &[String]) -> Self {
        let places = ["--listen", "--metrics"].map(|name| option(arguments, name));
        let anywhere = |argument: &String| match places.contains(&argument.as_str()) {
            true => "127.0.0.1:0".to_owned(),
            false => argument.clone(),
        };
        let arguments: Vec<String> = arguments.iter().map(anywhere).collect();
        Self(Server::start(home.command(&arguments)))
    }

    fn port(&self) -> &str {
        self.0.url().rsplit(':').next().expect("a port")
    }
}
