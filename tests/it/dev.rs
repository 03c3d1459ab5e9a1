//! Tests of `tool dev`: it builds and calls anew at each edit, survives errors, approves nothing.

use serde_json::json;

use crate::support::client::call;
use crate::support::ran::says;
use crate::support::terminal::CTRL_C;
use crate::support::{Client, Home, Need, Terminal, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("dev::a_rust_project_answers", a_rust_project_answers)
            .needs(&[Need::RustGuests, Need::Interrupts]),
        test(
            "dev::a_javascript_project_answers",
            a_javascript_project_answers,
        )
        .needs(&[Need::JavascriptGuest, Need::Interrupts]),
        test("dev::a_c_project_answers", a_c_project_answers)
            .needs(&[Need::CGuest, Need::Interrupts]),
        test("dev::a_python_project_answers", a_python_project_answers).needs(&[Need::PythonGuest]),
        test(
            "dev::plain_functions_are_traced",
            plain_functions_are_traced,
        )
        .needs(&[Need::JavascriptGuest]),
        test(
            "dev::clients_are_told_of_builds",
            clients_are_told_of_builds,
        )
        .needs(&[Need::JavascriptGuest]),
        test(
            "dev::a_package_is_another_build",
            a_package_is_another_build,
        )
        .needs(&[Need::RustGuests]),
        test("dev::only_flags_grant", only_flags_grant).needs(&[Need::JavascriptGuest]),
        test("dev::mistakes_in_the_command", mistakes_in_the_command),
    ]
}

/// Replaces a text in a file of a project.
#[track_caller]
fn edit(home: &Home, path: &str, from: &str, to: &str) {
    let path = home.work().join(path);
    let text = std::fs::read_to_string(&path).expect("a file of the project");
    assert!(text.contains(from), "{} holds no {from:?}", path.display());
    std::fs::write(path, text.replace(from, to)).expect("the file");
}

/// Nothing says that a tool was loaded, approved or built into a package.
#[track_caller]
fn nothing_is_recorded(home: &Home, project: &str) {
    for file in ["toolbox.toml", "toolbox.lock", "approvals.toml"] {
        let places = [home.tool_home(), home.work(), home.work().join(project)];
        let there = places.map(|place| place.join(file).exists());
        assert_eq!(there, [false; 3], "{file}");
    }
    assert!(!home.work().join(project).join("dist").exists());
    let refused = home.run(["call", &format!("./{project}"), "name=Ada"]);
    assert_ne!(refused.code(), 0, "{}", refused.stdout());
}

/// Edits, breaks and mends a project in which a greeting is written as `before` and `after`.
#[track_caller]
fn answers(language: &str, file: &str, [right, wrong]: [&str; 2], complaint: &str) {
    let home = Home::new();
    home.run(["new", "greeter", "--lang", language]).ok();
    let file = format!("greeter/{file}");
    let mut terminal =
        Terminal::start(home.command(["dev", "greeter", "--call", "greet name=\"Ada L.\""]));
    terminal.wait_for("Greets somebody. Returns one sentence.");
    terminal.wait_for("lint: grade A, 0 findings in 1 function");
    terminal.wait_for("Hello, Ada L.!");
    terminal.wait_for("time: ");

    edit(&home, &file, "Hello", "Welcome");
    terminal.wait_for(" was changed");
    // While it builds: the last edit is what is answered in the end.
    edit(&home, &file, "Welcome", "Servus");
    terminal.wait_for("Servus, Ada L.!");

    edit(&home, &file, right, wrong);
    terminal.wait_for(complaint);
    edit(&home, &file, wrong, right);
    terminal.wait_for("Servus, Ada L.!");

    edit(
        &home,
        "greeter/wit/world.wit",
        "Greets somebody",
        "Greets anybody",
    );
    terminal.wait_for("wit/world.wit was changed");
    terminal.wait_for("changed: greeter");
    terminal.wait_for("Greets anybody");
    terminal.wait_for("Servus, Ada L.!");
    home.write("greeter/notes.md", "Nothing that is built.");
    terminal.wait_for("notes.md was added");
    terminal.wait_for("Servus, Ada L.!");

    terminal.press(CTRL_C);
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!ended.shown.contains("interrupted"), "{}", ended.shown);
    nothing_is_recorded(&home, "greeter");
}

fn a_rust_project_answers() {
    let mistake = ["\"en\" => Ok(", "\"en\" => Ok(1 + "];
    answers("rust", "src/lib.rs", mistake, "--> src/lib.rs:12");
}

fn a_javascript_project_answers() {
    let mistake = ["const code =", "const const ="];
    answers("javascript", "tool.js", mistake, "tool.js:11:");
}

fn a_c_project_answers() {
    let mistake = ["make(ret, \"Servus", "mak(ret, \"Servus"];
    answers("c", "tool.c", mistake, "tool.c:31:9:");
}

fn a_python_project_answers() {
    let home = Home::new();
    home.tool("new greeter --lang python").ok();
    let ran = home.run(["dev", "greeter", "--once", "--json", "--call", "name=Ada"]);
    let told = ran.json();
    assert_eq!(told["calls"][0]["outcome"]["structured"], "Hello, Ada!");
    nothing_is_recorded(&home, "greeter");
}

