//! Adds notes to outcomes of calls: how the arguments were repaired, or an example of right ones.

use tool_hub_agent::definition::example::example;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{
    Content, ContentAnnotations, Failure, FailureKind, Outcome, Role,
};

/// A longer example is no help.
const EXAMPLE_BYTES_MAX: usize = 1 << 10;

/// Returns true if the arguments were refused before the tool saw them, so that the call can be
/// made again with others.
pub(crate) fn is_refused(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failure(failure) if failure.kind == FailureKind::MalformedArgument)
}

/// The outcome of a call of the function with `spec` whose arguments were repaired, with the `note`
/// that says how.
pub(crate) fn noted(outcome: Outcome, note: String, spec: &FunctionSpec) -> Outcome {
    if is_refused(&outcome) {
        return explained(outcome, spec);
    }
    match outcome {
        Outcome::Reply(mut reply) => {
            // Many clients look at the first text only, and that is the answer.
            let mut note = Content::text(note);
            note.annotations = Some(ContentAnnotations {
                audience: vec![Role::Assistant],
                priority: None,
                last_modified: None,
            });
            reply.content.push(note);
            Outcome::Reply(reply)
        }
        Outcome::Failure(failure) if matches!(failure.kind, FailureKind::InputRequired(_)) => {
            failure.into()
        }
        Outcome::Failure(mut failure) => {
            failure.message = format!("{} ({note})", failure.message.trim_end());
            failure.into()
        }
    }
}

/// A refusal that also shows arguments which would be right.
pub(crate) fn explained(outcome: Outcome, spec: &FunctionSpec) -> Outcome {
    match outcome {
        Outcome::Failure(failure) => with_example(failure, spec).into(),
        reply => reply,
    }
}

fn with_example(mut failure: Failure, spec: &FunctionSpec) -> Failure {
    let example = example(&spec.input_schema).map(|example| example.to_string());
    if let Some(example) = example.filter(|example| example.len() <= EXAMPLE_BYTES_MAX) {
        let shown = format!("arguments of the right form are, for example, {example}");
        failure.fix = Some(match failure.fix {
            Some(fix) => format!("{fix}; {shown}"),
            None => shown,
        });
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tool_hub_manifest::Annotations;
    use tool_hub_manifest::contract::Reply;

    fn spec() -> FunctionSpec {
        FunctionSpec {
            name: "add".into(),
            title: None,
            description: "Adds.".into(),
            input_schema: json!({
                "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
            }),
            output_schema: None,
            annotations: Annotations::default(),
        }
    }

    fn failure(outcome: Outcome) -> Failure {
        outcome.into_result().unwrap_err()
    }

    #[test]
    fn an_answer_says_what_was_read_differently_after_it_answers() {
        let reply = Reply {
            content: vec![Content::text("3")],
            structured: Some("3".into()),
            next: None,
        };
        let noted = noted(Outcome::Reply(reply), "Read so.".into(), &spec());
        let reply = noted.into_result().unwrap();
        assert_eq!(reply.text(), "3\nRead so.");
        assert_eq!(reply.structured.as_deref(), Some("3"));
    }

    #[test]
    fn a_failure_of_the_tool_says_it_too() {
        let failed = Failure::new(FailureKind::Failed, "no such note");
        let noted = failure(noted(failed.into(), "Read so.".into(), &spec()));
        assert_eq!(noted.message, "no such note (Read so.)");
    }

    #[test]
    fn a_refusal_shows_what_is_right() {
        let refused = Failure::new(FailureKind::MalformedArgument, "`a` is missing");
        let shown = "arguments of the right form are, for example, {\"a\":1}";
        let explained = failure(noted(refused.clone().into(), "Read so.".into(), &spec()));
        assert_eq!(explained.message, "`a` is missing");
        assert_eq!(explained.fix.as_deref(), Some(shown));
        let refused = refused.with_fix("give a number");
        let explained = failure(super::explained(refused.into(), &spec()));
        let fix = format!("give a number; {shown}");
        assert_eq!(explained.fix.as_deref(), Some(&*fix));
    }
}
