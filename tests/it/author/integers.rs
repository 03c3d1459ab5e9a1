//! A test of 64-bit integers in plain functions in JavaScript, whose numbers hold them to 2^53.

use serde_json::{Value, json};

use crate::support::loading::load;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::integers_in_javascript", integers_in_javascript)
            .needs(&[Need::JavascriptGuest]),
    ]
}

const COUNTS: &str = r#"
/**
 * Doubles a count.
 *
 * @param {integer} count What is counted.
 * @param {bigint[]} [more] Further counts, which are added.
 * @returns {integer} Twice as many.
 */
export function twice(count, more = []) {
  return more.reduce((sum, one) => sum + Number(one), count) * 2;
}

/**
 * Raises two to a power.
 *
 * @param {integer} power How often it is doubled.
 * @returns {bigint} The power of two.
 */
export function power(power) {
  return 2n ** BigInt(power);
}
"#;

/// Integers of 64 bits go in and out, up to what a number holds.
fn integers_in_javascript() {
    let home = Home::new();
    home.write("counts.js", COUNTS);
    home.tool("new counts --from counts.js").ok();
    home.tool("build counts").ok();
    load(&home, "./counts", &[]);
    let call = |function: &str, arguments: Value, more: &[&str]| {
        let (function, arguments) = (format!("counts.{function}"), arguments.to_string());
        let command = ["call", &function, "--json-args", &arguments];
        home.run(command.iter().chain(more))
    };
    for (function, arguments, expected) in [
        ("twice", json!({"count": 21}), "42"),
        ("twice", json!({"count": -21, "more": [1, 2]}), "-36"),
        ("power", json!({"power": 52}), "4503599627370496"),
    ] {
        let answer = call(function, arguments, &[]);
        assert_eq!(answer.ok().trim_end(), expected, "{function}");
    }
    let largest = (1_u64 << 53) - 1;
    for (function, arguments, found) in [
        ("power", json!({"power": 53}), "9007199254740992"),
        ("twice", json!({"count": largest}), "18014398509481982"),
    ] {
        let failed = call(function, arguments, &["--json"]);
        assert_eq!(failed.code(), 1, "{}", failed.stderr());
        let failed: Value = serde_json::from_str(&failed.stdout()).expect("JSON");
        let message = failed["failure"]["message"].as_str().expect("a message");
        let said = format!("RangeError: the function returned {found} where its type says");
        assert!(message.starts_with(&said), "{message}");
    }
}
