//! Tests of building tools: our WIT types in each language, and failed or interrupted builds.
//! A published package is what its sources say, and projects of one name do not get in each other's
//! way.

mod c;
mod classes;
mod console;
mod defined;
mod fetching;
mod frameworks;
mod gradio;
mod integers;
mod javascript_programs;
mod listed;
mod mistake_table;
mod mistakes;
mod openapi;
mod plain;
mod programs;
mod proposals;
mod requests;
mod server_packages;
mod shared_interpreters;
mod tested;
mod types;
mod waiting;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tool_hub_host::authoring::derive_manifest;

use crate::support::adder::adder;
use crate::support::loading::load;
use crate::support::python_project::make_greeter;
use crate::support::{Client, Home, Need, RegistryProcess, Test, root, test};

pub(crate) fn tests() -> Vec<Test> {
    let mut tests = vec![
        test(
            "author::compiler_errors_are_shown",
            compiler_errors_are_shown,
        )
        .needs(&[Need::RustGuests]),
        test("author::the_contract_in_rust", the_contract_in_rust).needs(&[Need::RustGuests]),
        test("author::the_contract_in_python", the_contract_in_python).needs(&[Need::PythonGuest]),
        test(
            "author::the_contract_in_javascript",
            the_contract_in_javascript,
        )
        .needs(&[Need::JavascriptGuest]),
        test("author::the_contract_in_c", the_contract_in_c).needs(&[Need::CGuest]),
        test(
            "author::the_samples_carry_the_contract",
            the_samples_carry_the_contract,
        ),
        test(
            "author::what_is_published_is_what_the_sources_say",
            what_is_published_is_what_the_sources_say,
        )
        .needs(&[Need::RustGuests]),
        test(
            "author::an_interrupted_build_leaves_nothing",
            an_interrupted_build_leaves_nothing,
        ),
        test(
            "author::rust_projects_of_one_name",
            rust_projects_of_one_name,
        )
        .needs(&[Need::RustGuests]),
        test(
            "author::characters_that_steer_are_named",
            characters_that_steer_are_named,
        ),
        test(
            "author::an_error_names_what_the_user_wrote",
            an_error_names_what_the_user_wrote,
        ),
    ];
    tests.extend(c::tests());
    tests.extend(classes::tests());
    tests.extend(console::tests());
    tests.extend(defined::tests());
    tests.extend(fetching::tests());
    tests.extend(frameworks::tests());
    tests.extend(integers::tests());
    tests.extend(javascript_programs::tests());
    tests.extend(plain::tests());
    tests.extend(programs::tests());
    tests.extend(requests::tests());
    tests.extend(server_packages::tests());
    tests.extend(shared_interpreters::tests());
    tests.extend(gradio::tests());
    tests.extend(listed::tests());
    tests.extend(mistake_table::tests());
    tests.extend(mistakes::tests());
    tests.extend(openapi::tests());
    tests.extend(proposals::tests());
    tests.extend(tested::tests());
    tests.extend(types::tests());
    tests.extend(waiting::tests());
    tests
}

/// Replaces a text in a file of a project.
#[track_caller]
fn edit(home: &Home, path: &str, from: &str, to: &str) {
    let path = home.work().join(path);
    let text = std::fs::read_to_string(&path).expect("a file of the project");
    assert!(text.contains(from), "{} holds no {from:?}", path.display());
    std::fs::write(path, text.replace(from, to)).expect("the file");
}

fn compiler_errors_are_shown() {
    let home = Home::new();
    home.tool("new greeter").ok();
    edit(
        &home,
        "greeter/src/lib.rs",
        "Ok(format!(\"Hello",
        "Ok(1 + format!(\"Hello",
    );
    let failed = home.tool("build greeter");
    assert_eq!(failed.code(), 1);
    let said = failed.stderr();
    assert!(
        said.starts_with("error: src/lib.rs:12:26: cannot add"),
        "{said}"
    );
    assert!(said.contains("error[E0277]: cannot add"), "{said}");
    assert!(said.contains("--> src/lib.rs:"), "{said}");
    assert!(!said.contains("\"reason\""), "{said}");
    assert_eq!(failed.stdout(), "");
}

