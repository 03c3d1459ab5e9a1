//! Tests of `tool test`: cases, examples, random calls, recorded requests, and tests before a push.

use std::process::Stdio;

use axum::response::{Html, IntoResponse as _};
use serde_json::{Value, json};
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Manifest, Methods, VariableRequest};

use super::{send, wait_for};
use crate::support::adder::package;
use crate::support::ran::says;
use crate::support::website::Website;
use crate::support::{Home, Need, RegistryProcess, Test, guests, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::tests_pass_and_fail", tests_pass_and_fail),
        test("author::random_calls_find_a_trap", random_calls_find_a_trap),
        test(
            "author::mistakes_in_tests_are_named",
            mistakes_in_tests_are_named,
        ),
        test(
            "author::interrupted_tests_leave_nothing",
            interrupted_tests_leave_nothing,
        ),
        test("author::tests_guard_a_push", tests_guard_a_push),
        test(
            "author::the_samples_pass_their_tests",
            the_samples_pass_their_tests,
        )
        .needs(&[Need::RustGuests]),
        test("author::tests_have_copies", tests_have_copies).needs(&[Need::RustGuests]),
        test(
            "author::requests_are_recorded_and_replayed",
            requests_are_recorded_and_replayed,
        )
        .needs(&[Need::RustGuests]),
        test(
            "author::a_project_is_built_for_its_tests",
            a_project_is_built_for_its_tests,
        )
        .needs(&[Need::JavascriptGuest]),
    ]
}

const SUMS: &str = r#"
[[case]]
name = "small numbers"
function = "add"
arguments = { a = 20, b = 22 }
expect = 42.0

[[case]]
function = "sum-up"
arguments_json = '{"a": 4294967295, "b": 1}'
expect_json = "0"
expect_text = "0"

[[case]]
name = "a negative number"
function = "add"
arguments = { a = -1, b = 1 }
fails = { kind = "invalid-argument", argument = "a" }
"#;

/// A package of the tool that adds, with an example, and `cases` as its tests.
fn adder(home: &Home, cases: &str) {
    package(home, "adder", |manifest| {
        let example = json!({ "a": 1, "b": 2 });
        let example = serde_json::from_value(example).expect("a table");
        let mut functions = manifest.functions.values_mut();
        let function = functions.next().expect("it adds");
        function.examples.push(example);
    });
    home.write("adder/tests/sums.toml", cases);
}

fn tests_pass_and_fail() {
    let home = Home::new();
    adder(&home, SUMS);
    let shown = home.tool("test adder --seed 5").ok();
    let expect = "tests/sums.toml\n  ok   small numbers [add]\n  ok   case 2 [sum_up]\n  \
                  ok   a negative number [add]\nexamples\n  ok   example 1 [add]\n\
                  random calls, seed 5\n  ok   add (20 calls)\n  ok   sum_up (20 calls)\n\
                  6 passed, 0 failed\n";
    assert_eq!(shown, expect);
    // Nobody was asked, and nothing is approved.
    assert!(!home.tool_home().join("approvals.toml").exists());

    adder(
        &home,
        &SUMS.replace("42.0", "43").replace("\"a\" }", "\"b\" }"),
    );
    let failed = home.tool("test ./adder --random 0 --junit results.xml");
    says(&failed, 1, "error: 2 of 4 tests failed");
    let shown = failed.stdout();
    assert!(
        shown.contains("  FAIL small numbers [add]\n       expected 43, found 42\n"),
        "{shown}"
    );
    let repeat = "       repeat it with: tool call ./adder add --json-args '{\"a\":20,\"b\":22}'\n";
    assert!(shown.contains(repeat), "{shown}");
    assert!(
        shown.contains("because of the argument \"b\", found \"a\""),
        "{shown}"
    );
    let junit = std::fs::read_to_string(home.work().join("results.xml")).expect("a file");
    let tag = "<testsuite name=\"tests/sums.toml\" tests=\"3\" failures=\"2\"";
    assert!(junit.contains(tag), "{junit}");
    assert!(
        junit.contains("<failure message=\"expected 43, found 42\">"),
        "{junit}"
    );

    let failed = home.tool("test adder --random 3 --json");
    assert_eq!(failed.code(), 1);
    let report: Value = serde_json::from_str(&failed.stdout()).expect("JSON");
    assert_eq!(
        (&report["passed"], &report["failed"]),
        (&json!(4), &json!(2))
    );
    let first = &report["results"][0];
    assert_eq!(first["problems"], json!(["expected 43, found 42"]));
    assert_eq!(first["arguments"], json!({ "a": 20, "b": 22 }));
    let again = home.tool("test adder --random 3 --json");
    let again: Value = serde_json::from_str(&again.stdout()).expect("JSON");
    assert_eq!(
        again["seed"], report["seed"],
        "the same package has the same seed"
    );
}

