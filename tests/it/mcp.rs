//! The toolbox as the Model Context Protocol's own Python SDK sees it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

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
    talk(&user, &[env!("CARGO_BIN_EXE_tool")]);

    let token = "a-token-of-our-own";
    user.write("token", format!("{token}\n"));
    let server = HttpServer::start(
        &user,
        "serve --http --listen 127.0.0.1:0 --token-file token",
    );
    talk(&user, &[&server.url, token]);
}

/// Runs the SDK's client.
fn talk(user: &Home, arguments: &[&str]) {
    let output = Command::new("python3")
        .arg(root().join("tests/clients/mcp_sdk.py"))
        .args(arguments)
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

/// A server over HTTP. It ends when it goes out of scope.
struct HttpServer {
    process: Child,
    url: String,
}

impl HttpServer {
    fn start(user: &Home, arguments: &str) -> Self {
        let mut process = user
            .command(arguments.split(' '))
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut url = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("it says where it is");
        let url = url.trim().to_owned();
        Self { process, url }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