/// The examples of the reference, in a scaffold: replies, failures and pictures both ways.
#[track_caller]
fn the_contract(language: &str, source: &str) {
    let home = Home::new();
    match language {
        "python" => make_greeter(&home, "dots"),
        _ => {
            home.run(["new", "dots", "--lang", language]).ok();
        }
    }
    let examples = root().join("docs/examples");
    let example = Path::new(source).file_name().expect("a name");
    for (from, to) in [("world.wit".as_ref(), "wit/world.wit"), (example, source)] {
        let text = std::fs::read(examples.join(from)).expect("an example");
        home.write(&format!("dots/{to}"), text);
    }
    home.write("dots/icon.png", b"\x89PNG\r\n\x1a\n");
    edit(
        &home,
        "dots/tool.toml",
        "[build]",
        "[build]\nicon = \"icon.png\"",
    );
    home.tool("build dots").ok();
    load(&home, "./dots", &[]);

    let mut client = Client::start(home.command(["serve"]));
    let listed = client.ask("tools/list", json!({}));
    let icon = json!({ "src": "data:image/png;base64,iVBORw0KGgo=", "mimeType": "image/png" });
    assert_eq!(listed["tools"][0]["icons"], json!([icon]));
    client.leave();

    home.tool("call dots.draw colour=red --output dot.svg").ok();
    let picture = std::fs::read_to_string(home.work().join("dot.svg")).expect("a picture");
    assert!(picture.ends_with("fill=\"#f00\"/></svg>"), "{picture}");
    let failed = home.tool("call dots.draw colour=green --json");
    assert_eq!(failed.code(), 1);
    let failed: serde_json::Value = serde_json::from_str(&failed.stdout()).expect("JSON");
    assert_eq!(
        failed["failure"],
        json!({
            "kind": "invalid-argument",
            "message": "`green` is no colour of mine",
            "fix": "use `red` or `blue`",
            "argument": "colour",
            "retryable": false,
        })
    );
    home.write("picture.png", b"\x89PNG\r\n\x1a\n");
    let reply = home
        .tool("call dots.look_at picture=@picture.png --json")
        .json();
    assert_eq!(
        reply,
        json!({
            "content": [{ "type": "text", "text": "8 bytes of image/png" }],
            "structured": { "bytes": 8 },
            "next": "Draw another one with `draw`.",
        })
    );
}

fn the_contract_in_rust() {
    the_contract("rust", "src/lib.rs");
}

fn the_contract_in_python() {
    the_contract("python", "app.py");
}

fn the_contract_in_javascript() {
    the_contract("javascript", "tool.js");
}

fn the_contract_in_c() {
    the_contract("c", "tool.c");
}

fn the_samples_carry_the_contract() {
    let mut carrying = 0;
    for sample in std::fs::read_dir(root().join("sample-tools")).expect("the samples") {
        let copy = sample
            .expect("a sample")
            .path()
            .join("wit/deps/tool-hub-tool");
        if !copy.exists() {
            continue;
        }
        carrying += 1;
        for name in ["types", "interaction", "prompts", "resources"] {
            let read = |directory: &Path| {
                std::fs::read_to_string(directory.join(format!("{name}.wit"))).expect("WIT")
            };
            assert!(
                read(&copy) == read(&root().join("wit")),
                "{}: {name}.wit is not the contract's",
                copy.display()
            );
        }
    }
    assert!(carrying >= 4, "only {carrying} samples carry the contract");
}

