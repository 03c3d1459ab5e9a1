//! The toolbox as the Model Context Protocol's own Python SDK sees it.

use std::process::Command;

use crate::journey::load;
use crate::public_clients::packages;
use crate::support::{Home, Need, Test, guests, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "mcp::python_sdk_calls_every_sample_tool",
            python_sdk_calls_every_sample_tool,
        )
        .needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
            Need::PythonPackages,
        ]),
    ]
}

fn python_sdk_calls_every_sample_tool() {
    let user = Home::new();
    std::fs::create_dir(user.work().join("my-notes")).expect("a directory");
    for tool in guests::RUST
        .into_iter()
        .chain([guests::PYTHON, guests::JAVASCRIPT])
    {
        let project = guests::built(tool);
        let flags: &[&str] = if tool == "notes" {
            &["--allow-dir", "notes=my-notes"]
        } else {
            &[]
        };
        load(&user, &project.to_string_lossy(), flags);
    }
    let output = Command::new("python3")
        .arg(root().join("tests/clients/mcp_sdk.py"))
        .arg(env!("CARGO_BIN_EXE_tool"))
        .current_dir(user.work())
        .env("PYTHONPATH", packages::python("mcp==2.3.0"))
        .env("HOME", user.path())
        .env("TOOL_HUB_HOME", user.tool_home())
        .output()
        .expect("python starts");
    assert!(
        output.status.success(),
        "stdout:\n{}\nstderr:\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
