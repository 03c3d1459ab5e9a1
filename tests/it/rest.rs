//! Tests of `tool serve`: its REST API and OpenAPI document, callers' tokens, log, bad options.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;
use tool_hub_manifest::Digest;

use crate::public_clients::{packages, said};
use crate::support::documents::{options_of, reference, rows, words};
use crate::support::loading::{digest, load};
use crate::support::{Home, Need, Server, Test, guests, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "rest::the_document_is_valid_and_enough_to_call_a_tool",
            the_document_is_valid_and_enough_to_call_a_tool,
        )
        .needs(&[Need::RustGuests, Need::PythonPackages]),
        test(
            "rest::schemathesis_finds_nothing_that_breaks_the_promise",
            schemathesis_finds_nothing_that_breaks_the_promise,
        )
        .needs(&[Need::RustGuests, Need::PythonPackages]),
        test(
            "rest::each_token_has_its_own_toolbox_and_every_call_is_noted",
            each_token_has_its_own_toolbox_and_every_call_is_noted,
        )
        .needs(&[Need::RustGuests]),
        test(
            "rest::every_option_of_serve_is_in_the_reference",
            every_option_of_serve_is_in_the_reference,
        ),
        test(
            "rest::what_makes_no_callers_is_said_at_once",
            what_makes_no_callers_is_said_at_once,
        ),
    ]
}

const TOKEN: &str = "a-token-of-our-own";

/// A server of the sample tools, and its URL without a path.
fn served(user: &Home) -> (Server, String) {
    for tool in ["calculator", "text-stats"] {
        load(user, &guests::built(tool).to_string_lossy(), &[]);
    }
    user.write_private("token", TOKEN);
    let server = Server::start(
        user.command("serve --http --listen 127.0.0.1:0 --token-file token".split(" ")),
    );
    let base = server.url().trim_end_matches("/mcp").to_owned();
    (server, base)
}

fn the_document_is_valid_and_enough_to_call_a_tool() {
    let user = Home::new();
    let (_server, base) = served(&user);
    let mut python = Command::new("python3");
    python
        .arg(root().join("tests/clients/openapi.py"))
        .args([&base, TOKEN])
        .env(
            "PYTHONPATH",
            packages::python(&["openapi-spec-validator==0.9.0"]),
        );
    let operations: usize = said(&mut python).trim().parse().expect("a number");
    assert!(operations > 2, "{operations}");
}

/// Arguments that are nearly right may be taken, on purpose. The other two take it amiss that GET
/// of every tool is described once, at a common path, and not beside each tool's POST, where
/// readers of the document would take it for one more tool.
const CHECKS_LEFT_OUT: &str = "negative_data_rejection,unsupported_method,allow_header_conformance";

fn schemathesis_finds_nothing_that_breaks_the_promise() {
    let user = Home::new();
    let (_server, base) = served(&user);
    let mut python = Command::new("python3");
    python
        .args([
            "-c",
            "from schemathesis.cli import schemathesis; schemathesis()",
        ])
        .args(["run", &format!("{base}/v1/openapi.json")])
        .args(["--header", &format!("Authorization: Bearer {TOKEN}")])
        .args(["--checks", "all", "--exclude-checks", CHECKS_LEFT_OUT])
        .args([
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            "25",
        ])
        .args(["--request-timeout", "20", "--seed", "1", "--no-color"])
        .args(["--generation-database", "none", "--warnings", "off"])
        .current_dir(user.work())
        .env("HOME", user.path())
        .env("PYTHONPATH", packages::python(&["schemathesis==4.32.5"]));
    let report = said(&mut python);
    assert!(report.contains("No issues found"), "{report}");
}