fn what_is_published_is_what_the_sources_say() {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    author.tool("new greeter").ok();
    author.tool("build greeter").ok();
    let rehearse = || author.tool("push -C greeter --dry-run");
    assert!(
        rehearse()
            .stderr()
            .contains("author/greeter (a new repo) on http")
    );
    author.tool("push -C greeter").ok();
    assert!(
        rehearse().stderr().contains("is on http"),
        "{}",
        rehearse().stderr()
    );

    edit(
        &author,
        "greeter/src/lib.rs",
        "Hello, {name}!",
        "Hi, {name}!",
    );
    let remarked = author.tool("check greeter --json").json();
    assert_eq!(
        remarked["remarks"][0]["message"],
        "the package is not what the sources say: src/lib.rs was changed since; run: tool build greeter"
    );
    for options in ["", " --dry-run"] {
        let refused = author.tool(&format!("push -C greeter{options}"));
        assert_eq!(refused.code(), 1);
        assert_eq!(
            refused.stderr(),
            "error: the package is not what the sources say: src/lib.rs was changed since\n\
             hint: build again: tool build greeter\n"
        );
    }

    author.tool("build greeter").ok();
    assert_eq!(rehearse().code(), 3, "0.1.0 is there with other content");
    edit(
        &author,
        "greeter/tool.toml",
        "version = \"0.1.0\"",
        "version = \"0.1.1\"",
    );
    edit(
        &author,
        "greeter/tool.toml",
        "Greets people in several",
        "Says hello in three",
    );
    let card = std::fs::read(author.work().join("greeter/README.md")).expect("the card");
    author.tool("build greeter").ok();
    assert!(rehearse().stderr().contains("would push greeter 0.1.1"));
    author.tool("push -C greeter").ok();
    let found = author.tool("search greeter --json").json();
    assert_eq!(
        found["tools"][0]["description"],
        "Says hello in three languages."
    );
    assert_eq!(
        std::fs::read(author.work().join("greeter/README.md")).expect("the card"),
        card,
        "the author's own file stays"
    );
}

/// A compiler that starts another process, leaves a temporary file, and never ends.
fn endless_toolchain(home: &Home) -> std::path::PathBuf {
    let programs = home.path().join("programs");
    std::fs::create_dir(&programs).expect("a directory");
    let cargo = "echo half > \"$TMPDIR/half\"\nsleep 600 &\necho $! > \"$PIDS\"\nwait";
    for (name, does) in [("rustc", "echo /"), ("cargo", cargo)] {
        let program = programs.join(name);
        std::fs::write(&program, format!("#!/bin/sh\n{does}\n")).expect("a program");
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a program");
    }
    programs
}