/// Divides, and traps where it divides by zero.
const DIVIDER: &str = r#"
(component
    (core module $m
        (func (export "divide") (param i32 i32) (result i32)
            (i32.div_u (local.get 0) (local.get 1))))
    (core instance $i (instantiate $m))
    (func (export "divide") (param "a" u8) (param "by" u8) (result u32)
        (canon lift (core func $i "divide"))))
"#;

fn random_calls_find_a_trap() {
    let home = Home::new();
    let component = wat::parse_str(DIVIDER).expect("a component");
    let name = "divider".parse().expect("a name");
    let manifest = derive_manifest(&component, name).expect("a component");
    home.write("divider/tool.toml", manifest.to_toml());
    home.write("divider/tool.wasm", component);
    let run = || home.tool("test divider --random 500 --seed 3 --json");
    let found = run();
    says(&found, 1, "error: 1 of 1 test failed");
    let report: Value = serde_json::from_str(&found.stdout()).expect("JSON");
    let result = &report["results"][0];
    assert_eq!(result["arguments"]["by"], 0, "{result}");
    let problem = result["problems"][0].as_str().expect("a problem");
    assert!(problem.starts_with("it failed (trapped): "), "{problem}");
    let again: Value = serde_json::from_str(&run().stdout()).expect("JSON");
    assert_eq!(again["results"][0]["arguments"], result["arguments"]);

    // What is printed is typed as it is: it needs consent, and traps again.
    let repeat = result["repeat"].as_str().expect("a command");
    let digest = crate::support::loading::digest(&home, "./divider");
    let output = home.shell(&format!("{repeat} --approve {digest}")).output();
    let output = output.expect("a shell");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("(trapped)"),
        "{output:?}"
    );
    let line = format!("{repeat} a=1 --approve {digest}");
    let output = home.shell(&line).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("`a=1` and --json-args both give arguments"),
        "{said}"
    );
}

fn mistakes_in_tests_are_named() {
    let home = Home::new();
    for (cases, expect) in [
        ("[[case]]\nexpects = 1", "unknown field `expects`"),
        (
            "[[case]]\nfunction = \"subtract\"",
            "sums.toml, case 1: the tool has no function called `subtract`",
        ),
        (
            "[[case]]",
            "hint: write function = \"…\"; it has add, sum_up",
        ),
        (
            "[[case]]\nfunction = \"add\"\nexpect = 1\nfails = {}",
            "both `expect` and `fails`",
        ),
        (
            "[[case]]\nfunction = \"add\"\nfails = { kind = \"lost\" }",
            "hint: the kinds are conflict,",
        ),
        (
            "[variables]\nKEY = \"x\"\n[[case]]\nfunction = \"add\"",
            "variable KEY, which the tool does not ask for",
        ),
    ] {
        adder(&home, cases);
        says(&home.tool("test adder"), 1, expect);
    }
    says(&home.tool("test adder --record"), 1, "--allow-network");
    says(
        &home.tool("test adder --allow-network https://example.com"),
        1,
        "--record",
    );
    package(&home, "empty", |_| ());
    says(
        &home.tool("test empty --random 0"),
        1,
        "hint: write cases into tests/*.toml",
    );
    says(&home.tool("test nowhere"), 1, "there is no tool project in");
}

/// Never ends.
const SPINNER: &str = r#"
(component
    (core module $m (func (export "spin") (loop (br 0))))
    (core instance $i (instantiate $m))
    (func (export "spin") (canon lift (core func $i "spin"))))
"#;

