//! Tests of reading functions from JavaScript and TypeScript: schemas, comments, exports, errors.

use serde_json::{Value, json};

use crate::{Definition, FaultKind, Language, read};

#[track_caller]
fn definition(text: &str, language: Language) -> Definition {
    let functions = read(text, language).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let [function] = &functions[..] else {
        panic!("one function: {functions:?}");
    };
    let definition = function.definition.clone();
    definition.unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

/// The schema of a parameter with a type in TypeScript, without its description.
#[track_caller]
fn check(of: &str, expected: Value) {
    let text = format!("{DECLARED}\n/** F.\n * @param a A. */\nexport function f(a: {of}) {{}}");
    let mut definition = definition(&text, Language::TypeScript);
    let schema = definition.parameters["properties"]["a"].as_object_mut();
    let schema = schema.expect("a schema");
    assert_eq!(schema.remove("description"), Some(json!("A.")), "{of}");
    assert_eq!(Value::Object(schema.clone()), expected, "{of}");
}

const DECLARED: &str = r#"
interface Base { /** Its name. */ name: string }
export interface Spot extends Base { height?: number; tags: string[] }
type Unit = "celsius" | "fahrenheit";
type Tree = { children: Tree[] };
enum Level { Low, Middle = 5, High }
enum Word { Yes = "yes", No = "no" }
"#;

#[test]
fn types_have_schemas() {
    for (of, expected) in [
        ("string", json!({"type": "string"})),
        ("number", json!({"type": "number"})),
        ("boolean", json!({"type": "boolean"})),
        ("bigint", json!({"type": "integer"})),
        ("any", json!({})),
        ("unknown", json!({})),
        ("object", json!({"type": "object"})),
        ("null", json!({"type": "null"})),
        (
            "string[]",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "readonly number[]",
            json!({"type": "array", "items": {"type": "number"}}),
        ),
        (
            "Array<Array<boolean>>",
            json!({"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}),
        ),
        (
            "[string, number]",
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}),
        ),
        (
            "[x: string, y: number]",
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}),
        ),
        ("'a' | \"b\"", json!({"type": "string", "enum": ["a", "b"]})),
        (
            "'a' | null",
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        ("1 | -2", json!({"type": "number", "enum": [1, -2]})),
        ("true | false", json!({"type": "boolean"})),
        ("string | null", json!({"type": ["string", "null"]})),
        (
            "string | number | undefined",
            json!({"type": ["string", "number"]}),
        ),
        (
            "string | string[]",
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        ),
        ("`x${string}`", json!({"type": "string"})),
        (
            "Record<string, number>",
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
        ),
        (
            "{ [name: string]: boolean }",
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        ),
        (
            "{ a: string; b?: number }",
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]}),
        ),
        (
            "{ a: string } & { b: 'x' }",
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "enum": ["x"]}}, "required": ["a", "b"]}),
        ),
        (
            "Unit",
            json!({"type": "string", "enum": ["celsius", "fahrenheit"]}),
        ),
        ("Level", json!({"type": "number", "enum": [0, 5, 6]})),
        ("Word", json!({"type": "string", "enum": ["yes", "no"]})),
        (
            "Partial<Base>",
            json!({"type": "object", "properties": {"name": {"type": "string", "description": "Its name."}}}),
        ),
        (
            "Spot",
            json!({"type": "object", "properties": {
            "name": {"type": "string", "description": "Its name."},
            "height": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
        }, "required": ["name", "tags"]}),
        ),
        ("(string)", json!({"type": "string"})),
    ] {
        check(of, expected);
    }
}

#[test]
fn what_a_type_lacks_is_told() {
    for (of, expected) in [
        ("Date", "uses the type `Date`, which has no schema in JSON"),
        (
            "Map<string, string>",
            "uses the type `Map<string, string>`, which has no schema in JSON",
        ),
        (
            "() => void",
            "uses the type `() => void`, which has no schema in JSON",
        ),
        (
            "Missing",
            "names `Missing` in a type, which the file does not define",
        ),
        (
            "Tree",
            "uses the type `Tree`, which is nested too deep or refers to itself",
        ),
        (
            "{ f(): void }",
            "uses the type `f(): void`, which has no schema in JSON",
        ),
    ] {
        let text =
            format!("{DECLARED}\n/** F.\n * @param a A. */\nexport function f(a: {of}) {{}}");
        let functions = read(&text, Language::TypeScript).expect("TypeScript");
        let fault = functions[0].definition.clone().expect_err(of);
        let message = fault.kind.to_string();
        assert!(
            message.ends_with(&expected[expected.len().min(30)..]) || message == expected,
            "{of}: {message}"
        );
    }
}

#[test]
fn comments_say_what_javascript_does_not() {
    let text = r#"
/**
 * @typedef {Object} Place
 * @property {string} city - Where it is.
 * @property {number} [height] How high.
 */

/**
 * Tells the weather
 * of a place.
 *
 * @param {Place} place - The place,
 *   which has a name.
 * @param {?string} note The note.
 * @param {("celsius"|"fahrenheit")} [unit=celsius] - The unit.
 * @param {Array.<integer>} days - The days.
 * @param {Object} more - More of it.
 * @param {boolean} more.exact - Whether exactly.
 * @param {*=} rest - Whatever.
 * @returns {Promise<string[]>} One line a day.
 */
export async function tellWeather(place, note, unit = "celsius", days, { exact }, rest) {}
"#;
    let found = definition(text, Language::JavaScript);
    assert_eq!(found.name, "tellWeather");
    assert_eq!(found.description, "Tells the weather\nof a place.");
    assert_eq!(
        found.parameters,
        json!({
            "type": "object",
            "properties": {
                "place": {"type": "object", "properties": {
                    "city": {"type": "string", "description": "Where it is."},
                    "height": {"type": "number", "description": "How high."},
                }, "required": ["city"], "description": "The place, which has a name."},
                "note": {"type": ["string", "null"], "description": "The note."},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "The unit."},
                "days": {"type": "array", "items": {"type": "integer"}, "description": "The days."},
                "more": {"type": "object", "properties": {
                    "exact": {"type": "boolean", "description": "Whether exactly."},
                }, "required": ["exact"], "description": "More of it."},
                "rest": {"description": "Whatever."},
            },
            "required": ["place", "note", "days", "more"],
        })
    );
    assert_eq!(
        found.output,
        Some(
            json!({"type": "array", "items": {"type": "string"}, "description": "One line a day."})
        )
    );
}

