//! Tests of tools made of plain functions, in each language: agents get their types and comments.

use serde_json::{Value, json};

use super::edit;
use crate::support::loading::load;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::plain_functions_in_python", in_python).needs(&[Need::PythonGuest]),
        test("author::plain_functions_in_javascript", in_javascript)
            .needs(&[Need::JavascriptGuest]),
        test("author::plain_functions_in_rust", in_rust).needs(&[Need::RustGuests]),
        test(
            "author::what_is_told_of_functions",
            what_is_told_of_functions,
        ),
        test(
            "author::functions_that_say_too_little",
            functions_that_say_too_little,
        ),
        test(
            "author::a_project_of_functions_says_what_is_wrong",
            a_project_of_functions_says_what_is_wrong,
        ),
    ]
}

const PYTHON: &str = r#"
"""Trips."""

from enum import Enum
from typing import Literal, Optional


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


def plan(
    cities: list[str],
    nights: int = 1,
    mood: Mood = Mood.CALM,
    by: Literal["train", "car"] = "train",
    extra: Optional[dict[str, int]] = None,
) -> list[str]:
    """Plans a trip.

    Args:
        cities: Where to go.
        nights: How long to stay.
        mood: What it should be like.
        by: How to travel.
        extra: Anything else.

    Returns:
        One line a city.
    """
    if not cities:
        raise ValueError("a trip has at least one city")
    return [f"{city}: {nights} {mood.name} {by} {extra}" for city in cities]


def _helper(a):
    return a
"#;

const TYPESCRIPT: &str = r#"
type Mood = "calm" | "wild";
interface Stop { /** The town. */ city: string; nights_min?: number }

/**
 * Plans a trip.
 *
 * @param cities - Where to go.
 * @param nights - How long to stay.
 * @param mood - What it should be like.
 * @param by - How to travel.
 * @param extra - Anything else.
 * @returns One line a city.
 */
export function plan(
  cities: Stop[],
  nights: number | null = 1,
  mood: Mood = "calm",
  by: "train" | "car" = "train",
  extra?: Record<string, number>,
): string[] {
  if (cities.length === 0) {
    throw new Error("a trip has at least one city");
  }
  return cities.map((stop) => `${stop.city}: ${stop.nights_min ?? nights} ${mood} ${by} ${JSON.stringify(extra)}`);
}
"#;

const RUST: &str = r#"
//! Trips.

use std::collections::HashMap;

/// A stop.
pub struct Stop {
    /// The town.
    pub city: String,
    pub nights_min: Option<u8>,
}

#[derive(Debug)]
pub enum Mood {
    Calm,
    QuiteWild,
}

/// Plans a trip.
///
/// # Arguments
/// * `cities` - Where to go.
/// * `mood` - What it should be like.
/// * `by` - How to travel.
/// * `extra` - Anything else.
///
/// # Returns
/// One line a city.
pub fn plan(
    cities: Vec<Stop>,
    mood: Option<Mood>,
    by: Option<&str>,
    extra: HashMap<String, i32>,
) -> Result<Vec<String>, std::fmt::Error> {
    if cities.is_empty() {
        return Err(std::fmt::Error);
    }
    let line = |stop: &Stop| {
        let nights = stop.nights_min.unwrap_or(1);
        let (mood, by) = (mood.as_ref().unwrap_or(&Mood::Calm), by.unwrap_or("train"));
        format!("{}: {nights} {mood:?} {by} {extra:?}", stop.city)
    };
    Ok(cities.iter().map(line).collect())
}

#[test]
fn nobody_goes_nowhere() {
    assert!(plan(Vec::new(), None, None, HashMap::new()).is_err());
}
"#;

/// Makes a project of a file, builds it, and changes what the file says.
#[track_caller]
fn plain(file: &str, text: &str, calls: &[(Value, &str)], failure: (Value, &str)) {
    let home = Home::new();
    home.write(file, text);
    home.run(["new", "trips", "--from", file]).ok();
    let kept = std::fs::read_to_string(home.work().join("trips").join(file)).expect("the file");
    assert_eq!(kept, text);
    assert!(!home.work().join("trips/wit").exists());
    home.tool("build trips").ok();
    load(&home, "./trips", &[]);
    // Transformers knows no types with members.
    if text.contains("The town.") {
        let offered = home.tool("export --format mcp").json().to_string();
        let told = r#""city":{"type":"string","description":"The town."}"#;
        assert!(offered.contains(told), "{offered}");
    }
    for (arguments, expected) in calls {
        let answer = home.run(["call", "trips", "--json-args", &arguments.to_string()]);
        assert_eq!(answer.ok().trim_end(), *expected);
    }
    let (arguments, message) = failure;
    let failed = home.run([
        "call",
        "trips",
        "--json-args",
        &arguments.to_string(),
        "--json",
    ]);
    assert_eq!(failed.code(), 1, "{}", failed.stderr());
    let failed: Value = serde_json::from_str(&failed.stdout()).expect("JSON");
    assert_eq!(failed["failure"]["message"], message);

    edit(
        &home,
        &format!("trips/{file}"),
        "Plans a trip.",
        "Plans a journey.",
    );
    let stale = home.tool("check trips --json").json();
    let remark = stale["remarks"][0]["message"].as_str().expect("a remark");
    assert!(
        remark.contains(&format!("{file} was changed since")),
        "{remark}"
    );
    home.tool("build trips").ok();
    let manifest = std::fs::read_to_string(home.work().join("trips/dist/tool.toml"));
    let manifest = manifest.expect("the manifest");
    assert!(
        manifest.contains("Plans a journey.\n\nReturns: One line a city."),
        "{manifest}"
    );
}

