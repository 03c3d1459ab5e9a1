//! Tests of `tool serve --openai`, which adds tools to a model's endpoint, with OpenAI's client.

use std::process::Command;

use crate::export::OPENAI;
use crate::public_clients::{packages, said};
use crate::support::loading::load;
use crate::support::{Home, Need, Server, Test, guests, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "gateway::openai_s_client_gets_answers",
            openai_s_client_gets_answers,
        )
        .needs(&[Need::RustGuests, Need::PythonPackages]),
        test(
            "gateway::an_endpoint_without_tools_is_held_to_them",
            an_endpoint_without_tools_is_held_to_them,
        )
        .needs(&[Need::RustGuests, Need::PythonPackages]),
        test(
            "gateway::what_is_no_endpoint_is_refused",
            what_is_no_endpoint_is_refused,
        ),
    ]
}

const TOKEN: &str = "a-token-of-our-own";
const KEY: &str = "sk-of-the-endpoint";

fn openai_s_client_gets_answers() {
    let mut model = Command::new("python3");
    model.arg(root().join("tests/clients/scripted_model.py"));
    let endpoint = Server::start(model);
    for (key_in_file, more) in [(true, ""), (false, "--openai-strict --openai-rounds 2")] {
        let user = Home::new();
        load(&user, &guests::built("calculator").to_string_lossy(), &[]);
        user.write_private("token", TOKEN);
        let user = if key_in_file {
            user.write("key", format!("{KEY}\n"));
            user
        } else {
            user.with("TOOL_HUB_OPENAI_KEY", KEY)
        };
        let key = if key_in_file {
            "--openai-key-file key"
        } else {
            ""
        };
        let arguments = format!(
            "serve --http --listen 127.0.0.1:0 --token-file token --openai {} {key} {more}",
            endpoint.url()
        );
        let server = Server::start(user.command(arguments.split_whitespace()));
        let base = server.url().replace("/mcp", "/v1");
        let parts = said(
            Command::new("python3")
                .arg(root().join("tests/clients/openai_sdk.py"))
                .args([&base, TOKEN, endpoint.url()])
                .env("PYTHONPATH", packages::python(&[OPENAI])),
        );
        assert_eq!(parts.lines().count(), 9, "{parts}");
    }
}

fn an_endpoint_without_tools_is_held_to_them() {
    let mut model = Command::new("python3");
    model
        .arg(root().join("tests/clients/constrained_model.py"))
        .env("PYTHONPATH", packages::python(&["jsonschema==4.26.0"]));
    let endpoint = Server::start(model);
    let user = Home::new();
    load(&user, &guests::built("calculator").to_string_lossy(), &[]);
    user.write_private("token", TOKEN);
    let arguments = format!(
        "serve --http --listen 127.0.0.1:0 --token-file token --openai {} --openai-hold-by vllm",
        endpoint.url()
    );
    let server = Server::start(user.command(arguments.split_whitespace()));
    let base = server.url().replace("/mcp", "/v1");
    let parts = said(
        Command::new("python3")
            .arg(root().join("tests/clients/openai_constrained.py"))
            .args([&base, TOKEN])
            .env("PYTHONPATH", packages::python(&[OPENAI])),
    );
    assert_eq!(parts.lines().count(), 3, "{parts}");
}

fn what_is_no_endpoint_is_refused() {
    let home = Home::new();
    home.write("key", "two words");
    for (arguments, says) in [
        ("serve --openai http://127.0.0.1:1", "--http"),
        ("serve --http --openai-strict", "--openai <URL>"),
        ("serve --http --openai-hold-by tgi", "--openai <URL>"),
        (
            "serve --http --openai http://a --openai-hold-by openai",
            "use tgi, vllm, llama.cpp or sglang",
        ),
        (
            "serve --http --openai http://a --openai-hold-by tgi --openai-strict",
            "cannot be used with",
        ),
        ("serve --http --openai ftp://a", "is not an endpoint"),
        (
            "serve --http --openai http://me:secret@a/v1",
            "`http://a/v1` is not an endpoint",
        ),
        ("serve --http --openai http://a --openai-rounds 1", "2..=64"),
        (
            "serve --http --openai http://a --openai-key-file key",
            "key holds no key",
        ),
        (
            "serve --http --openai http://a --openai-key-file none",
            "key file none cannot be read",
        ),
    ] {
        let refused = home.tool(arguments);
        assert_ne!(refused.code(), 0, "{arguments}");
        assert!(
            refused.stderr().contains(says),
            "{arguments}: {}",
            refused.stderr()
        );
    }
}