fn interrupted_tests_leave_nothing() {
    let home = Home::new();
    let component = wat::parse_str(SPINNER).expect("a component");
    let name = "spinner".parse().expect("a name");
    let manifest = derive_manifest(&component, name).expect("a component");
    home.write("spinner/tool.toml", manifest.to_toml());
    home.write("spinner/tool.wasm", component);
    let temporary = home.path().join("tmp");
    std::fs::create_dir(&temporary).expect("a directory");
    let home = home.with("TMPDIR", &temporary.to_string_lossy());
    let here = || std::fs::read_dir(&temporary).expect("a directory").count();
    let mut command = home.command(["test", "spinner"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("the command starts");
    wait_for("the copies", || (here() > 0).then_some(()));
    send("INT", &child.id().to_string());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: interrupted\n"
    );
    assert_eq!(here(), 0, "nothing is left");
}

fn tests_guard_a_push() {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    adder(&author, &SUMS.replace("42.0", "43"));
    let refused = author.tool("push -C adder");
    says(
        &refused,
        1,
        "error: 1 of 6 tests failed, so nothing was pushed",
    );
    let said = refused.stderr();
    assert!(said.contains("  FAIL small numbers [add]\n"), "{said}");
    assert!(
        said.contains("hint: publish it anyway with --no-test"),
        "{said}"
    );
    says(&author.tool("inspect author/adder"), 1, "author/adder");

    author.tool("push -C adder --no-test --dry-run").ok();
    adder(&author, SUMS);
    let pushed = author.tool("push -C adder");
    pushed.ok();
    let said = pushed.stderr();
    let tested = "tested cases in tests, examples and random calls: 6 passed, 0 failed\n";
    assert!(said.contains(tested), "{said}");

    // Without cases nothing is run: this one would fail.
    std::fs::remove_file(author.work().join("adder/tests/sums.toml")).expect("the cases");
    let again = author.tool("push -C adder");
    again.ok();
    assert!(!again.stderr().contains("tested"), "{}", again.stderr());
}

fn the_samples_pass_their_tests() {
    for name in ["text-stats", "notes", "fetch-page"] {
        let project = guests::built(name);
        let home = Home::new();
        let project = project.to_string_lossy();
        let report = home.run(["test", &project, "--json"]).json();
        let results = report["results"].as_array().expect("results");
        for suite in ["tests/", "examples", "random calls"] {
            let is_of = |result: &&Value| {
                result["suite"]
                    .as_str()
                    .is_some_and(|it| it.starts_with(suite))
            };
            assert!(
                results.iter().any(|result| is_of(&result)),
                "{name} has no {suite}"
            );
        }
    }
}

/// Writes the sample `notes`, which asks for a directory, as a package of its own.
fn notes(home: &Home, cases: &str) {
    let built = guests::built("notes").join("dist");
    for file in ["tool.toml", "tool.wasm", "sbom.cdx.json"] {
        let bytes = std::fs::read(built.join(file)).expect("a file of the package");
        home.write(&format!("notes/{file}"), bytes);
    }
    home.write("notes/tests/reading.toml", cases);
    home.write("notes/tests/kept/old.md", "an old note");
}

fn tests_have_copies() {
    let home = Home::new();
    let cases = r#"
        directories = { notes = "kept" }
        case = [
            { function = "delete_note", arguments = { name = "old" } },
            { function = "read_note", arguments = { name = "old" }, fails = { kind = "not-found" } },
        ]
    "#;
    notes(&home, cases);
    home.tool("test notes").ok();
    let kept = home.work().join("notes/tests/kept/old.md");
    assert!(kept.exists(), "the copy was changed, and not the tests");
    // The same twice: each run begins with a fresh copy.
    home.tool("test notes --random 0").ok();

    // A directory that a flag names is used as it is, but not by random calls.
    home.write("mine/old.md", "mine");
    home.write("mine/another.md", "mine too");
    home.tool("test notes --allow-dir notes=mine").ok();
    assert!(!home.work().join("mine/old.md").exists());
    let left = std::fs::read_dir(home.work().join("mine")).expect("a directory");
    let left: Vec<_> = left
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["another.md"]);

    notes(&home, &cases.replace("\"kept\"", "\"../../mine\""));
    says(
        &home.tool("test notes"),
        1,
        "no directory below the project's tests",
    );
}

