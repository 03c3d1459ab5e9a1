//! Tests of tools of plain functions in JavaScript: programs for interpreters that they share.

use serde_json::{Value, json};

use crate::support::client::call;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Client, Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    let on = |name, run| test(name, run).needs(&[Need::JavascriptGuest]);
    vec![
        on(
            "author::programs_in_javascript_share_an_interpreter",
            share_an_interpreter,
        ),
        on(
            "author::programs_in_javascript_do_not_reach_each_other",
            do_not_reach_each_other,
        ),
        on(
            "author::programs_in_javascript_are_loaded_once",
            are_loaded_once,
        ),
        on("author::programs_in_javascript_that_wait", that_wait),
        on(
            "author::programs_in_javascript_that_cannot_be_loaded",
            cannot_be_loaded,
        ),
        on(
            "author::programs_in_javascript_reach_what_was_granted",
            reach_what_was_granted,
        ),
        on("author::packages_of_javascript", packages),
    ]
}

/// The most bytes that a second tool may have.
const PROGRAM_BYTES_MAX: u64 = 100_000;

const GREETER: &str = r#"
/**
 * Greets somebody.
 *
 * @param {string} name Whom.
 * @returns {string} A greeting.
 */
export function greet(name) {
  return `Hello, ${name}!`;
}
"#;

/// Makes, builds and loads a project of one file.
#[track_caller]
fn loaded(home: &Home, name: &str, text: &str) {
    let file = format!("{name}.js");
    home.write(&file, text);
    home.run(["new", name, "--from", &file]).ok();
    home.run(["build", name]).ok();
    load(home, &format!("./{name}"), &[]);
}

fn share_an_interpreter() {
    let home = Home::new();
    loaded(&home, "greeter", GREETER);
    let stored = || {
        let files = home.files().into_iter();
        let files = files.filter(|it| it.display().to_string().contains("/blobs/"));
        files
            .map(|it| it.metadata().map_or(0, |it| it.len()))
            .sum::<u64>()
    };
    let before = stored();
    loaded(&home, "parting", &GREETER.replace("Hello", "Goodbye"));
    let more = stored() - before;
    assert!(0 < more && more < PROGRAM_BYTES_MAX, "{more}");
    let said = home.tool("call greeter name=Ada").ok();
    assert_eq!(said.trim_end(), "Hello, Ada!");
    let said = home.tool("call parting name=Ada").ok();
    assert_eq!(said.trim_end(), "Goodbye, Ada!");
    let shown = home.tool("inspect ./greeter --verbose").ok();
    assert!(shown.contains("run by     interpreter sha256:"), "{shown}");
    assert!(!shown.contains("wasi:http"), "{shown}");
}

const SPOILER: &str = r#"
globalThis.left = "when it was loaded";
let calls = 0;

/** Changes all that programs share by name, and counts the calls. */
export function spoil() {
  calls += 1;
  const found = [globalThis.left, [].left, Math.random() === 4];
  globalThis.left = "by a call";
  Array.prototype.left = "by a call";
  Object.prototype.left = "by a call";
  Math.random = () => 4;
  JSON.stringify = () => "spoilt";
  Promise.resolve = () => "spoilt";
  console.log = console.error = () => { throw new Error("spoilt"); };
  return [calls, ...found].map(String).join(" ");
}
"#;
const LOOKER: &str = r#"
/** Says what is left of others. */
export async function look() {
  console.log("looking");
  const found = [globalThis.left, [].left, {}.left, Math.random() === 4, await Promise.resolve(1)];
  return found.map(String).join(" ");
}
"#;

/// They run in one process, with one interpreter and one pool of memories.
fn do_not_reach_each_other() {
    let home = Home::new();
    loaded(&home, "spoiler", SPOILER);
    loaded(&home, "looker", LOOKER);
    let mut client = Client::start(home.command(["serve"]));
    for _ in 0..20 {
        let first = call(&mut client, "spoiler", json!({}));
        assert_eq!(first, "1 when it was loaded undefined false");
        let second = call(&mut client, "looker", json!({}));
        assert_eq!(second, "undefined undefined undefined false 1");
    }
    client.leave();
}

