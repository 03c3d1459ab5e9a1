//! Tests that real models' chat templates print what Transformers prints.

use tool_hub_agent::conversation::chat_template::{ChatTemplate, TemplateError};

use crate::cases::cases;

/// The error for templates that Transformers alone prints: it would escape their text for HTML.
const SAFE: &str = "nothing can be added to a text that is `safe`";

#[test]
#[ignore = "installs transformers from PyPI"]
fn templates_print_what_transformers_prints() {
    let (mut same, mut refused, mut missing) = (0, 0, 0);
    let mut differ = Vec::new();
    let cases = cases();
    for case in &cases {
        let chat = case.chat();
        let printed = ChatTemplate::new(&case.source).and_then(|it| it.render(&chat));
        match (&printed, &case.printed) {
            (Ok(printed), Some(expected)) if printed == expected => same += 1,
            (Err(_), None) => refused += 1,
            (Err(TemplateError::Failed { message, .. }), Some(_)) if message == SAFE => {
                missing += 1
            }
            _ => {
                let expected = case.printed.as_ref().or(case.error.as_ref());
                let (template, about) = (&case.template, &case.about);
                differ.push(format!("{template}, {about}\n{expected:?}\n{printed:?}"));
            }
        }
    }
    println!(
        "{} cases: {same} print the same, {refused} are refused by both, {missing} here alone",
        cases.len()
    );
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(same >= 512 && cases.len() > 500, "templates are missing");
}
