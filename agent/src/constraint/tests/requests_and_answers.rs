//! Tests of constraints for calls, of the members of requests to servers, and of checked answers.

use super::*;
use crate::definition::export::from_strict;

#[test]
fn calls_are_of_the_functions_that_were_chosen() {
    let add = spec(
        "add",
        json!({"type": "object", "properties": {"to": {"$ref": "#/$defs/n"}},
        "required": ["to"], "additionalProperties": false, "$defs": {"n": {"type": "boolean"}}}),
    );
    let specs = [weather(), add];
    let matchers = |choice| Matchers::of(&Constraint::calls(&specs, &choice).unwrap().unwrap());
    let call = r#"{"name":"add","arguments":{"to":true}}"#;
    let other =
        r#"{"name": "get_weather", "arguments": {"location": "Brooklyn", "format": "celsius"}}"#;
    let answer = r#"{"answer":"It rains."}"#;
    for (choice, expect) in [
        (ToolChoice::Auto, [true, true, true]),
        (ToolChoice::Required, [true, true, false]),
        (ToolChoice::Named("add".to_owned()), [true, false, false]),
        (
            ToolChoice::Among {
                names: vec!["get_weather".to_owned()],
                is_required: false,
            },
            [false, true, true],
        ),
    ] {
        let matchers = matchers(choice);
        for (text, is_accepted) in [call, other, answer].into_iter().zip(expect) {
            matchers.agree(text, is_accepted);
        }
        matchers.agree(r#"{"name":"add","arguments":{"to":1}}"#, false);
        matchers.agree(r#"{"name":"get_weather","arguments":{"to":true}}"#, false);
    }
    assert_eq!(Constraint::calls(&specs, &ToolChoice::Nothing), Ok(None));
    assert_eq!(Constraint::calls(&[], &ToolChoice::Auto), Ok(None));
    assert_eq!(
        Constraint::calls(&[], &ToolChoice::Required),
        Err(ConstraintError::NoFunctions)
    );
    let unknown = Constraint::calls(&specs, &ToolChoice::Named("sub\n".to_owned()));
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "`tool_choice` names `sub\\n`, which is not in `tools`"
    );
}

#[test]
fn a_loss_is_told_of_the_function_that_it_concerns() {
    let odd = spec(
        "odd",
        json!({"type": "object", "properties": {"n": {"type": "number", "multipleOf": 2.5}}}),
    );
    for (specs, choice) in [
        (vec![weather(), odd.clone()], ToolChoice::Auto),
        (vec![odd], ToolChoice::Required),
    ] {
        let constraint = Constraint::calls(&specs, &choice).unwrap().unwrap();
        let losses = constraint.compile(Format::Lark).unwrap().losses;
        assert_eq!(
            losses[0].to_string(),
            "odd: `multipleOf` at `/properties/n` is weakened"
        );
    }
}

#[test]
fn every_server_gets_the_member_that_it_knows() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]});
    let any_of = json!({"anyOf": [{"type": "null"}, {"type": "boolean"}]});
    let strict = json!({"type": "object", "properties": {"a": {"type": "boolean"}},
        "required": ["a"], "additionalProperties": false});
    let named = |schema: &Value| json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
    let json = || Constraint::json_schema(schema.clone());
    let choice = || Constraint::choice(["yes", "no"]);
    for (constraint, backend, expect) in [
        (
            json(),
            Backend::Tgi,
            json!({"grammar": {"type": "json", "value": schema}}),
        ),
        (
            Constraint::json_schema(any_of.clone()),
            Backend::Tgi,
            json!({"grammar": {"type": "regex", "value": "null|true|false"}}),
        ),
        (
            Constraint::regex("a+"),
            Backend::Tgi,
            json!({"grammar": {"type": "regex", "value": "a+"}}),
        ),
        (
            choice(),
            Backend::Tgi,
            json!({"grammar": {"type": "regex", "value": "yes|no"}}),
        ),
        (
            json(),
            Backend::Vllm,
            json!({"structured_outputs": {"json": schema}}),
        ),
        (
            Constraint::regex("a+"),
            Backend::Vllm,
            json!({"structured_outputs": {"regex": "a+"}}),
        ),
        (
            choice(),
            Backend::Vllm,
            json!({"structured_outputs": {"choice": ["yes", "no"]}}),
        ),
        (
            Constraint::gbnf("root ::= \"a\""),
            Backend::Vllm,
            json!({"structured_outputs": {"grammar": "root ::= \"a\""}}),
        ),
        (json(), Backend::LlamaCpp, json!({"json_schema": schema})),
        (
            choice(),
            Backend::LlamaCpp,
            json!({"grammar": "root ::= \"yes\" | \"no\"\n"}),
        ),
        (
            Constraint::regex("a+"),
            Backend::LlamaCpp,
            json!({"grammar": "root ::= \"a\"+\n"}),
        ),
        (
            json(),
            Backend::Sglang,
            json!({"response_format": named(&schema)}),
        ),
        (choice(), Backend::Sglang, json!({"regex": "yes|no"})),
        (
            Constraint::gbnf("root ::= \"a\""),
            Backend::Sglang,
            json!({"ebnf": "root ::= \"a\""}),
        ),
    ] {
        let constrained = constraint.for_backend(backend).unwrap();
        assert_eq!(Value::Object(constrained.members), expect, "{backend}");
    }
    let mut expect = json!({ "response_format": named(&strict) });
    expect["response_format"]["json_schema"]["strict"] = true.into();
    let openai = json().for_backend(Backend::OpenAi).unwrap();
    assert_eq!(Value::Object(openai.members), expect);
}

