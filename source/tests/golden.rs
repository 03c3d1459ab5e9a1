//! Compares the schemas of Python functions in `tests/python` with recorded ones of Transformers.
//! The file `tests/python/golden.jsonl` is what `tests/oracles/get_json_schema.py` printed.

mod table;

use table::{GOLDEN, differences};

#[test]
fn functions_say_what_transformers_says_of_them() {
    let (counts, differences) = differences(GOLDEN);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(counts.same >= 150 && counts.refused >= 60, "{counts}");
}
