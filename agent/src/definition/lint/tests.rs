//! Tests of each rule of the lint, with a bad description and a mended one.

use serde_json::{Value, json};
use tool_hub_manifest::Annotations;

use super::*;

fn spec(name: &str, description: &str, properties: Value) -> FunctionSpec {
    FunctionSpec {
        name: name.to_owned(),
        title: None,
        description: description.to_owned(),
        input_schema: json!({"type": "object", "properties": properties, "additionalProperties": false}),
        output_schema: None,
        annotations: Annotations::default(),
    }
}

fn found(specs: &[FunctionSpec]) -> Vec<(&'static str, Option<String>)> {
    let findings = lint(specs, &[]).into_iter();
    findings
        .map(|finding| (finding.rule.as_str(), finding.argument))
        .collect()
}

/// `bad` breaks `rule`, at an argument or not, and nothing else; `mended` nothing.
#[track_caller]
fn check(rule: Rule, argument: Option<&str>, bad: &[FunctionSpec], mended: &[FunctionSpec]) {
    assert_eq!(found(bad), [(rule.as_str(), argument.map(str::to_owned))]);
    assert_eq!(found(mended), []);
}

#[test]
fn a_description_says_more_than_the_name() {
    check(
        Rule::Purpose,
        None,
        &[spec("create_draft", "Creates a draft.", json!({}))],
        &[spec(
            "create_draft",
            "Creates a draft of an email, without sending it.",
            json!({}),
        )],
    );
    // A description as built tools have it, which lists the arguments.
    let built = |purpose: &str| {
        let argument = json!({"to": {"type": "string"}, "subject": {"type": "string"}});
        let description = format!("{purpose}\n\n- `subject`: what it is about\n- `to`: to whom");
        spec("send_draft", &description, argument)
    };
    check(
        Rule::Purpose,
        None,
        &[built("Sends a draft.")],
        &[built("Sends a draft to somebody and deletes it.")],
    );
}

#[test]
fn a_description_says_what_comes_back() {
    let with_output = |description: &str| FunctionSpec {
        output_schema: Some(json!({"type": "object", "description": "The draft's id."})),
        ..spec("create_draft", description, json!({}))
    };
    check(
        Rule::Returns,
        None,
        &[with_output("Creates a draft of an email.")],
        &[with_output("Creates a draft of an email. Returns its id.")],
    );
    let finding = &lint(&[with_output("Creates a draft of an email.")], &[])[0];
    assert_eq!(
        finding.instead,
        "add what is said of the output: \"Returns The draft's id\""
    );
    let boolean = FunctionSpec {
        output_schema: Some(json!({"type": "boolean"})),
        ..spec("is_open", "Whether the shop is open.", json!({}))
    };
    assert_eq!(found(&[boolean]), []);
}

#[test]
fn a_form_that_has_to_be_met_has_an_example() {
    let to = |said: &str| json!({"email": {"type": "string", "description": said}});
    let send = |said: &str| spec("send", "Sends a draft to somebody.", to(said));
    check(
        Rule::Example,
        Some("email"),
        &[send("Who gets it.")],
        &[send("Who gets it, such as adam@example.com.")],
    );
    let elsewhere = spec(
        "send",
        "Sends a draft to somebody. Example: `email` `adam@example.com`.",
        to("Who gets it."),
    );
    let in_schema = spec(
        "send",
        "Sends a draft to somebody.",
        json!({"email": {"type": "string", "examples": ["a@b.c"]}}),
    );
    assert_eq!(found(&[elsewhere]), []);
    assert_eq!(found(&[in_schema]), []);
}

#[test]
fn the_first_sentence_is_concise() {
    let detail = ", with each attachment that was added before";
    check(
        Rule::Long,
        None,
        &[spec(
            "send",
            &format!("Sends a draft to somebody{}.", detail.repeat(6)),
            json!({}),
        )],
        &[spec(
            "send",
            &format!(
                "Sends a draft to somebody. It goes out{}.",
                detail.repeat(6)
            ),
            json!({}),
        )],
    );
}

