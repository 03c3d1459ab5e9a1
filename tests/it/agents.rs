//! Tests that others' MCP clients and agent frameworks call every sample tool, by stdio and HTTP.
//! They also list them. The clients are installed as their users install them. Over HTTP they have
//! a token.

pub(crate) mod document;
mod toolbox;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::public_clients::{packages, said};
use crate::support::{Need, Test, root, test};
pub(crate) use toolbox::put_away;
use toolbox::{TOKEN, served};

/// What every client needs, and Python's package registry.
const PYTHON: &[Need] = &[
    Need::RustGuests,
    Need::PythonGuest,
    Need::JavascriptGuest,
    Need::PythonPackages,
];

/// What every client needs, and Node's package registry.
const NODE: &[Need] = &[
    Need::RustGuests,
    Need::PythonGuest,
    Need::JavascriptGuest,
    Need::NodePackages,
];

pub(crate) fn tests() -> Vec<Test> {
    let clients = vec![
        test("agents::mcp_sdk_for_python_1", || {
            python("mcp_python_1.py", &["mcp==1.30.0"]);
        })
        .needs(PYTHON),
        test("agents::mcp_sdk_for_python_2", || {
            python("mcp_python_2.py", &["mcp==2.3.0"]);
        })
        .needs(PYTHON),
        test("agents::prompts_and_resources", prompts_and_resources).needs(PYTHON),
        test("agents::langchain", || {
            python("langchain_tools.py", &["langchain-mcp-adapters==0.3.2"]);
        })
        .needs(PYTHON),
        test("agents::llama_index", || {
            python("llama_index_tools.py", &["llama-index-tools-mcp==0.6.0"]);
        })
        .needs(PYTHON),
        test("agents::smolagents", || {
            // It asks for any version of the SDK and cannot be imported with 2.
            let packages = ["smolagents[mcp]==1.26.0", "mcp==1.30.0"];
            python("smolagents_tools.py", &packages);
        })
        .needs(PYTHON),
        test("agents::openai_agents", || {
            python("openai_agents_tools.py", &["openai-agents==0.24.0"]);
        })
        .needs(PYTHON),
        test("agents::function_calling", function_calling).needs(PYTHON),
        test("agents::mcp_sdk_for_typescript_1", || {
            node(
                "mcp_typescript_1.mjs",
                &["@modelcontextprotocol/sdk@1.32.2"],
            );
        })
        .needs(NODE),
        test("agents::mcp_sdk_for_typescript_2", || {
            let packages = ["@modelcontextprotocol/client@2.4.0"];
            node("mcp_typescript_2.mjs", &packages);
        })
        .needs(NODE),
        test("agents::vercel_ai", || {
            node("vercel_ai.mjs", &["@ai-sdk/mcp@2.0.99", "ai@7.0.173"]);
        })
        .needs(NODE),
        test("agents::inspector", || {
            let packages = ["@modelcontextprotocol/inspector@2.12.0"];
            node("inspector.mjs", &packages);
        })
        .needs(NODE),
    ];
    [clients, document::tests()].concat()
}

/// Where the clients' scripts are.
fn scripts() -> PathBuf {
    root().join("tests/clients/agents")
}

/// Runs a script in Python over both transports.
fn python(script: &str, requirements: &[&str]) {
    let served = served();
    for server in [&[][..], &[served.server.url(), TOKEN]] {
        made_every_call(
            python_with(requirements)
                .arg(scripts().join(script))
                .args(server),
        );
    }
}

/// What tools offer beside functions, over both transports.
fn prompts_and_resources() {
    let served = served();
    let script = scripts().join("beside_functions.py");
    for server in [&[][..], &[served.server.url(), TOKEN]] {
        said(python_with(&["mcp==2.3.0"]).arg(&script).args(server));
    }
    // Standard input and output are served without a log.
    let log = std::fs::read_to_string(served.user.work().join("calls.jsonl"));
    let log = log.expect("a log of calls");
    let lines = log.lines().map(serde_json::from_str);
    let lines: Vec<Value> = lines.collect::<Result<_, _>>().expect("JSON lines");
    let noted = |member: &str, beginning: &str, outcome: &str| {
        lines.iter().any(|line| {
            let subject = line[member].as_str();
            subject.is_some_and(|subject| subject.starts_with(beginning))
                && line["tool"] == "notes"
                && line["outcome"] == outcome
                && line.get("function").is_none()
        })
    };
    assert!(noted("prompt", "notes", "reply"), "{log}");
    assert!(noted("resource", "notes://milk-", "reply"), "{log}");
    assert!(
        noted("resource", "notes://no-such-note", "not-found"),
        "{log}"
    );
}

/// The commands that function calling takes need no server.
fn function_calling() {
    let script = scripts().join("function_calling.py");
    made_every_call(python_with(&["openai==3.54.0"]).arg(script));
}

fn python_with(requirements: &[&str]) -> Command {
    document::names(requirements);
    let mut command = served().user.program_among("python3", &[]);
    command
        .env("PYTHONPATH", packages::python(requirements))
        // Nothing is left beside the scripts.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Runs a script in JavaScript over both transports, with the oldest Node that all of the
/// packages take.
fn node(script: &str, requirements: &[&str]) {
    document::names(requirements);
    let served = served();
    let modules = packages::node(requirements).join("node_modules");
    let runtime = packages::node(&["node@22.23.3"]).join("node_modules/node/bin");
    let place = beside(&modules);
    for server in [&[][..], &[served.server.url(), TOKEN]] {
        let programs = [runtime.clone(), modules.join(".bin")];
        let mut command = served.user.program_among("node", &programs);
        made_every_call(command.arg(place.path().join(script)).args(server));
    }
}

/// A copy of the scripts in a directory with `modules`, since a script finds its packages
/// above itself and nowhere else.
fn beside(modules: &Path) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    for entry in std::fs::read_dir(scripts()).expect("scripts") {
        let entry = entry.expect("a script");
        std::fs::copy(entry.path(), place.path().join(entry.file_name())).expect("a copy");
    }
    std::os::unix::fs::symlink(modules, place.path().join("node_modules")).expect("a link");
    place
}

/// Runs a client, which says `ok` after each call of the table that all share.
#[track_caller]
fn made_every_call(client: &mut Command) {
    let table = std::fs::read(scripts().join("calls.json")).expect("calls.json");
    let table: Vec<Value> = serde_json::from_slice(&table).expect("a table");
    let said = said(client);
    let made = said.lines().filter(|line| line.starts_with("ok "));
    assert_eq!(made.count(), table.len(), "{said}");
}
