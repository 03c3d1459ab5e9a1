//! Tests of the WIT contract for tools: media, failures, progress, questions, prompts, resources.
//! Media and failures are recognised by their shape.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_hub_host::{
    Answer, ContentBody, FailureKind, Interaction, Nobody, Output, Progress, Question, Tool,
    inspect,
};

use crate::support::{LIFT, MEMORY, component, failure, load, package, reply};

#[tokio::test]
async fn a_picture_is_recognised_by_its_shape() {
    let copy = component(
        r#"(func (export "copy") (param i32 i32 i32 i32) (result i32)
            (i32.store (i32.const 16) (local.get 0))
            (i32.store (i32.const 20) (local.get 1))
            (i32.store (i32.const 24) (local.get 2))
            (i32.store (i32.const 28) (local.get 3))
            (i32.const 16))"#,
        &format!(
            r#"(type $image' (record (field "media-type" string) (field "data" (list u8))))
            (import "image" (type $image (eq $image')))
            (func (export "copy") (param "picture" $image) (result $image)
                (canon lift (core func $i "copy") {LIFT}))"#
        ),
    );
    let tool = load(copy).await;
    assert!(tool.functions()[0].spec.output_schema.is_none());
    let arguments = json!({"picture": {"media_type": "image/png", "data": "AQID"}});
    let reply = reply(tool.call("copy", &arguments.to_string()).await);
    let image = ContentBody::Image {
        media_type: "image/png".into(),
        data: vec![1, 2, 3],
    };
    assert_eq!((&reply.content[0].body, &reply.structured), (&image, &None));
    let arguments = json!({"picture": {"media_type": "audio/wav", "data": "AQID"}});
    let reply = self::reply(tool.call("copy", &arguments.to_string()).await);
    assert!(matches!(reply.content[0].body, ContentBody::Audio { .. }));
}

#[tokio::test]
async fn a_failure_is_recognised_by_its_shape() {
    let failing = component(
        r#"(data (i32.const 512) "no such notetry `list`name")
        (func (export "run") (result i32)
            (i32.store8 (i32.const 16) (i32.const 1))
            (i32.store8 (i32.const 20) (i32.const 1))
            (i32.store (i32.const 24) (i32.const 512)) (i32.store (i32.const 28) (i32.const 12))
            (i32.store8 (i32.const 32) (i32.const 1))
            (i32.store (i32.const 36) (i32.const 524)) (i32.store (i32.const 40) (i32.const 10))
            (i32.store8 (i32.const 44) (i32.const 1))
            (i32.store (i32.const 48) (i32.const 534)) (i32.store (i32.const 52) (i32.const 4))
            (i32.store8 (i32.const 56) (i32.const 1))
            (i32.const 16))"#,
        &format!(
            r#"(type $kind' (enum "invalid-argument" "not-found" "permission-denied" "conflict"
                "limit-reached" "unavailable" "internal"))
            (import "failure-kind" (type $kind (eq $kind')))
            (type $failure' (record (field "kind" $kind) (field "message" string)
                (field "fix" (option string)) (field "argument" (option string))
                (field "retryable" bool)))
            (import "failure" (type $failure (eq $failure')))
            (func (export "run") (result (result u32 (error $failure)))
                (canon lift (core func $i "run") {LIFT}))"#
        ),
    );
    let failed = failure(load(failing).await.call("run", "").await);
    assert_eq!(failed.kind, FailureKind::NotFound);
    assert_eq!(failed.message, "no such note");
    assert_eq!(failed.fix.as_deref(), Some("try `list`"));
    assert_eq!(failed.argument.as_deref(), Some("name"));
    assert!(failed.retryable);
}

/// Reports progress and asks; answers the answer, or the number of the error.
fn asker() -> Vec<u8> {
    let schema = r#"{\"type\":\"object\",\"properties\":{\"sure\":{\"type\":\"boolean\"}}}"#;
    let length = schema.replace('\\', "").len();
    let text = format!(
        r#"(component
        (import "tool-hub:tool/interaction@0.1.0" (instance $talk
            (export "report-progress" (func (param "done" f64) (param "total" (option f64))
                (param "message" (option string))))
            (type $error' (variant (case "declined") (case "cancelled") (case "unavailable")
                (case "invalid-question" string)))
            (export "ask-error" (type $error (eq $error')))
            (export "ask" (func (param "key" string) (param "question" string)
                (param "schema" string) (result (result string (error $error)))))))
        (core module $libc {MEMORY}
            (data (i32.const 512) "sure") (data (i32.const 520) "Sure?") (data (i32.const 600) "{schema}"))
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $report (canon lower (func $talk "report-progress") (memory $memory)))
        (core func $ask (canon lower (func $talk "ask") (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "report" (func $report (param f64 i32 f64 i32 i32 i32)))
            (import "h" "ask" (func $ask (param i32 i32 i32 i32 i32 i32 i32)))
            (func (export "run") (result i32)
                (call $report (f64.const 1) (i32.const 1) (f64.const 2) (i32.const 1) (i32.const 512) (i32.const 4))
                (call $ask (i32.const 512) (i32.const 4) (i32.const 520) (i32.const 5)
                    (i32.const 600) (i32.const {length}) (i32.const 64))
                ;; result<string, u32>: the error's number takes the place of its text.
                (if (i32.load8_u (i32.const 64))
                    (then (i32.store (i32.const 68) (i32.load8_u (i32.const 68)))))
                (i32.const 64)))
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "report" (func $report))
            (export "ask" (func $ask))))))
        (func (export "run") (result (result string (error u32)))
            (canon lift (core func $i "run") (memory $memory))))"#
    );
    wat::parse_str(text).unwrap()
}

struct Person {
    answer: Answer,
    seen: Mutex<Vec<String>>,
}

impl Interaction for Person {
    fn progress(&self, progress: Progress) {
        self.seen.lock().unwrap().push(format!("{progress:?}"));
    }

    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        self.seen
            .lock()
            .unwrap()
            .push(format!("{}: {}", question.key, question.text));
        Box::pin(async { self.answer.clone() })
    }

    fn output(&self, output: &Output) {
        assert_eq!(output, &Output::default());
    }
}

