//! Tests of tools that are made of files for frameworks.
//! They are what the frameworks themselves list, and answer the same.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::public_clients::{packages, said};
use crate::support::loading::load;
use crate::support::{Home, Need, Test, root, test};

const NEEDS: &[Need] = &[Need::PythonGuest, Need::PythonPackages];

const NEEDS_OF_JAVASCRIPT: &[Need] = &[Need::JavascriptGuest, Need::NodePackages];

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::frameworks_fastmcp", || {
            check("fastmcp", "fastmcp_server", &["fastmcp==4.2.3"], &[]);
        })
        .needs(NEEDS),
        test("author::frameworks_mcp", || {
            check("mcp", "mcp_server", &["mcp==1.30.0"], &[]);
        })
        .needs(NEEDS),
        test("author::frameworks_smolagents", || {
            check(
                "smolagents",
                "smolagents_tools",
                &["smolagents==1.26.0"],
                &[],
            );
        })
        .needs(NEEDS),
        test("author::frameworks_langchain", || {
            check(
                "langchain",
                "langchain_tools",
                &["langchain-core==1.8.3"],
                &[],
            );
        })
        .needs(NEEDS),
        test("author::frameworks_llama_index", || {
            let packages = ["llama-index-core==0.14.25"];
            let granted = ["--allow-plain-var", "APP_ID"];
            check("llama_index", "llama_index_tools", &packages, &granted);
        })
        .needs(NEEDS),
        test("author::frameworks_openai_agents", || {
            let packages = ["openai-agents==0.24.0"];
            check("openai_agents", "openai_agents_tools", &packages, &[]);
        })
        .needs(NEEDS),
        test("author::frameworks_mcp_in_javascript", || {
            let packages = ["@modelcontextprotocol/sdk@1.32.2", "zod@4.6.7"];
            check_in_javascript("mcp", "mcp_server.mjs", &packages);
        })
        .needs(NEEDS_OF_JAVASCRIPT),
        test("author::frameworks_vercel", || {
            check_in_javascript("vercel", "vercel_tools.mjs", &["ai@7.0.173", "zod@4.6.7"]);
        })
        .needs(NEEDS_OF_JAVASCRIPT),
        test("author::frameworks_from_pypi", a_package_of_pypi).needs(NEEDS),
        test("author::frameworks_leave_out", what_is_left_out_is_told),
        test("author::frameworks_transformers", classes_of_transformers)
            .needs(&[Need::PythonGuest]),
    ]
}

fn scripts() -> PathBuf {
    root().join("tests/clients/frameworks")
}

/// Holds the tools of a file against what its framework, in `packages`, lists and answers.
#[track_caller]
fn check(framework: &str, module: &str, packages: &[&str], flags: &[&str]) {
    let calls = &calls_of(module);
    let path = std::env::join_paths([packages::python(packages), scripts()]).expect("a path");
    let listed = said(
        Command::new("python3")
            .arg(scripts().join("listed_tools.py"))
            .args([framework, module, &calls.to_string()])
            .env("PYTHONPATH", path),
    );
    let listed: Map<String, Value> = serde_json::from_str(&listed).expect("JSON");

    check_listed(&listed, &format!("{module}.py"), calls, flags);
}

/// The same of a file in JavaScript.
#[track_caller]
fn check_in_javascript(framework: &str, file: &str, packages: &[&str]) {
    let calls = calls_of(file);
    // Node looks for packages beside the file that imports them.
    let place = packages::node(packages);
    for name in ["listed_tools.mjs", file] {
        std::fs::copy(scripts().join(name), place.join(name)).expect("the script is copied");
    }
    let listed = said(
        Command::new("node")
            .args(["listed_tools.mjs", framework, &format!("./{file}")])
            .arg(calls.to_string())
            .current_dir(place),
    );
    let listed: Map<String, Value> = serde_json::from_str(&listed).expect("JSON");
    check_listed(&listed, file, &calls, &[]);
}