const DRAWER: &str = r#"
const atLoad = [Math.random(), crypto.randomUUID(), Date.now()];

/** Draws numbers, and looks at clocks. */
export async function draw() {
  const before = performance.now();
  await new Promise((done) => setTimeout(done, 20));
  const waited = performance.now() - before;
  return [...atLoad, Math.random(), crypto.randomUUID(), Date.now(), waited].join(" ");
}
"#;

/// A random number that is drawn at the top of a module is the same in all calls; one that is drawn
/// in a call is not.
fn are_loaded_once() {
    let home = Home::new();
    loaded(&home, "drawer", DRAWER);
    let mut client = Client::start(home.command(["serve"]));
    let mut draw = || -> Vec<String> {
        let said = call(&mut client, "drawer", json!({}));
        let said = said.as_str().expect("a text");
        said.split(' ').map(str::to_owned).collect()
    };
    let (first, second, third) = (draw(), draw(), draw());
    for other in [&second, &third] {
        assert_eq!(first[..3], other[..3], "it was loaded once");
        for at in [3, 4, 5] {
            assert_ne!(first[at], other[at], "{at}");
        }
    }
    assert_ne!(second[3], third[3]);
    assert_ne!(second[4], third[4]);
    let number = |text: &str| text.parse::<f64>().expect("a number");
    for drawn in [&first, &second, &third] {
        assert_ne!(drawn[0], drawn[3], "numbers begin anew in a call");
        assert!(number(&drawn[5]) >= number(&drawn[2]), "{drawn:?}");
        assert!(number(&drawn[6]) >= 19.0, "{drawn:?}");
    }
    assert!(number(&third[5]) >= number(&first[5]) + 20.0);
    client.leave();
}

const WAITER: &str = r#"import { words } from "./words.js";
const first = await new Promise((done) => setTimeout(() => done("late"), 5));
let calls = 0;

/** Says what was waited for. */
export async function said() {
  calls += 1;
  await null;
  for await (const word of words()) {
    return `${first} ${word} ${calls}`;
  }
  return "";
}
"#;
const WORDS: &str = "const word = await Promise.resolve(\"word\");\n\
                     export async function* words() {\n  yield word;\n}\n";

/// Modules wait before the first call, and where one fails after it waited its line is named.
fn that_wait() {
    let home = Home::new();
    home.write("waiter.js", WAITER);
    home.run(["new", "waiter", "--from", "waiter.js"]).ok();
    home.write("waiter/words.js", WORDS);
    home.run(["build", "waiter"]).ok();
    load(&home, "./waiter", &[]);
    let mut client = Client::start(home.command(["serve"]));
    for _ in 0..3 {
        assert_eq!(call(&mut client, "waiter", json!({})), "late word 1");
    }
    client.leave();
    for (line, said) in [
        (
            "\nmissing();\n",
            "error: words.js:2: ReferenceError: missing is not defined\n",
        ),
        (
            "\nawait new Promise(() => {});\n",
            "a module waits for a promise that nothing will settle",
        ),
        (
            "\nawait fetch(\"https://a.example/\");\n",
            "TypeError: fetch failed",
        ),
    ] {
        let words = WORDS.replacen('\n', line, 1);
        home.write("waiter/words.js", words);
        says(&home.tool("build waiter"), 1, said);
    }
    home.tool("new greeter --lang javascript").ok();
    let source = home.work().join("greeter/tool.js");
    let text = std::fs::read_to_string(source).expect("the source");
    home.write("greeter/tool.js", format!("await null;\n{text}"));
    let refused = home.tool("build greeter");
    says(&refused, 1, "error: tool.js:1:1: Top-level await is not");
    says(&refused, 1, "hint: write it in an `async` function");
}

