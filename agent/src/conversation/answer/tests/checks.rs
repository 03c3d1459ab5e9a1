//! Tests of checking calls against the offered functions, and of repairing them.

use serde_json::{Value, json};
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::conversation::answer::CheckedCall;
use crate::conversation::answer::check;
use crate::conversation::message::ToolCall;

fn offered() -> Vec<FunctionSpec> {
    let schema = json!({
        "type": "object",
        "properties": {
            "to": {"type": "array", "items": {"$ref": "#/$defs/person"}},
            "count": {"type": "integer"},
            "how": {"enum": ["fast", "slow"]},
        },
        "required": ["to"],
        "additionalProperties": false,
        "$defs": {"person": {
            "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
        }},
    });
    let spec = |name: &str| FunctionSpec {
        name: name.to_owned(),
        title: None,
        description: String::new(),
        input_schema: schema.clone(),
        output_schema: None,
        annotations: Annotations::default(),
    };
    vec![spec("send_mail"), spec("read_mail")]
}

fn call(name: &str, arguments: Value) -> Result<CheckedCall, String> {
    let Value::Object(arguments) = arguments else {
        panic!("{arguments}");
    };
    let call = ToolCall {
        id: None,
        name: name.to_owned(),
        arguments,
    };
    check(call, &offered()).map_err(|problem| problem.to_string())
}

#[track_caller]
fn refused(name: &str, arguments: Value, expect: &str) {
    assert_eq!(call(name, arguments).unwrap_err(), expect);
}

#[test]
fn what_is_right_stays_as_it_is() {
    let arguments = json!({"to": [{"name": "Ann"}], "count": 2, "how": "fast"});
    let checked = call("send_mail", arguments.clone()).unwrap();
    assert_eq!(checked.note, None);
    assert_eq!(Value::Object(checked.call.arguments), arguments);
}

#[test]
fn what_is_nearly_right_is_read_as_it_was_meant() {
    let checked = call("send_mail", json!({"to": {"name": "Ann"}, "count": "2"})).unwrap();
    let meant = json!({"to": [{"name": "Ann"}], "count": 2});
    assert_eq!(Value::Object(checked.call.arguments), meant);
    assert!(
        checked
            .note
            .unwrap()
            .starts_with("Some arguments were read differently")
    );
}

#[test]
fn a_function_that_was_not_offered_is_told_with_the_nearest() {
    refused(
        "send_mial",
        json!({}),
        "`send_mial` failed (unknown function): no function of that name was offered\n\
         To mend it: call `send_mail`, if that is what you meant\n\
         Call one of the functions that are offered.",
    );
    refused(
        "delete",
        json!({}),
        "`delete` failed (unknown function): no function of that name was offered\n\
         To mend it: call `send_mail`, `read_mail`\n\
         Call one of the functions that are offered.",
    );
}

#[test]
fn arguments_are_told_where_they_are_wrong() {
    for (arguments, message, fix) in [
        (
            json!({}),
            "`to` is missing",
            "give `to`: an array, each item a value",
        ),
        (
            json!({"to": [{"name": "Ann"}, {}]}),
            "`to[1].name` is missing",
            "give `to[1].name`: a string",
        ),
        (
            json!({"to": [], "count": "many"}),
            "expected an integer as `count`, found `\"many\"`",
            "give an integer as `count`",
        ),
        (
            json!({"to": [], "how": "soon"}),
            "expected one of `\"fast\"`, `\"slow\"` as `how`, found `\"soon\"`",
            "give one of `\"fast\"`, `\"slow\"` as `how`",
        ),
        (
            json!({"to": [], "cc": 1}),
            "unexpected argument `cc`: expected one of `to`, `count`, `how`",
            "leave `cc` out",
        ),
    ] {
        refused(
            "send_mail",
            arguments,
            &format!(
                "`send_mail` failed (invalid argument): {message}\nTo mend it: {fix}\n\
                 Call again with changed arguments."
            ),
        );
    }
}
