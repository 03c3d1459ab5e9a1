//! Tests of `search_tools`, `describe_tool` and `call_tool`, which stand for a long list of tools.

use serde_json::{Value, json};
use tool_hub_serve::{Catalogue, Presentation};

use crate::support::{Era, Person, Session, offers};

async fn session(era: Era, person: Person) -> Session {
    let catalogue = Catalogue::new(offers(1).await).unwrap();
    let presentation = Presentation {
        answer_bytes_max: None,
        listed_max: Some(7),
    };
    Session::open_on(catalogue.presented(presentation).unwrap(), era, person).await
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_are_found_described_and_called() {
    let session = session(Era::Session, Person::absent()).await;
    let listed = session.names().await;
    assert_eq!(listed, ["search_tools", "describe_tool", "call_tool"]);

    let found = session
        .call_built_in("search_tools", json!({"query": "both bounds"}))
        .await;
    assert_eq!(
        text(&found),
        "- guest__bounds(low: integer, high: integer): Gives both bounds back.\n\
         Call one with call_tool; describe_tool shows all of its arguments."
    );
    assert_eq!(
        found["_meta"],
        Value::Null,
        "what was approved is no stranger's text"
    );
    let one = json!({"query": "guest", "limit": "1"});
    let one = session.call_built_in("search_tools", one).await;
    assert_eq!(text(&one).matches("- guest__").count(), 1, "{one}");

    let told = json!({"name": "guest__bounds"});
    let told = session.call_built_in("describe_tool", told).await;
    let told: Value = serde_json::from_str(text(&told)).unwrap();
    assert_eq!(told["input_schema"]["required"], json!(["low", "high"]));
    assert_eq!(told["example"]["name"], "guest__bounds");

    let call = told["example"].clone();
    let called = session.call_built_in("call_tool", call).await;
    let by_name = session
        .call("bounds", told["example"]["arguments"].clone())
        .await;
    assert_eq!(called, by_name);
    assert_eq!(called["isError"], false);
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_through_another_is_as_tolerant_and_as_clear() {
    let session = session(Era::Session, Person::absent()).await;
    // The arguments as a text, and the name under another one, are what models do.
    let nested = json!({"name": "guest__add", "arguments": "{\"a\": \"1\", \"b\": 2}"});
    let result = session.call_built_in("call_tool", nested).await;
    assert_eq!(
        result["structuredContent"],
        json!({"result": 3}),
        "{result}"
    );
    let nested = json!({"Name": "guest__add", "arguments": {"a": 1, "b": 2}});
    let result = session.call_built_in("call_tool", nested).await;
    assert_eq!(
        result["structuredContent"],
        json!({"result": 3}),
        "{result}"
    );

    let wrong = json!({"name": "guest__add", "arguments": {"a": "x"}});
    let wrong = session.call_built_in("call_tool", wrong).await;
    assert!(
        text(&wrong).starts_with("`guest__add` failed (invalid argument)"),
        "{wrong}"
    );
    assert_eq!(
        text(&wrong).matches("of the right form").count(),
        1,
        "{wrong}"
    );
    let unknown = json!({"name": "guest__ad"});
    let unknown = session.call_built_in("call_tool", unknown).await;
    assert!(
        text(&unknown).contains("unknown tool `guest__ad`; did you mean `guest__add`?"),
        "{unknown}"
    );
    let none = session
        .call_built_in("search_tools", json!({"query": "weather"}))
        .await;
    assert!(text(&none).starts_with("None of the 8 tools"), "{none}");
    session.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_names_the_function_that_asks() {
    for era in [Era::Session, Era::Stateless] {
        let person = Person::answering(json!({"ok": true}));
        let asked = person.asked.clone();
        let session = session(era, person).await;
        let call = json!({"name": "guest__confirm"});
        let result = session.call_built_in("call_tool", call).await;
        assert_eq!(text(&result), r#"{"ok":true}"#);
        session.close().await;
        let asked = asked.lock().unwrap();
        assert_eq!(asked[0], "The tool `guest__confirm` asks: Delete 12 notes?");
    }
}
