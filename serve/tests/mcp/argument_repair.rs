//! Tests that nearly right calls are made as they were meant, and others get an example.

use serde_json::{Value, json};

use crate::support::{Era, Person, Session};

#[tokio::test(flavor = "multi_thread")]
async fn nearly_right_calls_are_made_as_they_were_meant() {
    let session = Session::open(Era::Session, Person::absent()).await;
    for (function, arguments, structured, note) in [
        (
            "add",
            json!({"a": "1", "b": 2}),
            json!({"result": 3}),
            "`a` as a number",
        ),
        (
            "bounds",
            json!({"Low": 1, "high": "-2"}),
            json!({"low": 1, "high": -2}),
            "`Low` as `low`; `high` as a number",
        ),
        (
            "echo",
            json!({"text": 42}),
            json!({"result": "42"}),
            "`text` as a string",
        ),
    ] {
        let result = session.call(function, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["structuredContent"], structured);
        let note =
            format!("Some arguments were read differently from how they were written: {note}.");
        assert_eq!(result["content"][1]["text"], note);
        assert_eq!(
            result["content"][1]["annotations"]["audience"],
            json!(["assistant"])
        );
        assert_eq!(result["content"].as_array().unwrap().len(), 2);
    }
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_cannot_be_mended_is_answered_with_an_example() {
    let session = Session::open(Era::Session, Person::absent()).await;
    let result = session.call("add", json!({"a": "1", "b": "two"})).await;
    assert_eq!(
        result["content"][0]["text"],
        "`guest__add` failed (invalid argument): argument `b` should be a whole number from 0 \
         to 4294967295, not the string \"two\"\n\
         To mend it: arguments of the right form are, for example, {\"a\":1,\"b\":1}\n\
         Call again with changed arguments.",
    );
    // What the tool itself says of its arguments stays as it says it, and is said once.
    let refused = session.call("refuse", json!({"text": "no"})).await;
    assert_eq!(
        refused["content"],
        json!([{
            "type": "text",
            "text": "`guest__refuse` failed: no\nDo not repeat this call unchanged.",
        }])
    );
    assert_eq!(refused["structuredContent"], Value::Null);
    session.close().await;
}