const COUNTER: &str = r#"
import { words } from "./words.js";

/**
 * Counts the words of a text.
 *
 * @param {string} text What to count.
 * @returns {number} How many there are.
 */
export function count(text) {
  return words(text).length;
}
"#;
const WORDS: &str = r#"export function words(text) {
  console.log("splitting");
  if (text === "") {
    throw new RangeError("there is nothing to count");
  }
  return text.split(" ");
}
"#;

/// What fails is traced to the files of the project, whatever was generated around them.
fn plain_functions_are_traced() {
    let home = Home::new();
    home.write("counter.js", COUNTER);
    home.tool("new counter --from counter.js").ok();
    home.write("counter/words.js", WORDS);
    let calls = ["--call", "text='a b c'", "--call", "text="];
    let arguments = ["dev", "counter", "--once"].into_iter().chain(calls);
    let ran = home.run(arguments.clone());
    says(
        &ran,
        1,
        "error: `count` failed: RangeError: there is nothing to count",
    );
    says(
        &ran,
        1,
        "[counter stdout] splitting\n[counter stderr] RangeError: there is nothing",
    );
    says(&ran, 1, "at words (words.js:4:");
    says(&ran, 1, "at count (counter.js:11:");
    assert!(ran.stdout().ends_with("\n3.0\n"), "{}", ran.stdout());

    let ran = home.run(arguments.chain(["--json"]));
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    let told: serde_json::Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    assert_eq!(told["functions"][0]["name"], "counter");
    assert_eq!(told["grade"], "A", "{told}");
    let outcomes = [0, 1].map(|call| &told["calls"][call]["outcome"]);
    assert_eq!(outcomes[0]["structured"], json!(3.0));
    assert!(outcomes[0]["usage"]["total_us"].is_number(), "{told}");
    assert_eq!(outcomes[1]["failure"]["kind"], "failed");
}

fn clients_are_told_of_builds() {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    // A project that is broken is served once it is mended.
    edit(&home, "greeter/tool.js", "const code =", "const const =");
    let mut client = Client::start(home.command(["dev", "greeter", "--serve"]));
    assert_eq!(client.tools(), Vec::<String>::new());
    edit(&home, "greeter/tool.js", "const const =", "const code =");
    client.hear_of_a_change();
    assert_eq!(client.tools(), ["greeter", "read_answer"]);
    let greeting = |client: &mut Client| call(client, "greeter", json!({ "name": "Ada" }));
    assert_eq!(greeting(&mut client), "Hello, Ada!");

    edit(&home, "greeter/tool.js", "Hello", "Welcome");
    client.hear_of_a_change();
    assert_eq!(greeting(&mut client), "Welcome, Ada!");

    edit(
        &home,
        "greeter/wit/world.wit",
        "    greet: func",
        "    /// Says goodbye. Returns one sentence.\n    part: func() -> string;\n\n    greet: func",
    );
    edit(
        &home,
        "greeter/tool.js",
        "  greet(name",
        "  part() {\n    return \"Bye!\";\n  },\n  greet(name",
    );
    // One of the two files may have been built without the other.
    let both = ["greeter__greet", "greeter__part", "read_answer"];
    loop {
        client.hear_of_a_change();
        let mut tools = client.tools();
        tools.sort();
        if tools == both {
            break;
        }
    }
    assert_eq!(call(&mut client, "greeter__part", json!({})), "Bye!");
    client.leave();
    nothing_is_recorded(&home, "greeter");
}

/// The same code is optimised in a package, whatever was built before it.
fn a_package_is_another_build() {
    let home = Home::new();
    home.tool("new greeter").ok();
    let package = || {
        let built = home.tool("build greeter --json").json();
        built["digest"].as_str().expect("a digest").to_owned()
    };
    let before = package();
    let ran = home.run(["dev", "greeter", "--once", "--call", "name=Ada"]);
    assert!(ran.ok().ends_with("\nHello, Ada!\n"), "{}", ran.stdout());
    assert_eq!(package(), before);
}

const ASKS: &str = r#"
[capabilities]
network = ["https://a.example"]
storage = { why = "to keep things" }
"#;

fn only_flags_grant() {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    let manifest = home.work().join("greeter/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, text + ASKS).expect("the manifest");
    let ran = home.tool("dev greeter --once --allow-storage");
    says(
        &ran,
        0,
        "`greeter` asks for what no flag grants: https://a.example",
    );
    says(
        &ran,
        0,
        "grant it with: tool dev greeter --allow-network https://a.example\n",
    );
    let ran = home.tool("dev greeter --once --json --allow-network https://a.example");
    assert_eq!(ran.json()["ungranted"], json!(["--allow-storage"]));
    let ran = home.tool("dev greeter --once --allow-network https://b.example");
    says(&ran, 3, "https://b.example");
    nothing_is_recorded(&home, "greeter");
}

fn mistakes_in_the_command() {
    let home = Home::new();
    says(&home.tool("dev"), 1, "there is no tool project in");
    says(&home.tool("dev --http"), 1, "hint: add --serve");
    says(&home.tool("dev --serve --once"), 1, "cannot be used with");
    let ran = home.run(["dev", "--call", "name=\"Ada"]);
    says(&ran, 1, "a quotation mark stands alone");
}
