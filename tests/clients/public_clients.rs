//! Runs Hugging Face's clients against a registry in tests, and any command that must succeed.

pub(crate) mod packages;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Python with `huggingface_hub`, and no token from the surroundings.
pub(crate) fn python() -> Command {
    let mut command = Command::new("python3");
    command
        .env("PYTHONPATH", packages::python(&["huggingface_hub==2.4.0"]))
        .env_remove("HF_TOKEN");
    command
}

/// Everything a repository of the token's owner goes through with `huggingface_hub` for Python.
#[track_caller]
pub(crate) fn live_in_python(endpoint: &str, token: &str) {
    said(
        python()
            .arg(script("huggingface_hub_test.py"))
            .args([endpoint, token]),
    );
}

/// Everything a repository of the token's owner goes through with `@huggingface/hub` for
/// JavaScript.
#[track_caller]
pub(crate) fn live_in_javascript(endpoint: &str, token: &str) {
    // The script looks for its package below the directory in which it is started.
    let modules = packages::node(&["@huggingface/hub@2.17.5"]);
    said(
        Command::new("node")
            .arg(script("huggingface_hub_test.mjs"))
            .args([endpoint, token])
            .current_dir(modules),
    );
}

/// What a client that succeeds prints.
#[track_caller]
pub(crate) fn said(command: &mut Command) -> String {
    let output = command.output().expect("the client starts");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "stdout:\n{stdout}\nstderr:\n{stderr}"
    );
    stdout.into_owned()
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/clients")
        .join(name)
}
