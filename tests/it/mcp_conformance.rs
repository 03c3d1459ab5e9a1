//! Runs MCP's official conformance suite, for two revisions of the protocol, against `tool serve`.
//! What the suite calls is a component that was pushed to a registry and loaded from it;
//! `tests/conformance/mcp` holds it, and what is expected to fail, with the reason.

use std::path::Path;
use std::process::Command;

use crate::public_clients::packages;
use crate::support::loading::digest;
use crate::support::{Home, Need, RegistryProcess, Server, Test, guests, root, test};

const SUITE: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/// The suite needs a newer one than many machines have.
const NODE: &str = "node@22.23.3";
const TOKEN: &str = "a-token-of-the-suite";

/// What the suite calls, by the names that it calls them by.
const FIXTURES: [&str; 23] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multi_round",
    "test_input_required_result_prompt",
    "test_simple_prompt",
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
    "test_resources",
];

pub(crate) fn tests() -> Vec<Test> {
    let needs: &[Need] = &[Need::RustGuests, Need::NodePackages];
    vec![test("mcp_conformance::both_eras", both_eras).needs(needs)]
}

fn both_eras() {
    let registry = RegistryProcess::start();
    let user = registry.visitor();
    load(&registry, &user);
    user.write_private("token", TOKEN);
    let node = packages::node(&[NODE]).join("node_modules/.bin/node");
    let mut forwarding = Command::new(&node);
    let forward = root().join("tests/conformance/mcp/forward.mjs");
    forwarding
        .arg(forward)
        .arg(TOKEN)
        .arg(user.work().join("url"));
    let forwarding = Server::start(forwarding);
    // The suite sends the address at which it finds the server as its `Origin`.
    let serve = "serve --http --listen 127.0.0.1:0 --token-file token --allow-origin";
    let mut serving = user.command(serve.split(' '));
    serving.arg(forwarding.url());
    let serving = Server::start(serving);
    user.write("url", serving.url());
    let url = format!("{}/mcp", forwarding.url());
    for era in ["2026-07-28", "2025-11-25"] {
        conforms(&node, era, &url, &user);
    }
}

/// Pushes the fixture, and loads it once for each name. A directory of its own says which
/// fixture it is.
fn load(registry: &RegistryProcess, user: &Home) {
    let author = registry.member("author");
    let project = guests::fixture("tests/conformance/mcp/fixture");
    author.run(["push", "-C", &project.to_string_lossy()]).ok();
    let repo = "author/mcp-fixture";
    let digest = digest(user, repo);
    for name in FIXTURES {
        user.write(&format!("fixtures/{name}/name"), name);
        let directory = format!("fixture=fixtures/{name}");
        user.run([
            "load",
            repo,
            "--as",
            name,
            "--approve",
            &digest,
            "--allow-dir",
            &directory,
        ])
        .ok();
    }
}

/// Runs the suite for the revision `era`.
#[track_caller]
fn conforms(node: &Path, era: &str, url: &str, user: &Home) {
    let suite = packages::node(&[SUITE]).join("node_modules/@modelcontextprotocol/conformance");
    let expected = root().join(format!("tests/conformance/mcp/{era}.yaml"));
    let output = Command::new(node)
        .arg(suite.join("dist/index.js"))
        .args(["server", "--url", url, "--requirements", era])
        .arg("--expected-failures")
        .arg(expected)
        .arg("-o")
        .arg(user.work().join(era))
        .output()
        .expect("node starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{era}:\n{shown}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(shown.contains("Baseline check passed"), "{era}:\n{shown}");
}
