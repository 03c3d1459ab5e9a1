//! Real models' chat templates, held against Transformers.

use std::collections::BTreeMap;

use tool_hub_agent::ChatTemplate;

use crate::cases::cases;

/// What is known to differ, and why.
const DIFFERS: [(&str, &str); 1] = [(
    "meetkai-functionary-medium-v3.1.jinja",
    "in Python a text that was marked as safe escapes what is added to it",
)];

#[test]
#[ignore = "installs transformers from PyPI"]
fn templates_print_what_transformers_prints() {
    let (mut same, mut refused) = (0, 0);
    let mut differ: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let cases = cases();
    for case in &cases {
        let chat = case.chat();
        let printed = ChatTemplate::new(&case.source).and_then(|it| it.render(&chat));
        match (&printed, &case.printed) {
            (Ok(printed), Some(expected)) if printed == expected => same += 1,
            (Err(_), None) => refused += 1,
            _ => {
                let expected = case.printed.as_ref().or(case.error.as_ref());
                let difference = format!("{}\n{expected:?}\n{printed:?}", case.about);
                let template = case.template.clone();
                differ.entry(template).or_default().push(difference);
            }
        }
    }
    println!(
        "{} cases: {same} print the same, {refused} are refused by both",
        cases.len()
    );
    for (name, differences) in differ {
        let known = DIFFERS.iter().find(|(differs, _)| *differs == name);
        let Some((_, why)) = known else {
            panic!("{name}: {}", differences.join("\n"));
        };
        println!("{} of {name} differ: {why}", differences.len());
    }
    assert!(same > 450 && cases.len() > 500, "templates are missing");
}