/// The sample `fetch-page` for `origin`, with a test that reads a page there.
fn pages(home: &Home, origin: &str) {
    let built = guests::built("fetch-page").join("dist");
    let read = |file: &str| std::fs::read(built.join(file)).expect("a file of the package");
    let text = String::from_utf8(read("tool.toml")).expect("a manifest is text");
    let mut manifest: Manifest = text.parse().expect("a manifest");
    let asked = &mut manifest.capabilities;
    asked.network = [(origin.parse().expect("an origin"), Methods::Any)]
        .into_iter()
        .collect();
    asked.variables.push(VariableRequest {
        name: "TOKEN".parse().expect("a name"),
        secret: true,
        why: String::new(),
    });
    for function in manifest.functions.values_mut() {
        function.examples.clear();
    }
    home.write("pages/tool.toml", manifest.to_toml());
    home.write("pages/tool.wasm", read("tool.wasm"));
    home.write("pages/sbom.cdx.json", read("sbom.cdx.json"));
    home.write(
        "pages/tests/tides.toml",
        format!(
            "[variables]\nTOKEN = \"hunter2-hunter2\"\n[[case]]\n\
             arguments = {{ url = \"{origin}/today?key=hunter2-hunter2\" }}\n\
             expect_text = \"High water\"\n"
        ),
    );
}

fn requests_are_recorded_and_replayed() {
    let page = "<title>Tides</title><p>High water is at noon.</p><p>hunter2-hunter2</p>";
    let site = Website::start(move |_| ([("set-cookie", "session=1")], Html(page)).into_response());
    let home = Home::new();
    pages(&home, site.origin());

    // Nothing is sent before it is asked for.
    let refused = home.tool("test pages --random 2");
    assert_eq!(refused.code(), 1);
    let said = refused.stdout();
    let advice = format!(
        "record it: tool test pages --record --allow-network {}",
        site.origin()
    );
    assert!(said.contains("no answer to it is recorded"), "{said}");
    assert!(said.contains(&advice), "{said}");
    assert_eq!(site.asked(), [""; 0]);

    let record = [
        "test",
        "pages",
        "--record",
        "--allow-network",
        site.origin(),
    ];
    let recorded = home.run(record);
    recorded.ok();
    assert!(
        recorded.stdout().contains("note: recorded requests in "),
        "{}",
        recorded.stdout()
    );
    assert_eq!(site.asked(), ["/today"], "random calls send nothing");
    let path = home.work().join("pages/tests/recordings/tides.json");
    let recording = std::fs::read_to_string(&path).expect("a recording");
    for secret in ["hunter2", "session=1"] {
        assert!(!recording.contains(secret), "{recording}");
    }
    assert!(recording.contains("/today?key=***"), "{recording}");

    home.tool("test pages").ok();
    assert_eq!(
        site.asked(),
        ["/today"],
        "the answer came from the recording"
    );
    // What the manifest does not ask for is refused by the same gate as ever.
    let other = "[[case]]\narguments = { url = \"https://example.com/elsewhere\" }\n";
    home.write("pages/tests/other.toml", other);
    let refused = home.tool("test pages --random 0");
    assert!(
        refused.stdout().contains("does not ask for it"),
        "{}",
        refused.stdout()
    );
}

const GREETER: &str = "
/**
 * Greets somebody, and returns one sentence.
 *
 * @param {string} name Whom to greet.
 * @returns {string} A greeting.
 */
export function greet(name) {
  console.log('greeting', name);
  return `Hello, ${name}!`;
}
";

fn a_project_is_built_for_its_tests() {
    let home = Home::new();
    home.write("greeter.js", GREETER);
    home.tool("new greeter --from greeter.js").ok();
    home.write(
        "greeter/tests/greetings.toml",
        "[[case]]\narguments = { name = \"Ada\" }\nexpect = \"Hello, Ada!\"\n",
    );
    let built = home.tool("test greeter");
    assert!(
        built.ok().contains("  ok   case 1 [greet]\n"),
        "{}",
        built.stdout()
    );
    assert!(
        built.stderr().contains("built greeter 0.1.0"),
        "{}",
        built.stderr()
    );
    // Neither anew without a change, nor for a change of its tests.
    home.write(
        "greeter/tests/greetings.toml",
        "[[case]]\nfails = {}\narguments = {}\n",
    );
    let again = home.tool("test greeter");
    again.ok();
    assert!(!again.stderr().contains("built"), "{}", again.stderr());
    // What the tool wrote is shown below a failure.
    home.write(
        "greeter/tests/greetings.toml",
        "[[case]]\narguments = { name = \"Ada\" }\nexpect_text = \"Goodbye\"\n",
    );
    let shown = home.tool("test greeter").stdout();
    let line = "\n       [greeter stdout] greeting Ada\n";
    assert!(shown.contains(line), "{shown}");
}