/// The calls that are made of the tools of a file.
fn calls_of(file: &str) -> Value {
    let calls = include_str!("../../clients/frameworks/calls.json");
    let calls: Value = serde_json::from_str(calls).expect("JSON");
    calls[file].clone()
}

/// Holds the tools of `file` against what was `listed`.
#[track_caller]
fn check_listed(listed: &Map<String, Value>, file: &str, calls: &Value, flags: &[&str]) {
    let home = Home::new().with("APP_ID", "DEMO");
    let text = std::fs::read_to_string(scripts().join(file)).expect("the file");
    home.write(file, &text);
    let defined = home.run(["schema", file]).json();
    let defined: Vec<&Value> = defined
        .as_array()
        .expect("definitions")
        .iter()
        .map(|it| &it["function"])
        .collect();
    assert_eq!(defined.len(), listed.len(), "{defined:?}");
    for definition in defined {
        let name = definition["name"].as_str().expect("a name");
        let theirs = listed
            .get(name)
            .unwrap_or_else(|| panic!("{name} is listed"));
        assert_eq!(
            lines(&definition["description"]),
            lines(&theirs[0]),
            "{name}"
        );
        let ours = plain(&definition["parameters"], &Value::Null);
        assert_eq!(ours, plain(&theirs[1], &theirs[1]), "{name}");
    }

    home.run(["new", "taken-over", "--from", file]).ok();
    let kept = home.work().join("taken-over").join(file);
    assert_eq!(std::fs::read_to_string(kept).expect("the file"), text);
    if home.work().join("taken-over/package.json").exists() {
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--silent",
            "--package-lock-only",
            "--ignore-scripts",
        ]);
        said(npm.current_dir(home.work().join("taken-over")));
    }
    home.tool("build taken-over").ok();
    load(&home, "./taken-over", flags);
    let mut answered: Map<String, Value> = Map::new();
    for call in calls.as_array().expect("calls") {
        let name = call[0].as_str().expect("a name");
        let function = format!("taken-over.{name}");
        let called = home.run(["call", &function, "--json-args", &call[1].to_string()]);
        let index = answered.entry(name).or_insert_with(|| json!(0));
        let at = index.as_u64().expect("a number") as usize;
        *index = json!(at + 1);
        let theirs = &listed[name][2][at];
        match theirs["error"].as_str() {
            Some(error) => {
                assert_eq!(called.code(), 1, "{call}");
                assert!(
                    called.stderr().contains(error),
                    "{call}: {}",
                    called.stderr()
                );
            }
            None => {
                let theirs = theirs.as_str().expect("a text");
                assert_eq!(value(&called.ok()), value(theirs), "{call}");
            }
        }
    }
}

