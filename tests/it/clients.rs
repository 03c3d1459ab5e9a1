//! Tests of the registry with `huggingface_hub` for Python and JavaScript.
//! `tool` exchanges packages with them.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tool_hub_manifest::Digest;

use crate::public_clients::{self, said};
use crate::support::loading::load;
use crate::support::{Home, Need, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "clients::huggingface_hub_for_python",
            huggingface_hub_for_python,
        )
        .needs(&[Need::PythonPackages]),
        test(
            "clients::huggingface_hub_for_javascript",
            huggingface_hub_for_javascript,
        )
        .needs(&[Need::NodePackages]),
        test(
            "clients::python_reads_what_tool_pushed",
            python_reads_what_tool_pushed,
        )
        .needs(&[Need::PythonPackages, Need::RustGuests]),
        test(
            "clients::tool_loads_what_python_uploaded",
            tool_loads_what_python_uploaded,
        )
        .needs(&[Need::PythonPackages, Need::RustGuests]),
    ]
}

/// Python in the home of a user of this registry, who has no token.
fn python(home: &Home, registry: &RegistryProcess) -> Command {
    let mut command = public_clients::python();
    command
        .env("HF_HOME", home.path().join("hf"))
        .env("HF_ENDPOINT", registry.url());
    command
}

fn huggingface_hub_for_python() {
    let registry = RegistryProcess::start();
    public_clients::live_in_python(registry.url(), &registry.user("alice"));
}

fn huggingface_hub_for_javascript() {
    let registry = RegistryProcess::start();
    public_clients::live_in_javascript(registry.url(), &registry.user("alice"));
}

const READ: &str = r#"
import hashlib, sys, tomllib
from huggingface_hub import HfApi, hf_hub_download, snapshot_download
api = HfApi()
repo = sys.argv[1]
files = sorted(api.list_repo_files(repo))
assert files == [".gitattributes", "README.md", "sbom.cdx.json", "tool.toml", "tool.wasm"], files
assert [ref.name for ref in api.list_repo_refs(repo).tags] == ["v0.1.0"]
folder = snapshot_download(repo, revision="v0.1.0")
claim = tomllib.load(open(folder + "/tool.toml", "rb"))["component"]
data = open(hf_hub_download(repo, "tool.wasm", revision="v0.1.0"), "rb").read()
assert len(data) == claim["bytes"]
assert hashlib.sha256(data).hexdigest() == claim["sha256"]
assert [model.id for model in api.list_models(filter="tool-hub", search="calculator")] == [repo]
print(claim["sha256"])
"#;

fn python_reads_what_tool_pushed() {
    let registry = RegistryProcess::start();
    let project = guests::built("calculator");
    registry
        .member("author")
        .run(["push", "-C", &project.to_string_lossy()])
        .ok();
    let said = said(python(&Home::new(), &registry).args(["-c", READ, "author/calculator"]));
    assert_eq!(said.trim(), sha256_of(&project.join("dist/tool.wasm")));
}

fn sha256_of(path: &Path) -> String {
    Digest::of(&std::fs::read(path).expect("a built component")).hex()
}

const UPLOAD: &str = r#"
import sys
from huggingface_hub import HfApi
folder, repo, token = sys.argv[1:]
api = HfApi(token=token)
api.create_repo(repo)
api.upload_folder(repo_id=repo, folder_path=folder)
api.create_tag(repo, tag="v0.1.0")
"#;

fn tool_loads_what_python_uploaded() {
    let registry = RegistryProcess::start();
    let token = registry.user("bob");
    let package = guests::built("text-stats").join("dist");
    said(
        python(&Home::new(), &registry)
            .args(["-c", UPLOAD])
            .arg(&package)
            .args(["bob/counting", &token]),
    );
    let user = registry.visitor();
    load(&user, "bob/counting@0.1.0", &[]);
    let answer = user
        .run(["call", "text_stats.count_words", "text=one two", "--json"])
        .json();
    assert_eq!(answer["structured"], json!(2));
}
