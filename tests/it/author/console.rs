//! Tests that what a tool prints, in JavaScript with `console`, is shown by `tool call --verbose`.

use super::edit;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, Test, files, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::console_of_plain_functions", of_plain_functions)
            .needs(&[Need::JavascriptGuest]),
        test("author::console_of_a_world", of_a_world).needs(&[Need::JavascriptGuest]),
        test("author::what_a_tool_prints", what_a_tool_prints).needs(&[Need::PythonGuest]),
    ]
}

const GREETER: &str = r#"
console.log("not shown: the component was being built");

/**
 * Greets somebody.
 *
 * @param {string} name Whom to greet.
 * @returns {string} A greeting.
 */
export function greet(name) {
  console.log("greeting", name, { letters: name.length }, undefined, [1.5]);
  console.info("é".repeat(3000).length);
  console.debug();
  console.error(new TypeError("not a name"));
  console.warn(1n, "\ud800");
  for (let round = 0; round < 300; round++) {
    console.log(`round ${round}`);
  }
  return `Hello, ${name}!`;
}
"#;

fn of_plain_functions() {
    let home = Home::new();
    home.write("greeter.js", GREETER);
    home.tool("new greeter --from greeter.js").ok();
    home.tool("build greeter").ok();
    load(&home, "./greeter", &[]);
    let called = home.tool("call greeter name=Zoë --verbose");
    let told = called.stderr();
    assert_eq!(called.ok().trim_end(), "Hello, Zoë!", "{told}");
    let lines: Vec<&str> = told.lines().collect();
    let beginning = [
        r#"[greeter stdout] greeting Zoë {"letters":3} undefined [1.5]"#,
        "[greeter stdout] 3000",
        "[greeter stdout] ",
        "[greeter stdout] round 0",
    ];
    assert_eq!(lines[..beginning.len()], beginning);
    assert!(lines.contains(&"[greeter stdout] round 299"), "{told}");
    assert!(
        lines.contains(&"[greeter stderr] TypeError: not a name"),
        "{told}"
    );
    assert!(lines.contains(&"[greeter stderr] 1 \u{fffd}"), "{told}");
    assert!(!told.contains("not shown"), "{told}");
}

/// The world stays the author's, whatever it is called, and with what it brings.
fn of_a_world() {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    edit(
        &home,
        "greeter/wit/world.wit",
        "world tool {",
        "world greeting {",
    );
    edit(
        &home,
        "greeter/tool.js",
        "const code =",
        "console.error(\"asked\");\n    const code =",
    );
    let wit = home.work().join("greeter/wit");
    let before = files(&wit);
    home.tool("build greeter").ok();
    assert_eq!(files(&wit), before);
    load(&home, "./greeter", &[]);
    let called = home.tool("call greeter name=Ada --verbose");
    let told = called.stderr();
    assert!(told.contains("[greeter stderr] asked\n"), "{told}");
    assert_eq!(called.ok().trim_end(), "Hello, Ada!");
}

/// The build also tells what `check` finds, and what a tool prints is shown on demand.
fn what_a_tool_prints() {
    let home = Home::new();
    home.tool("new greeter --lang python").ok();
    edit(
        &home,
        "greeter/app.py",
        "\n    Returns:\n        One sentence.\n",
        "",
    );
    edit(
        &home,
        "greeter/app.py",
        "    return GREETINGS",
        "    import sys\n    print(\"one\\x1b[2J\")\n    print(\"two\", file=sys.stderr)\n    return GREETINGS",
    );
    let built = home.tool("build greeter");
    says(&built, 0, "warning: greet: nothing says what it returns");
    load(&home, "./greeter", &[]);
    assert_eq!(home.tool("call greeter name=Ada").stderr(), "");
    for flag in ["--verbose", "--stats"] {
        let called = home.tool(&format!("call greeter name=Ada {flag}"));
        assert_eq!(called.stdout(), "Hello, Ada!\n");
        says(
            &called,
            0,
            "[greeter stdout] one\\u{1b}[2J\n[greeter stderr] two\n",
        );
    }
    let home = home.with("TOOL_HUB_LOG", "tool_hub_host::guest=info");
    let called = home.tool("call greeter name=Ada");
    says(&called, 0, "stream=\"stdout\"");
    says(&called, 0, r"one\u{1b}[2J\n");
}
