//! Tests that a build proposes capabilities for what the sources reach, and changes nothing itself.

use super::edit;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::proposals_for_python", for_python).needs(&[Need::PythonGuest]),
        test("author::proposals_for_javascript", for_javascript).needs(&[Need::JavascriptGuest]),
        test("author::proposals_for_rust", for_rust).needs(&[Need::RustGuests]),
    ]
}

const PYTHON: &str = r#"
"""Weather, as https://docs.example.com/ describes it."""

import os

# The old address was https://old.example.com.
URL = "https://api.example.com/v1"
SAME = "https://api.example.com/v2"


def weather(city: str) -> str:
    """Says the weather, see https://help.example.com/.

    Args:
        city: Where.

    Returns:
        One line.
    """
    with open("/notes/cities.txt") as file:
        known = file.read()
    return f"{URL}/{city}?key={os.environ['API_KEY']}{known}"


def test_weather():
    assert weather("https://test.example.com/")
"#;

fn for_python() {
    let home = Home::new();
    // A function for tests would be offered too.
    let (functions, tests) = PYTHON.split_at(PYTHON.find("def test").expect("a test"));
    home.write("weather.py", functions);
    home.run(["new", "weather", "--from", "weather.py"]).ok();
    home.write("weather/helper.py", tests);
    home.write(
        "weather/test_weather.py",
        "URL = 'https://test.example.com/'\n",
    );
    let hint = "hint: the sources use what tool.toml does not ask for:\n  \
                weather.py:7: https://api.example.com\n  \
                weather.py:20: the file `/notes/cities.txt`\n  \
                weather.py:22: the variable `API_KEY`\n\
                a call is denied it; to ask for it, write these lines in tool.toml:\n\
                [capabilities]\n\
                network = [\"https://api.example.com\"]\n\
                directories = [{ name = \"notes\", access = \"read\", why = \"say here what it is for\" }]\n\
                variables = [{ name = \"API_KEY\", secret = true, why = \"say here what it is for\" }]\n";
    let manifest = home.work().join("weather/tool.toml");
    let before = std::fs::read_to_string(&manifest).expect("the manifest");
    for command in ["build weather", "check weather"] {
        let told = home.tool(command);
        told.ok();
        assert!(
            told.stderr().ends_with(hint),
            "{command}: {}",
            told.stderr()
        );
    }
    let after = std::fs::read_to_string(&manifest).expect("the manifest");
    assert_eq!(before, after, "the author writes it");

    // A directory that is asked for is itself no file beside it.
    let asked = "\n[capabilities]\ndirectories = [{ name = \"notes\", access = \"read\", why = \"cities\" }]\n";
    home.write("weather/tool.toml", format!("{before}{asked}"));
    let itself = "from pathlib import Path\n\nNOTES = Path(\"/notes\")\n\n\n";
    home.write("weather/weather.py", format!("{itself}{functions}"));
    let told = home.tool("check weather").stderr();
    assert!(told.contains("the variable `API_KEY`"), "{told}");
    assert!(!told.contains("the file"), "{told}");
    home.write("weather/weather.py", functions);

    // What the hint says is right, as it stands.
    let (_, lines) = hint.split_once("tool.toml:\n").expect("lines");
    home.write("weather/tool.toml", format!("{before}\n{lines}"));
    for command in ["build weather", "check weather"] {
        let told = home.tool(command);
        told.ok();
        assert!(
            !told.stderr().contains("hint: "),
            "{command}: {}",
            told.stderr()
        );
    }
    // What was asked for stays in the proposal.
    edit(
        &home,
        "weather/weather.py",
        "api.example.com/v2",
        "other.example.com",
    );
    let told = home.tool("build weather").stderr();
    assert!(
        told.ends_with(
            "weather.py:8: https://other.example.com\n\
             a call is denied it; to ask for it, write these lines in tool.toml:\n\
             [capabilities]\n\
             network = [\"https://api.example.com\", \"https://other.example.com\"]\n"
        ),
        "{told}"
    );
}

const TYPESCRIPT: &str = "
// https://comment.example.com
const places = [
  PLACES
];

/**
 * Says where to look, as https://docs.example.com/ does.
 *
 * @param city Where.
 * @returns An address.
 */
export function where(city: string): string {
  return `${places[0]}/${city}`;
}
";

fn for_javascript() {
    let home = Home::new();
    let places: Vec<String> = (0..20)
        .map(|index| {
            format!("\"https://p{index:02}.example.com/\", `https://${{0}}.example.com/`,")
        })
        .collect();
    home.write("where.ts", TYPESCRIPT.replace("PLACES", &places.join("\n")));
    home.run(["new", "where", "--from", "where.ts"]).ok();
    let built = home.tool("build where");
    built.ok();
    let told = built.stderr();
    assert_eq!(told.matches("\nhint: ").count(), 1, "{told}");
    assert!(
        told.contains("\n  where.ts:4: https://p00.example.com\n"),
        "{told}"
    );
    assert!(
        told.contains("network = [\"https://p00.example.com\", "),
        "{told}"
    );
    assert_eq!(told.matches("\n  where.ts:").count(), 10, "{told}");
    for other in ["p10.example.com", "comment", "docs.example.com"] {
        assert!(!told.contains(other), "{other} in {told}");
    }
}

fn for_rust() {
    let home = Home::new();
    home.run(["new", "greeter", "--lang", "rust"]).ok();
    edit(
        &home,
        "greeter/src/lib.rs",
        "        match language",
        "        let _ = std::fs::write(\"/notes/names.txt\", &name);\n        \
         let _ = \"https://api.example.com/names\";\n        match language",
    );
    let built = home.tool("build greeter");
    built.ok();
    let told = built.stderr();
    for expected in [
        "  src/lib.rs:11: the file `/notes/names.txt`\n",
        "  src/lib.rs:12: https://api.example.com\n",
        "network = [\"https://api.example.com\"]\n",
        "directories = [{ name = \"notes\", access = \"read-write\", ",
    ] {
        assert!(told.contains(expected), "{expected} in {told}");
    }
}