/// The lines of a description. Python before 3.13 keeps their indentation.
fn lines(text: &Value) -> Vec<String> {
    let text = text.as_str().expect("a description");
    let lines = text.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// What an answer says: numbers and objects may be spaced otherwise.
fn value(answer: &str) -> Value {
    let answer = answer.trim_end();
    serde_json::from_str(answer).unwrap_or_else(|_| answer.into())
}

/// A schema with its references resolved, and without titles, which repeat names.
fn plain(schema: &Value, document: &Value) -> Value {
    let Value::Object(keywords) = schema else {
        return schema.clone();
    };
    let mut keywords = keywords.clone();
    if let Some(Value::String(reference)) = keywords.remove("$ref") {
        let target = document.pointer(reference.trim_start_matches('#'));
        let target = target.and_then(Value::as_object).expect("a definition");
        for (name, value) in target {
            keywords.entry(name).or_insert_with(|| value.clone());
        }
    }
    let mut whole = Map::new();
    for (name, value) in keywords {
        let value = match name.as_str() {
            "title" | "$defs" | "$schema" => continue,
            "default" | "enum" | "const" => value,
            "properties" => {
                let members = value.as_object().expect("members").iter();
                let members = members.map(|(name, it)| (name.clone(), plain(it, document)));
                Value::Object(members.collect())
            }
            _ => match value {
                Value::Array(items) => items.iter().map(|it| plain(it, document)).collect(),
                value => plain(&value, document),
            },
        };
        whole.insert(name, value);
    }
    Value::Object(whole)
}

fn what_is_left_out_is_told() {
    let home = Home::new();
    home.write("helpers.py", "SCALE = 2\n");
    home.write("requirements.txt", "fastmcp>=4\nrequests>=2.32\nnumpy\n");
    home.write(
        "server.py",
        "import requests\nfrom fastmcp import FastMCP\n\nimport helpers\nfrom elsewhere import Thing\n\n\
         mcp = FastMCP(\"x\")\n\n\n@mcp.tool\ndef good(a: int) -> int:\n    \"\"\"Is good.\"\"\"\n    return a * helpers.SCALE\n\n\n\
         @mcp.tool\ndef odd(a: Thing) -> int:\n    \"\"\"Is odd.\"\"\"\n    return 1\n\n\n\
         @mcp.resource(\"x://y\")\ndef there() -> str:\n    return \"\"\n",
    );
    let made = home.tool("new taken --from server.py");
    let told = made.stderr();
    for line in [
        "read 1 function of server.py (FastMCP)\n",
        "warning: left out: server.py:17:12: `odd` uses the type `Thing`, which has no schema that this file shows",
        "warning: left out: server.py:23:5: `there` is a resource of an MCP server",
        "wrote requirements.txt: elsewhere, requests>=2.32\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    made.ok();
    let helper = home.work().join("taken/helpers.py");
    assert_eq!(
        std::fs::read_to_string(helper).expect("the module"),
        "SCALE = 2\n"
    );
}

fn classes_of_transformers() {
    let home = Home::new();
    let text = std::fs::read_to_string(scripts().join("transformers_tools.py")).expect("the file");
    home.write("tools.py", text);
    home.run(["new", "hub", "--from", "tools.py"]).ok();
    home.tool("build hub").ok();
    load(&home, "./hub", &[]);
    let said = home.run(["call", "hub.echo", "text=hello"]).ok();
    assert_eq!(said.trim_end(), "hello");
    let listed = home.tool("export --format mcp").json();
    let listed = listed.as_array().expect("functions");
    let counter = listed
        .iter()
        .find(|it| it["name"] == "hub__model_download_counter");
    let schema = &counter.expect("the function")["inputSchema"];
    assert_eq!(schema["properties"]["task"]["type"], "string");
    assert_eq!(schema["required"], json!(["task"]));
}

fn a_package_of_pypi() {
    let home = Home::new();
    let made = home.tool("new wolfram --from pypi:llama-index-tools-wolfram-alpha==0.7.0");
    let told = made.stderr();
    for line in [
        "llama-index-tools-wolfram-alpha 0.7.0 listed 1 function in the sandbox\n",
        "the variable APP_ID is one that it looks for\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    made.ok();
    let read = |path: &str| {
        let path = home.work().join("wolfram").join(path);
        std::fs::read_to_string(path).expect("a file of the project")
    };
    assert!(read("LICENSE").contains("MIT License"));
    let manifest = read("tool.toml");
    assert!(manifest.contains("license = \"MIT\""), "{manifest}");
    let variable = "variables = [{ name = \"APP_ID\", secret = true, why = \"llama-index-tools-wolfram-alpha 0.7.0 looks for it\" }]";
    assert!(manifest.contains(variable), "{manifest}");
    home.tool("build wolfram").ok();
    load(&home, "./wolfram", &[]);
    // No network was granted.
    let refused = home.run(["call", "wolfram", "query=2+2"]);
    assert_eq!(refused.code(), 3);
    let said = refused.stderr();
    assert!(said.contains("https://www.wolframalpha.com"), "{said}");

    for (from, problem) in [
        (
            "pypi:idna==3.7",
            "no file of idna 3.7 has tools for a framework",
        ),
        ("pypi:./here", "`./here` is not a package of PyPI"),
    ] {
        let refused = home.run(["new", "other", "--from", from]);
        assert_eq!(refused.code(), 1);
        assert!(refused.stderr().contains(problem), "{}", refused.stderr());
    }
}
