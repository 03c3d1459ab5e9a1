//! Tests that builds of untrusted projects run none of their programs without consent.
//! The code of a Python project runs while it is built, and changes no file.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::support::loading::load;
use crate::support::python_project::make_greeter;
use crate::support::{Home, Need, Terminal, Test, files, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("builds::npm_starts_no_git", npm_starts_no_git),
        test("builds::npm_reads_no_settings", npm_reads_no_settings)
            .needs(&[Need::JavascriptGuest]),
        test("builds::packages_that_a_project_brings", packages_brought)
            .needs(&[Need::JavascriptGuest]),
        test("builds::packages_without_a_lock", packages_without_a_lock)
            .needs(&[Need::JavascriptGuest]),
        test("builds::functions_of_a_checkout", functions_of_a_checkout)
            .needs(&[Need::JavascriptGuest]),
        test("builds::rust_is_asked_about", rust_is_asked_about),
        test(
            "builds::rust_is_refused_at_a_terminal",
            rust_is_refused_at_a_terminal,
        ),
        test("builds::python_changes_nothing", python_changes_nothing).needs(&[Need::PythonGuest]),
    ]
}

/// The file that a planted program creates.
const MARK: &str = "ran";

/// Writes a program to `path` that creates the mark when it is run.
fn plant(home: &Home, path: &str) {
    let mark = home.work().join(MARK);
    let text = format!("#!/bin/sh\ntouch {}\nexit 1\n", mark.display());
    let program = home.write(path, text);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(program, executable).expect("a mode");
}

#[track_caller]
fn nothing_ran(home: &Home) {
    assert!(!home.work().join(MARK).exists(), "a stranger's program ran");
}

/// A JavaScript project whose npm settings name programs.
fn hostile_javascript(home: &Home, manifest: serde_json::Value, lock: serde_json::Value) {
    home.tool("new jst --lang javascript").ok();
    plant(home, "jst/evil.sh");
    home.write(
        "jst/.npmrc",
        "git=./evil.sh\nscript-shell=./evil.sh\nignore-scripts=false\nallow-git=all\n",
    );
    home.write("jst/package.json", manifest.to_string());
    home.write("jst/package-lock.json", lock.to_string());
}

fn npm_starts_no_git() {
    let from = "git+file:///nowhere/x.git#0123456789012345678901234567890123456789";
    let honest = json!({"lockfileVersion": 3, "packages": {"": {}}});
    let by_lock = json!({"lockfileVersion": 3, "packages": {
        "": {"dependencies": {"evil": from}},
        "node_modules/evil": {"version": "1.0.0", "resolved": from},
    }});
    for (manifest, lock) in [
        (json!({"dependencies": {"evil": from}}), by_lock.clone()),
        (json!({"dependencies": {"evil": from}}), honest),
        (json!({}), by_lock),
    ] {
        let home = Home::new();
        hostile_javascript(&home, manifest, lock);
        let refused = home.tool("build jst");
        assert_eq!(refused.code(), 3, "{}", refused.stderr());
        let told = refused.stderr();
        assert!(
            told.contains("`evil`") && told.contains("git+file"),
            "{told}"
        );
        nothing_ran(&home);
    }
}