fn an_interrupted_build_leaves_nothing() {
    for signal in ["INT", "TERM"] {
        let home = Home::new();
        let programs = endless_toolchain(&home);
        let (temporary, pids) = (home.path().join("tmp"), home.path().join("pids"));
        std::fs::create_dir(&temporary).expect("a directory");
        let machine = std::env::var("PATH").expect("the machine has programs");
        let home = home
            .with("PATH", &format!("{}:{machine}", programs.display()))
            .with("TMPDIR", &temporary.to_string_lossy())
            .with("PIDS", &pids.to_string_lossy());
        home.tool("new greeter").ok();
        let before = home.files();
        let child = home
            .command(["build", "greeter"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let grandchild = wait_for("the compiler", || {
            let text = std::fs::read_to_string(&pids).ok()?;
            text.ends_with('\n').then(|| text.trim().to_owned())
        });
        let count = |directory: &Path| std::fs::read_dir(directory).expect("a directory").count();
        let builds = home.tool_home().join("cache/builds");
        assert_eq!(count(&builds), 1, "the build has one temporary directory");
        assert_eq!(count(&temporary), 0, "and none where others can write");
        // Only the command gets the signal; it has to end the processes that it started.
        send(signal, &child.id().to_string());
        let output = child.wait_with_output().expect("the command ends");
        assert_eq!(output.status.code(), Some(130), "{signal}");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "error: interrupted\n"
        );
        wait_for("the end of what the compiler started", || {
            (!Path::new("/proc").join(&grandchild).exists()).then_some(())
        });
        std::fs::remove_file(&pids).expect("the test's own file");
        assert_eq!(home.files(), before, "{signal}: nothing is left");
    }
}

fn send(signal: &str, process: &str) {
    let sent = Command::new("kill").args(["-s", signal, process]).status();
    assert!(sent.expect("kill starts").success());
}

#[track_caller]
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{what} did not come"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Two projects of the same name share compiled dependencies, and each gets its own component.
fn rust_projects_of_one_name() {
    let home = Home::new();
    for (directory, says) in [("first", "Hello"), ("second", "Good day")] {
        let place = format!("{directory}/greeter");
        home.tool(&format!("new greeter --directory {place}")).ok();
        edit(&home, &format!("{place}/src/lib.rs"), "Hello", says);
        home.tool(&format!("build {place}")).ok();
        let compiled = home
            .work()
            .join(&place)
            .join("target/wasm32-wasip2/release/deps");
        assert!(!compiled.exists(), "{place} compiles for itself");
    }
    let built = home.tool("build first/greeter --json").json();
    let packages = built["packages"].as_array().expect("packages");
    let bindings = packages.iter().find(|it| it["name"] == "wit-bindgen");
    let bindings = bindings.unwrap_or_else(|| panic!("{built}"));
    assert_eq!(bindings["registry"], "cargo");
    assert!(
        bindings["license"]
            .as_str()
            .is_some_and(|it| it.contains("Apache-2.0"))
    );
    assert!(packages.iter().all(|it| it["name"] != "greeter"), "{built}");
    let inspected = home.tool("inspect ./first/greeter --json").json();
    assert_eq!(inspected["inspection"]["packages"], built["packages"]);
    for (directory, says) in [("first", "Hello"), ("second", "Good day")] {
        load(
            &home,
            &format!("./{directory}/greeter"),
            &["--as", directory],
        );
        let answer = home.tool(&format!("call {directory} name=Ada")).ok();
        assert_eq!(answer, format!("{says}, Ada!\n"));
    }
}

fn characters_that_steer_are_named() {
    let home = Home::new();
    let mut manifest =
        derive_manifest(&adder(), "adder".parse().expect("a name")).expect("a component");
    manifest.description = "Adds\u{202e} numbers.".into();
    for function in manifest.functions.values_mut() {
        function.description = "Adds \u{1b}[2J two numbers. Returns the sum.".into();
    }
    home.write("adder/tool.toml", manifest.to_toml());
    home.write("adder/tool.wasm", adder());
    let remarks = home.tool("check adder --json").json();
    let messages: Vec<&str> = remarks["remarks"]
        .as_array()
        .expect("remarks")
        .iter()
        .filter_map(|remark| remark["message"].as_str())
        .collect();
    let about = "holds characters that nobody sees and that change how text is read";
    assert!(
        messages.contains(&&*format!("the description {about}: U+202E")),
        "{messages:?}"
    );
    assert!(
        messages
            .iter()
            .any(|message| message.starts_with("the description of `")
                && message.ends_with(&format!("{about}: U+001B"))),
        "{messages:?}"
    );
    assert_eq!(home.tool("check adder --strict").code(), 1);
}

fn an_error_names_what_the_user_wrote() {
    let home = Home::new();
    let refused = home.tool("new greeter --directory /proc/greeter");
    assert_eq!(refused.code(), 1);
    let said = refused.stderr();
    assert!(
        said.starts_with("error: nothing can be made in /proc\n"),
        "{said}"
    );
    assert!(!said.contains(".tool-new"), "{said}");
    let unbuilt = home.tool("check");
    assert_eq!(unbuilt.code(), 1);
    let work = home.work();
    assert_eq!(
        unbuilt.stderr(),
        format!(
            "error: {0} holds no built package\nhint: run: tool build {0}\n",
            work.display()
        )
    );
}