fn cannot_be_loaded() {
    let home = Home::new();
    home.write("greeter.js", GREETER);
    home.run(["new", "greeter", "--from", "greeter.js"]).ok();
    for (line, said) in [
        (
            "import { x } from \"missing-package\";",
            "error: greeter.js:1:19: Could not resolve \"missing-package\"",
        ),
        (
            "const lines = require(\"node:fs\").readFileSync(\"a\");",
            "error: greeter.js:1:23: Could not resolve \"node:fs\"",
        ),
        (
            "const first = JSON.parse(\"{\");",
            "error: greeter.js:1: SyntaxError: ",
        ),
        (
            "const home = process.env.HOME;",
            "error: greeter.js:1: ReferenceError: process is not defined",
        ),
    ] {
        home.write("greeter/greeter.js", format!("{line}{GREETER}"));
        let refused = home.tool("build greeter");
        says(&refused, 1, said);
        assert!(!home.work().join("greeter/dist").exists(), "{line}");
    }
}

const FETCHER: &str = r#"
/**
 * Reads a page.
 *
 * @param {string} url Its address.
 * @returns {string} What is there.
 */
export async function read(url) {
  return (await fetch(url)).text();
}
"#;

/// The interpreter that has HTTP asks for nothing, and opens nothing.
fn reach_what_was_granted() {
    let home = Home::new();
    loaded(&home, "fetcher", FETCHER);
    let shown = home.tool("inspect ./fetcher --json").json();
    assert_eq!(shown["inspection"]["undeclared"], json!([]), "{shown}");
    let refused = home.run(["call", "fetcher", "url=http://127.0.0.1:9/"]);
    let said = "this tool may not reach http://127.0.0.1:9: its author names it in `network`";
    says(&refused, 3, said);
}

/// Those of a bundle are listed, and those with native code are refused where they are imported.
fn packages() {
    let home = Home::new();
    home.write("greeter.js", GREETER);
    home.run(["new", "greeter", "--from", "greeter.js"]).ok();
    home.write("greeter/node_modules/.package-lock.json", "{}");
    let package = |name: &str, json: Value| {
        let place = format!("greeter/node_modules/{name}");
        home.write(&format!("{place}/package.json"), json.to_string());
        home.write(
            &format!("{place}/index.js"),
            "export const mark = (text) => text + \"?\";",
        );
    };
    package("marks", json!({"version": "1.2.3", "license": "MIT"}));
    package("unused", json!({"version": "1.0.0", "license": "ISC"}));
    let using = GREETER.replace("`Hello, ${name}!`", "mark(name)");
    home.write(
        "greeter/greeter.js",
        format!("import {{ mark }} from \"marks\";\nimport \"unused\";{using}"),
    );
    let built = home.tool("build greeter --trust --json").json();
    let marks = json!({
        "registry": "npm", "name": "marks", "version": "1.2.3", "license": "MIT"
    });
    assert!(
        built["packages"]
            .as_array()
            .is_some_and(|all| all.contains(&marks)),
        "{built}"
    );

    // Whoever thinks about the tool sees the same, as its author's claim.
    let said = home.tool("inspect ./greeter").ok();
    let count = "\n  contains   1 package of npm, as its author says (see --verbose)\n";
    assert!(said.contains(count), "{said}");
    let said = home.tool("inspect ./greeter --verbose").ok();
    let named = "\nPackages, as its author says\n  npm: marks 1.2.3, MIT\n";
    assert!(format!("{said}\n").contains(named), "{said}");
    let inspected = home.tool("inspect ./greeter --json").json();
    assert_eq!(inspected["inspection"]["packages"], json!([marks]));
    load(&home, "./greeter", &[]);
    package("marks", json!({"version": "1.3.0", "license": "ISC"}));
    home.tool("build greeter --trust").ok();
    let differs = home.tool("load ./greeter");
    says(&differs, 3, "- packages: marks 1.2.3 (npm, MIT)\n");
    says(&differs, 3, "+ packages: marks 1.3.0 (npm, ISC)\n");

    package("marks", json!({"version": "1.2.3", "gypfile": true}));
    let refused = home.tool("build greeter --trust");
    says(
        &refused,
        1,
        "error: greeter.js:1: the package `marks` 1.2.3 has native code",
    );
}