#[test]
fn what_is_exported_is_offered() {
    let text = r#"
/** A. */
function a() {}
/** B. */
export const b = () => 1, c = function () {};
/** D. */
export default function d() {}
/** E. */
export function _e() {}
const g = 1;
export { a as first, g };
export { x } from "./x.js";
"#;
    let functions = read(text, Language::JavaScript).expect("JavaScript");
    let names: Vec<&str> = functions.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["b", "c", "first"]);
    assert_eq!(functions[2].position.to_string(), "3:10");
}

#[test]
fn what_is_missing_is_told() {
    for (text, expected) in [
        ("export function f() {}", FaultKind::NoDescription),
        ("// F.\nexport function f() {}", FaultKind::NoDescription),
        (
            "/** F. */ export function f(a) {}",
            FaultKind::NoType {
                parameter: "a".to_owned(),
            },
        ),
        (
            "/** F. */ export function f(a = 1) {}",
            FaultKind::NoParameterDescription {
                parameter: "a".to_owned(),
            },
        ),
    ] {
        let functions = read(text, Language::JavaScript).expect("JavaScript");
        let fault = functions[0].definition.clone().expect_err(text);
        assert_eq!(fault.kind, expected, "{text}");
    }
    let broken = read("export function (", Language::TypeScript).expect_err("no TypeScript");
    assert!(
        broken.to_string().contains("this is no TypeScript"),
        "{broken}"
    );
}

#[test]
fn hostile_files_end() {
    let doubling: String = (0..30)
        .map(|it| format!("type A{it} = [A{}, A{}];\n", it + 1, it + 1))
        .collect();
    let _ = read(
        &format!("{doubling}/** F. @param a A */ export function f(a: A0) {{}}"),
        Language::TypeScript,
    );
    for of in [
        "{".repeat(9_000),
        format!("{}string", "(".repeat(9_000)),
        format!("{}string", "'a' | ".repeat(9_000)),
        format!("string{}", "[]".repeat(9_000)),
        format!("A{}", "<A".repeat(5_000)),
    ] {
        let typed = format!("/** F. @param a A */ export function f(a: {of}) {{}}");
        let _ = read(&typed, Language::TypeScript);
        let documented = format!("/** F.\n * @param {{{of}}} a A */ export function f(a) {{}}");
        let _ = read(&documented, Language::JavaScript);
    }
}

#[test]
fn comments_on_members_and_values_are_told() {
    let text = r#"
enum Way {
  /** On two
   * wheels. */
  Bike = "bike",
  Foot = "foot",
}
interface Stop {
  /** Where. */
  city: string;
  /** How to get there. */
  by?: Way | null;
}
/**
 * Plans a trip.
 * @param by - How to travel.
 * @param stops - Where to go.
 */
export function plan(by: Way, stops: Stop[]) {}
"#;
    let found = definition(text, Language::TypeScript);
    assert_eq!(
        found.parameters["properties"],
        json!({
            "by": {
                "type": "string", "enum": ["bike", "foot"],
                "description": "How to travel.\n- `bike`: On two wheels.",
            },
            "stops": {"type": "array", "items": {"type": "object", "properties": {
                "city": {"type": "string", "description": "Where."},
                "by": {
                    "type": ["string", "null"], "enum": ["bike", "foot", null],
                    "description": "How to get there.\n- `bike`: On two wheels.",
                },
            }, "required": ["city"]}, "description": "Where to go."},
        })
    );
}

#[test]
fn what_only_a_run_tells_is_said() {
    let imports = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nimport { z } from 'zod';\nimport { tool } from 'ai';\nconst server = new McpServer({});\nconst KNOWN = 'Known.';\n";
    for (text, is_known) in [
        (
            "server.tool('a', KNOWN, { n: z.number().describe(KNOWN) }, f);",
            true,
        ),
        ("server.tool('a', `Of ${process.pid}`, {}, f);", false),
        ("server.tool(`a${process.pid}`, 'A.', {}, f);", false),
        (
            "server.tool('a', 'A.', { n: z.number().describe(text()) }, f);",
            false,
        ),
        (
            "server.tool('a', 'A.', { n: z.number().min(least()) }, f);",
            false,
        ),
        (
            "server.registerTool('a', { description: text() }, f);",
            false,
        ),
        (
            "export const a = tool({ description: text(), inputSchema: z.object({}), execute: f });",
            false,
        ),
    ] {
        let found = crate::read(&format!("{imports}{text}"), Language::TypeScript);
        let found = found.expect("TypeScript");
        let [only] = &found[..] else {
            panic!("{text}: {found:?}");
        };
        match &only.definition {
            Ok(_) => assert!(is_known, "{text}"),
            Err(fault) => {
                let told = fault.to_string();
                let reason = "only known when the file runs";
                assert!(!is_known && told.contains(reason), "{text}: {told}");
            }
        }
    }
}