async fn ask(tool: &Tool, answer: Answer) -> (tool_hub_host::Outcome, Vec<String>) {
    let seen = Mutex::default();
    let person = Arc::new(Person { answer, seen });
    let outcome = tool.call_with("run", "", person.clone()).await;
    let seen = person.seen.lock().unwrap().clone();
    (outcome, seen)
}

#[tokio::test]
async fn a_tool_reports_and_asks() {
    let tool = load(asker()).await;
    let (outcome, seen) = ask(&tool, Answer::Given(json!({"sure": true}))).await;
    assert_eq!(reply(outcome).text(), r#"{"sure":true}"#);
    assert_eq!(
        seen,
        [
            r#"Progress { done: 1.0, total: Some(2.0), message: Some("sure") }"#,
            "sure: Sure?"
        ]
    );
}

#[tokio::test]
async fn whoever_does_not_answer_is_told_apart() {
    let tool = load(asker()).await;
    for (answer, number) in [
        (Answer::Declined, 0),
        (Answer::Cancelled, 1),
        (Answer::Unavailable, 2),
        // An answer that does not fit the schema counts as none.
        (Answer::Given(json!({"sure": 1})), 1),
    ] {
        let failed = failure(ask(&tool, answer).await.0);
        assert_eq!(failed.message, format!("the tool failed: {number}"));
    }
    let nobody = failure(tool.call("run", "").await);
    assert_eq!(nobody.message, "the tool failed: 2");
}

#[tokio::test]
async fn a_postponed_question_ends_the_call() {
    let tool = load(asker()).await;
    let failed = failure(ask(&tool, Answer::Postponed).await.0);
    match failed.kind {
        FailureKind::InputRequired(question) => assert_eq!(question.key, "sure"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn prompts_and_resources_have_the_types_of_the_contract() {
    let offering = component(
        r#"(func (export "add") (result i32) (i32.const 2))
        (func (export "trap") (param i32 i32) (result i32) (unreachable))"#,
        &format!(
            r#"(func (export "add") (result u32) (canon lift (core func $i "add")))
            (func $other (result u32) (canon lift (core func $i "add")))
            (instance $prompts (export "list-prompts" (func $other)))
            (export "tool-hub:tool/prompts@0.1.0" (instance $prompts))
            (func $strange (param "uri" string) (result (list string))
                (canon lift (core func $i "trap") {LIFT}))
            (instance $resources (export "read-resource" (func $strange)))
            (export "tool-hub:tool/resources@0.2.0" (instance $resources))"#
        ),
    );
    let inspection = inspect(&package(offering.clone(), |_| {})).expect("it can be read");
    assert_eq!((inspection.prompts, inspection.resources), (false, false));
    let functions = inspection.functions.iter();
    assert_eq!(
        functions
            .map(|function| function.name.as_str())
            .collect::<Vec<_>>(),
        ["add"]
    );
    let refused: Vec<String> = inspection
        .not_callable
        .iter()
        .map(|export| format!("{}: {}", export.export, export.reason))
        .collect();
    let reason = "it is not what the contract knows by that name";
    assert_eq!(
        refused,
        [
            format!("tool-hub:tool/prompts@0.1.0.list-prompts: {reason}"),
            format!("tool-hub:tool/resources@0.2.0.read-resource: {reason}"),
        ]
    );

    let tool = load(offering).await;
    assert!(!tool.has_prompts() && !tool.has_resources());
    let nobody = || Arc::new(Nobody);
    for (failure, what) in [
        (tool.prompts().await.err(), "prompts"),
        (tool.get_prompt("a", &[], nobody()).await.err(), "prompts"),
        (tool.resources().await.err(), "resources"),
        (tool.resource_templates().await.err(), "resources"),
        (tool.read_resource("a:b", nobody()).await.err(), "resources"),
    ] {
        let failure = failure.expect("there are none");
        assert_eq!(failure.kind, FailureKind::NotFound);
        assert_eq!(failure.message, format!("tool `demo` offers no {what}"));
    }
}