#[test]
fn what_a_server_cannot_say_is_told_with_its_name() {
    let calls = Constraint::calls(&[weather()], &ToolChoice::Auto)
        .unwrap()
        .unwrap();
    let any_of = json!({"anyOf": [{"type": "null"}, {"type": "boolean"}]});
    for (constraint, backend, message) in [
        (
            Constraint::choice(["a"]),
            Backend::OpenAi,
            "openai does not support a choice of texts: say it as a JSON schema",
        ),
        (
            calls,
            Backend::OpenAi,
            "openai does not support a call of a function: send `tools` with `\"strict\": true`, and `tool_choice`",
        ),
        (
            Constraint::gbnf("root ::= \"a\""),
            Backend::Tgi,
            "tgi does not support a grammar in GBNF: say it as a regular expression or a JSON schema",
        ),
        (
            Constraint::lark("start: \"a\""),
            Backend::LlamaCpp,
            "llama.cpp does not support a grammar in lark: write the grammar in GBNF",
        ),
        (
            Constraint::json_schema(json!({"items": {}})),
            Backend::Tgi,
            "`json` is recursive, and no regular expression matches values of any depth",
        ),
        (
            Constraint::json_schema(any_of),
            Backend::OpenAi,
            "openai would refuse the schema: answer: `anyOf` at the root of the arguments will be refused",
        ),
    ] {
        assert_eq!(
            constraint.for_backend(backend).unwrap_err().to_string(),
            message
        );
    }
}

#[test]
fn names_of_formats_and_servers_read_back() {
    for &format in Format::ALL {
        assert_eq!(format.as_str().parse(), Ok(format));
    }
    for &backend in Backend::ALL {
        assert_eq!(backend.as_str().parse(), Ok(backend));
    }
    assert!("ebnf".parse::<Format>().is_err() && "vLLM".parse::<Backend>().is_err());
}

#[test]
fn what_comes_back_is_checked_all_the_same() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": 10}},
        "required": ["n"], "additionalProperties": false});
    let json = Constraint::json_schema(schema.clone());
    assert_eq!(json.check(" {\"n\": 3}\n"), Ok(json!({"n": 3})));
    let wrong =
        |constraint: &Constraint, answer: &str| constraint.check(answer).unwrap_err().to_string();
    assert_eq!(
        wrong(&json, r#"{"n": 12, "m": 1}"#),
        "The answer does not have the required form:\n\
         - `/n`: 12 is greater than the maximum of 10\n\
         - the answer itself: Additional properties are not allowed ('m' was unexpected)\n\
         Write it again with this corrected."
    );
    assert!(wrong(&json, "{\"n\": ").starts_with("The answer is not valid JSON: EOF"));
    let regex = Constraint::regex("a|b");
    assert_eq!(regex.check("b"), Ok(json!("b")));
    assert!(wrong(&regex, "ab").contains("matches all of `a|b`"));
    let choice = Constraint::choice(["yes", "no"]);
    assert_eq!(
        wrong(&choice, "maybe"),
        "The answer is not one of the choices. Write one of these and nothing else: \"yes\", \"no\"."
    );
    assert_eq!(
        Constraint::gbnf("root ::= \"a\"").check("x"),
        Ok(json!("x"))
    );
    // Under OpenAI's mode another schema is written.
    let optional = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let written = from_strict(&optional, json!({"n": null}));
    assert!(
        Constraint::json_schema(optional)
            .check(&written.to_string())
            .is_ok()
    );
}

#[test]
fn calls_are_read_and_held_against_their_function() {
    let calls = Constraint::calls(&[weather()], &ToolChoice::Auto)
        .unwrap()
        .unwrap();
    let read = calls
        .read_call(r#"{"name":"get_weather","arguments":{"location":"Rome","format":"celsius"}}"#);
    let Ok(CallOrAnswer::Call(call)) = read else {
        panic!("{read:?}");
    };
    assert_eq!(
        (call.name.as_str(), &call.arguments["location"]),
        ("get_weather", &json!("Rome"))
    );
    assert_eq!(
        calls.read_call(r#"{"answer": "No."}"#),
        Ok(CallOrAnswer::Answer("No.".to_owned()))
    );
    for (answer, message) in [
        (
            r#"{"name":"get_wether","arguments":{}}"#,
            "There is no function `get_wether`. Call one of: get_weather.",
        ),
        (
            "[]",
            "The answer is not a call. Write {\"name\": \"…\", \"arguments\": {…}}, or {\"answer\": \"…\"}, and nothing else.",
        ),
        (
            r#"{"name":"get_weather","arguments":{"location":"Rome","format":"kelvin"}}"#,
            "The answer does not have the required form:\n- `arguments/format`: \"kelvin\" is not one of \"celsius\" or \"fahrenheit\"\nWrite it again with this corrected.",
        ),
    ] {
        assert_eq!(calls.read_call(answer).unwrap_err().to_string(), message);
    }
    let named = Constraint::calls(&[weather()], &ToolChoice::Required)
        .unwrap()
        .unwrap();
    assert!(named.read_call(r#"{"answer": "No."}"#).is_err());
}

#[test]
fn a_grammar_is_in_the_format_that_its_rules_are_in() {
    for (grammar, format) in [
        ("# yes ::= no\nroot ::= \"a\"\n", Format::Gbnf),
        ("  root-1 ::=\n  \"a\"", Format::Gbnf),
        ("start: \"a\"\n", Format::Lark),
        ("start: \"a ::= b\"\n", Format::Lark),
    ] {
        let constraint = Constraint::gbnf_or_lark(grammar);
        assert_eq!(constraint.plain_format(), format, "{grammar}");
        assert_eq!(constraint.compile(format).unwrap().text, grammar);
    }
    let choice = Constraint::choice(["yes", "no"]);
    let plain = choice.compile(choice.plain_format()).unwrap();
    assert_eq!(plain.text, "yes|no");
}