fn npm_reads_no_settings() {
    let home = Home::new();
    let read = |name: &str| {
        let path = guests::built("json-query").join(name);
        let text = std::fs::read_to_string(path).expect("a file of npm");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let mut manifest = read("package.json");
    manifest["scripts"] = json!({"preinstall": "./evil.sh", "install": "./evil.sh"});
    manifest["packageManager"] = json!("npm@1.0.0");
    hostile_javascript(&home, manifest, read("package-lock.json"));
    let source = std::fs::read_to_string(home.work().join("jst/tool.js")).expect("the source");
    let using = "import * as jmespath from \"jmespath\";\nglobalThis.found = jmespath.search;\n";
    home.write("jst/tool.js", format!("{using}{source}"));
    let built = home.tool("build jst");
    built.ok();
    assert!(built.stderr().contains(".npmrc"), "{}", built.stderr());
    assert!(
        !home.work().join("jst/node_modules").exists(),
        "it is installed elsewhere"
    );
    nothing_ran(&home);
}

/// A checkout with `node_modules` in it, as npm leaves them, but with another package inside than
/// the lock names: it is taken from there once somebody says so, and not before.
fn packages_brought() {
    let home = Home::new();
    let project = guests::built("json-query");
    for file in files(&project) {
        let name = file.strip_prefix(&project).expect("a file of the project");
        if !name.starts_with("dist") {
            let path = Path::new("checkout").join(name);
            let contents = std::fs::read(&file).expect("a file");
            home.write(&path.to_string_lossy(), contents);
        }
    }
    home.write("checkout/node_modules/.package-lock.json", "{}");
    home.write(
        "checkout/node_modules/jmespath/package.json",
        "{\"name\": \"jmespath\", \"main\": \"index.js\"}",
    );
    home.write(
        "checkout/node_modules/jmespath/index.js",
        "exports.search = () => 'brought'; exports.compile = exports.tokenize = () => [];",
    );
    // Nor is what lies above the project.
    let above = home.work().join("node_modules");
    std::os::unix::fs::symlink(home.work().join("checkout/node_modules"), above).expect("a link");
    let answer = || {
        load(&home, "./checkout", &["--as", "one"]);
        let json = r#"json={"a": [{"b": 1}, {"b": 2}]}"#;
        home.run(["call", "one.query", json, "expression=a[*].b"])
            .ok()
    };
    let built = home.tool("build checkout");
    built.ok();
    let told = built.stderr();
    assert!(
        told.contains("node_modules of the project is not taken"),
        "{told}"
    );
    let answered: serde_json::Value = serde_json::from_str(&answer()).expect("JSON");
    assert_eq!(answered, json!([1, 2]));
    home.tool("build checkout --trust").ok();
    assert!(answer().contains("brought"));
}

/// A project that `tool new` made, as somebody else checks it out.
fn checked_out(home: &Home, arguments: &str) {
    home.tool(&format!("new made {arguments}")).ok();
    let (made, moved) = (home.work().join("made"), home.work().join("moved"));
    std::fs::rename(made, moved).expect("a project");
}

/// Without a lock there is nothing to take in the place of what it brings.
fn packages_without_a_lock() {
    let home = Home::new();
    checked_out(&home, "--lang javascript");
    home.write("moved/node_modules/brought/index.js", "export const x = 1;");
    let source = std::fs::read_to_string(home.work().join("moved/tool.js")).expect("the source");
    let using = "import { x } from 'brought';\nglobalThis.x = x;\n";
    home.write("moved/tool.js", format!("{using}{source}"));
    let refused = home.tool("build moved");
    assert_eq!(refused.code(), 1, "{}", refused.stderr());
    let told = refused.stderr();
    assert!(told.contains("Could not resolve \"brought\""), "{told}");
    assert!(told.contains("tool build --trust"), "{told}");
    home.tool("build moved --trust").ok();
}

/// A project of plain functions needs nothing but its copy.
fn functions_of_a_checkout() {
    let home = Home::new();
    home.write(
        "adds.ts",
        "/**\n * Adds.\n *\n * @param a - One.\n * @param b - Another.\n * @returns The sum.\n */\n\
         export function add(a: number, b: number): number {\n  return a + b;\n}\n",
    );
    checked_out(&home, "--from adds.ts");
    home.tool("build moved").ok();
    load(&home, "./moved", &["--as", "one"]);
    assert_eq!(home.tool("call one.add a=20 b=22").ok().trim(), "42.0");
}

/// A Rust project with a program in every place that cargo or rustup reads.
fn hostile_rust(home: &Home) {
    home.write(
        "checkout/tool/tool.toml",
        "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\ndescription = \"X.\"\n\n[build]\nlanguage = \"rust\"\n",
    );
    home.write("checkout/.git/HEAD", "");
    home.write("checkout/tool/wit/world.wit", "package a:b;\nworld x {}\n");
    home.write(
        "checkout/tool/build.rs",
        "fn main() { std::fs::write(\"../../ran\", \"\").unwrap() }",
    );
    home.write("checkout/tool/src/lib.rs", "");
    home.write(
        "checkout/tool/Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\ncrate-type = [\"cdylib\"]\n",
    );
    for program in ["rustc", "cargo"] {
        plant(home, &format!("checkout/toolchain/bin/{program}"));
    }
    let evil = home.work().join("checkout/toolchain");
    home.write(
        "checkout/rust-toolchain.toml",
        format!("[toolchain]\npath = \"{}\"\n", evil.display()),
    );
    home.write(
        "checkout/.cargo/config.toml",
        format!(
            "[build]\nrustc-wrapper = \"{}/bin/rustc\"\n",
            evil.display()
        ),
    );
}

fn rust_is_asked_about() {
    let home = Home::new();
    hostile_rust(&home);
    let refused = home.tool("build checkout/tool");
    assert_eq!(refused.code(), 3, "{}", refused.stderr());
    let told = refused.stderr();
    for named in [
        "build.rs",
        ".cargo/config.toml",
        "rust-toolchain.toml",
        "--trust",
    ] {
        assert!(told.contains(named), "{named} in {told}");
    }
    // Commands that run inside of the checkout start nothing of it, either.
    let checkout = home.work().join("checkout/tool");
    for line in [&["build"][..], &["doctor"], &["check"], &["lint", "."]] {
        let mut command = home.command(line);
        command
            .current_dir(&checkout)
            .output()
            .expect("the command starts");
    }
    nothing_ran(&home);
    assert!(!home.tool_home().join("builds.toml").exists());
    // A consent record inside of the checkout does not count.
    home.write(
        "checkout/tool/builds.toml",
        format!("projects = [{checkout:?}]\n"),
    );
    assert_eq!(home.tool("build checkout/tool").code(), 3);
    nothing_ran(&home);
}

fn rust_is_refused_at_a_terminal() {
    let home = Home::new();
    hostile_rust(&home);
    let mut terminal = Terminal::start(home.command(["build", "checkout/tool"]));
    terminal.wait_for("Type yes to build: ");
    terminal.answer("y");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(3), "{}", ended.shown);
    nothing_ran(&home);
}

fn python_changes_nothing() {
    let environment = "venv/lib/python3.12/site-packages";
    let home = Home::new();
    let venv = home.work().join("venv");
    let home = home.with("VIRTUAL_ENV", &venv.to_string_lossy());
    home.write(&format!("{environment}/helper.py"), "NAME = 'helper'\n");
    make_greeter(&home, "pyt");
    let app = home.work().join("pyt/app.py");
    let source = std::fs::read_to_string(&app).expect("the source");
    let planting = "import os, sys\nimport helper\nfor place in sys.path:\n    try:\n        \
                    open(os.path.join(place, 'planted.py'), 'w').write('import os')\n    \
                    except OSError:\n        pass\n";
    home.write("pyt/app.py", format!("{planting}{source}"));
    home.tool("build pyt").ok();
    let planted: Vec<_> = home
        .files()
        .into_iter()
        .filter(|file| file.file_name() == Some(Path::new("planted.py").as_os_str()))
        .collect();
    assert!(planted.is_empty(), "{planted:?}");
}