fn in_python() {
    plain(
        "trips.py",
        PYTHON,
        &[
            (json!({"cities": ["Ulm"]}), r#"["Ulm: 1 CALM train None"]"#),
            (
                json!({"cities": ["Ulm"], "nights": 2, "mood": "wild", "by": "car", "extra": "{\"a\": 1}"}),
                r#"["Ulm: 2 WILD car {'a': 1}"]"#,
            ),
        ],
        (
            json!({"cities": []}),
            "ValueError: a trip has at least one city",
        ),
    );
}

fn in_javascript() {
    plain(
        "trips.ts",
        TYPESCRIPT,
        &[
            (
                json!({"cities": [{"city": "Ulm"}]}),
                r#"["Ulm: 1 calm train undefined"]"#,
            ),
            (
                json!({"cities": [{"city": "Ulm", "nights_min": 2}], "mood": "wild", "by": "car", "extra": "{\"a\": 1}"}),
                r#"["Ulm: 2 wild car {\"a\":1}"]"#,
            ),
        ],
        (json!({"cities": []}), "Error: a trip has at least one city"),
    );
}

fn in_rust() {
    plain(
        "trips.rs",
        RUST,
        &[
            (
                json!({"cities": [{"city": "Ulm"}], "extra": "{}"}),
                r#"["Ulm: 1 Calm train {}"]"#,
            ),
            (
                json!({"cities": [{"city": "Ulm", "nights_min": 2}], "mood": "quite_wild", "by": "car", "extra": "{\"a\": 1}"}),
                r#"["Ulm: 2 QuiteWild car {\"a\": 1}"]"#,
            ),
        ],
        (
            json!({"cities": [], "extra": "{}"}),
            "an error occurred when formatting an argument",
        ),
    );
}

fn what_is_told_of_functions() {
    let home = Home::new();
    home.write("trips.py", PYTHON);
    let told = home.tool("schema trips.py").json();
    assert_eq!(told[0]["type"], "function");
    let function = &told[0]["function"];
    assert_eq!(function["name"], "plan");
    assert_eq!(function["parameters"]["required"], json!(["cities"]));
    assert_eq!(
        function["parameters"]["properties"]["extra"],
        json!({
            "type": "object", "additionalProperties": {"type": "integer"}, "nullable": true,
            "description": "Anything else.",
        })
    );
    assert_eq!(function["return"]["description"], "One line a city.");
    let told = home.tool("schema trips.py plan --format anthropic").json();
    assert_eq!(told[0]["input_schema"]["required"], json!(["cities"]));
    let told = home.tool("schema trips.py --format typescript").ok();
    assert!(told.contains("plan"), "{told}");
    let refused = home.tool("schema trips.py fly");
    assert_eq!(
        refused.stderr(),
        "error: trips.py offers no function `fly`\nhint: it offers plan\n"
    );
}

fn functions_that_say_too_little() {
    let home = Home::new();
    home.write(
        "bare.py",
        "def first(a: int):\n    pass\n\n\ndef second(a, b: set):\n    'Does it.'\n",
    );
    home.write("broken.ts", "export function (");
    home.write("nothing.rs", "fn hidden() {}\n");
    for (command, said) in [
        (
            "schema bare.py",
            "error: 2 functions of bare.py cannot be described to a model\n\
             caused by: bare.py:1:5: `first` has no description\n\
             bare.py:5:12: `second` does not say which type its parameter `a` has\n\
             hint: write what it does, what it returns and what each argument is in a comment that documents it\n",
        ),
        (
            "new bare --from bare.py",
            "error: 2 functions of bare.py cannot be described to a model\n",
        ),
        ("schema broken.ts", "error: broken.ts:1:"),
        (
            "schema nothing.rs",
            "error: nothing.rs offers no function\n\
             caused by: nothing.rs:1:1: `hidden` is not `pub`\nhint: write `pub` before `fn`\n",
        ),
        (
            "schema tool.toml",
            "error: tool.toml is not in a language whose functions can be read\n\
             hint: give a file whose name ends in .py, .js, .mjs, .ts, .mts, .rs\n",
        ),
        ("schema nowhere.py", "error: nowhere.py cannot be read\n"),
        (
            "new bare --lang rust --from bare.py",
            "error: bare.py is written in python\nhint: leave --lang out, or write --lang python\n",
        ),
    ] {
        let refused = home.tool(command);
        assert_eq!(refused.code(), 1, "{command}");
        assert!(
            refused.stderr().starts_with(said),
            "{command}: {}",
            refused.stderr()
        );
        assert_eq!(refused.stdout(), "");
    }
    assert!(!home.work().join("bare").exists());
}

fn a_project_of_functions_says_what_is_wrong() {
    let home = Home::new();
    home.write("wait.js", "/** Waits. */\nexport function wait() {}\n");
    home.tool("new wait --from wait.js").ok();
    edit(&home, "wait/tool.toml", "\"javascript\"", "\"rust\"");
    let refused = home.tool("build wait");
    assert_eq!(
        refused.stderr(),
        "error: tool.toml says that the tool is in another language than wait.js\n\
         hint: write the language of the file as `language` in [build]\n"
    );
}