fn each_token_has_its_own_toolbox_and_every_call_is_noted() {
    let user = Home::new();
    for tool in ["calculator", "text-stats"] {
        load(&user, &guests::built(tool).to_string_lossy(), &[]);
    }
    // Robin's own toolbox has both as well, and the calculator under another name.
    let project = guests::built("calculator");
    let project = project.to_string_lossy();
    user.write("robins/toolbox.toml", "");
    for (tool, name) in [
        (&*project, "sums"),
        (&guests::built("text-stats").to_string_lossy(), "texts"),
    ] {
        let digest = digest(&user, tool);
        let load = ["load", tool, "--as", name, "--approve", &digest];
        let loaded = user
            .command(load)
            .current_dir(user.work().join("robins"))
            .status();
        assert!(loaded.expect("the command starts").success());
    }
    let robins = "the-token-of-robin";
    let anns = "the-token-of-ann-in-a-file";
    user.write_private("anns-token", anns);
    let tokens = format!(
        "[ann]\nfile = \"anns-token\"\n\n[robin]\nsha256 = \"{}\"\ntoolbox = \"robins\"\ntools = [\"sums\"]\n",
        Digest::of(robins.as_bytes()).hex()
    );
    user.write_private("tokens.toml", &tokens);
    let server = Server::start(user.command(
        "serve --http --listen 127.0.0.1:0 --tokens tokens.toml --audit calls.jsonl".split(" "),
    ));
    let base = server.url().trim_end_matches("/mcp");
    let calculator = format!("{base}/v1/tools/calculator__evaluate");
    let words = format!("{base}/v1/tools/text_stats__count_words");
    let sums = format!("{base}/v1/tools/sums__evaluate");
    let texts = format!("{base}/v1/tools/texts__count_words");
    let status = |url: &str, token: &str, body: &str| {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--max-time", "30", "--output", "/dev/null"])
            .args(["--write-out", "%{http_code}", "--data", body])
            .args(["--header", &format!("Authorization: Bearer {token}")])
            .args(["--header", "Content-Type: application/json"])
            .arg(url);
        said(&mut curl)
    };
    let sum = r#"{"expression": "6 * 7"}"#;
    let text = r#"{"text": "one two"}"#;
    assert_eq!(status(&sums, robins, sum), "200");
    assert_eq!(status(&texts, robins, text), "404");
    assert_eq!(status(&calculator, robins, sum), "404");
    assert_eq!(status(&sums, anns, sum), "404");
    assert_eq!(status(&words, anns, text), "200");
    assert_eq!(status(&calculator, anns, "{}"), "422");
    assert_eq!(status(&calculator, "the-token-of-nobody", sum), "401");

    let log = std::fs::read_to_string(user.work().join("calls.jsonl")).expect("the log");
    let lines = log.lines().map(serde_json::from_str);
    let lines: Vec<Value> = lines.collect::<Result<_, _>>().expect("JSON lines");
    let noted: Vec<[&str; 4]> = lines
        .iter()
        .map(|line| {
            ["caller", "front_end", "function", "outcome"]
                .map(|member| line[member].as_str().expect("a text"))
        })
        .collect();
    assert_eq!(
        noted,
        [
            ["robin", "rest", "sums__evaluate", "reply"],
            ["ann", "rest", "text_stats__count_words", "reply"],
            ["ann", "rest", "calculator__evaluate", "invalid-argument"],
        ]
    );
    let component = guests::built("calculator").join("dist/tool.wasm");
    let component = Digest::of(&std::fs::read(component).expect("a component"));
    assert_eq!(lines[0]["component"], component.to_string());
    assert_eq!(lines[0]["tool"], "calculator");
    assert_eq!(lines[0]["usage"]["input_bytes"], sum.len());
    assert!(
        lines[0]["time"]
            .as_str()
            .is_some_and(|time| time.ends_with('Z'))
    );
    assert!(!log.contains("6 * 7") && !log.contains("one two"), "{log}");
}

fn every_option_of_serve_is_in_the_reference() {
    let reference = reference();
    let options = rows(&reference, "## `tool serve`");
    let written: BTreeSet<String> = options.iter().flat_map(|(cell, _)| words(cell)).collect();
    assert_eq!(written, options_of("serve --help"));
}

fn what_makes_no_callers_is_said_at_once() {
    let user = Home::new();
    let digest = Digest::of(TOKEN.as_bytes()).hex();
    for (tokens, expect) in [
        (String::new(), "names nobody"),
        ("[ann]\n".to_owned(), "either `sha256` or `file`"),
        ("[ann]\nsha256 = \"abc\"\n".to_owned(), "is not a digest"),
        ("[ann]\nfile = \"missing\"\n".to_owned(), "cannot be read"),
        (
            format!("[\"a b\"]\nsha256 = \"{digest}\"\n"),
            "not a valid name of a caller",
        ),
        (
            format!("[ann]\nsha256 = \"{digest}\"\ntools = []\n"),
            "`tools` names none",
        ),
        (
            format!("[ann]\nsha256 = \"{digest}\"\ntoken = \"x\"\n"),
            "unknown field `token`",
        ),
    ] {
        user.write_private("tokens.toml", &tokens);
        let refused = user.tool("serve --http --listen 127.0.0.1:0 --tokens tokens.toml");
        assert_eq!(refused.code(), 1, "{tokens}");
        assert!(refused.stderr().contains(expect), "{}", refused.stderr());
    }
    let twice = format!("[ann]\nsha256 = \"{digest}\"\n[robin]\nsha256 = \"{digest}\"\n");
    user.write_private("tokens.toml", &twice);
    let refused = user.tool("serve --http --listen 127.0.0.1:0 --tokens tokens.toml");
    let told = "`ann` and `robin` have the same token";
    assert!(refused.stderr().contains(told), "{}", refused.stderr());
    user.write("open.toml", "");
    let everybody = Command::new("chmod")
        .args(["666", "open.toml"])
        .current_dir(user.work())
        .status()
        .expect("chmod starts");
    assert!(everybody.success());
    let refused = user.tool("serve --http --tokens open.toml");
    assert!(
        refused.stderr().contains("chmod 600"),
        "{}",
        refused.stderr()
    );
    user.write_private("token", TOKEN);
    for mode in ["640", "604"] {
        let others = Command::new("chmod")
            .args([mode, "token"])
            .current_dir(user.work())
            .status()
            .expect("chmod starts");
        assert!(others.success());
        let refused = user.tool("serve --http --listen 127.0.0.1:0 --token-file token");
        let told = refused.stderr();
        assert_eq!(refused.code(), 1);
        assert!(told.contains("others can read the token"), "{told}");
        assert!(told.contains("chmod 600 token"), "{told}");
    }
    for pattern in ["*", "*.example"] {
        let serve = ["serve", "--http", "--listen", "127.0.0.1:0", "--allow-host"];
        let refused = user.run(serve.into_iter().chain([pattern]));
        let told = refused.stderr();
        assert_eq!(refused.code(), 1);
        assert!(told.contains("is not a single host"), "{told}");
    }
    let refused = user.tool("serve --audit nowhere/calls.jsonl");
    let told = "the audit log nowhere/calls.jsonl cannot be written";
    assert_eq!(refused.code(), 1);
    assert!(refused.stderr().contains(told), "{}", refused.stderr());
}