#[test]
fn two_descriptions_are_told_apart() {
    let generator = spec(
        "image_generator",
        "Creates an image according to a prompt.",
        json!({}),
    );
    check(
        Rule::Overlap,
        None,
        &[
            generator.clone(),
            spec(
                "painter",
                "Create images according to the prompt",
                json!({}),
            ),
        ],
        &[
            generator.clone(),
            spec("modifier", "Modifies an image that exists.", json!({})),
        ],
    );
    // The finding is about the function that is judged, even if the other is not judged.
    let painter = spec(
        "painter",
        "Creates an image according to a prompt.",
        json!({}),
    );
    let findings = lint(&[painter], &[generator]);
    assert_eq!(
        findings[0].message,
        "its description says nearly what that of `image_generator` says"
    );
}

#[test]
fn two_names_are_told_apart() {
    let first = || {
        spec(
            "search_notes",
            "Searches what the user wrote down.",
            json!({}),
        )
    };
    let second = |name: &str| spec(name, "Looks a person up in the register.", json!({}));
    for name in [
        "notes_search",
        "search_note",
        "serach_notes",
        "search_nodes",
    ] {
        check(
            Rule::Confusable,
            None,
            &[first(), second(name)],
            &[first(), second("find_person")],
        );
    }
    for (a, b) in [
        ("get_note", "set_note"),
        ("slugify", "slugify_all"),
        ("read_note", "write_note"),
    ] {
        let one = spec(a, "Searches what the user wrote down.", json!({}));
        assert_eq!(found(&[one, second(b)]), [], "{a} {b}");
    }
}

#[test]
fn names_of_arguments_say_something() {
    let forecast = |name: &str| {
        spec(
            "forecast",
            "Forecasts the weather.",
            json!({name: {"type": "string", "description": "The city."}}),
        )
    };
    for name in ["arg1", "data", "x2", "param", "input"] {
        check(
            Rule::ArgumentName,
            Some(name),
            &[forecast(name)],
            &[forecast("city")],
        );
    }
    assert_eq!(
        lint(&[forecast("arg")], &[])[0].instead,
        "name it after what it is: \"The city\""
    );
    assert_eq!(found(&[forecast("x")]), []);
}

#[test]
fn a_call_needs_few_arguments() {
    let names = ["city", "unit", "day", "hour", "language", "model"];
    let forecast = |required: &[&str]| {
        let properties: serde_json::Map<String, Value> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({"type": "integer"})))
            .collect();
        let mut spec = spec("forecast", "Forecasts the weather.", properties.into());
        spec.input_schema["required"] = required.into();
        spec
    };
    check(
        Rule::ManyRequired,
        None,
        &[forecast(&names)],
        &[forecast(&names[..1])],
    );
}

#[test]
fn values_have_a_shape() {
    let filter = |schema: Value| {
        spec(
            "search",
            "Finds notes by what is in them.",
            json!({"filter": schema}),
        )
    };
    let shaped = json!({"type": "object", "properties": {"tag": {"type": "string"}},
        "required": ["tag"], "additionalProperties": false});
    check(
        Rule::Shapeless,
        Some("filter"),
        &[filter(json!({"type": "object"}))],
        &[filter(shaped)],
    );
}

#[test]
fn the_examples_of_those_who_wrote_the_advice_are_clean() {
    let draft = spec(
        "create_draft",
        "Create and insert a draft email.\nPrint the returned draft's message and id.\n\
         Returns: Draft object, including draft id and message meta data.",
        json!({
            "to": {"type": "array", "items": {"type": "string"},
                "description": "The email addresses to send the message to, eg ['adam@example.com']"},
            "subject": {"type": "string", "description": "The subject for the event"},
            "message": {"type": "string", "description": "The message for the event"},
        }),
    );
    let weather = spec(
        "get_n_day_weather_forecast",
        "Get an N-day weather forecast for a place.",
        json!({
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "format": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "num_days": {"type": "integer", "description": "The number of days to forecast"},
        }),
    );
    assert_eq!(found(&[draft, weather]), []);
}
