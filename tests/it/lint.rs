//! Tests of `tool lint`, which judges descriptions of samples, of a project and of a toolbox.

use serde_json::json;

use crate::support::loading::load;
use crate::support::{Home, Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("lint::the_samples_are_clean", the_samples_are_clean).needs(&[Need::RustGuests]),
        test(
            "lint::a_project_that_is_not_built",
            a_project_that_is_not_built,
        ),
        test("lint::tools_that_are_alike", tools_that_are_alike).needs(&[Need::RustGuests]),
    ]
}

fn the_samples_are_clean() {
    let home = Home::new();
    for sample in guests::RUST {
        let project = guests::built(sample);
        let project = project.to_string_lossy();
        let ran = home.run(["lint", "--deny", &*project]);
        assert_eq!(ran.ok(), "", "{sample}: {}", ran.stderr());
    }
}

fn a_project_that_is_not_built() {
    let home = Home::new();
    home.write(
        "tool.toml",
        r#"
schema = 1
name = "drafts"
version = "0.1.0"

[functions.create_draft]
description = "Creates a draft.\u001b[2J"
inputs.arg1 = { type = "text", description = "Who gets it." }
inputs.email = { type = "text", description = "Who gets it." }
output = { type = "text", description = "The draft's id." }
"#,
    );
    let ran = home.tool("lint");
    let shown = ran.ok();
    for told in [
        "create_draft: its description does not say what comes back",
        "(returns)\n  instead: add what is said of the output: \"Returns The draft's id\"\n",
        "create_draft, `arg1`: its name does not tell what to write (argument-name)\n",
        "create_draft, `email`: its value must have a certain form, and no example shows it (example)\n",
    ] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
    assert!(
        ran.stderr().contains("the project is not built"),
        "{}",
        ran.stderr()
    );
    assert!(
        ran.stderr().contains("3 findings in 1 function"),
        "{}",
        ran.stderr()
    );

    let findings = home.run(["--json", "lint", "."]).json();
    let rules = findings["findings"].as_array().expect("findings").iter();
    let rules: Vec<_> = rules.map(|finding| &finding["rule"]).collect();
    assert_eq!(json!(rules), json!(["returns", "argument-name", "example"]));
    let denied = home.tool("lint --deny");
    assert_eq!(denied.code(), 1, "{}", denied.stderr());

    home.write(
        "empty/tool.toml",
        "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\n",
    );
    let empty = home.tool("lint ./empty");
    assert_eq!(empty.code(), 1);
    assert!(
        empty.stderr().contains("tool build ./empty"),
        "{}",
        empty.stderr()
    );
    let absent = home.tool("lint ./absent");
    assert_eq!(absent.code(), 1);
    assert!(
        absent.stderr().contains("no tool project"),
        "{}",
        absent.stderr()
    );
}

fn tools_that_are_alike() {
    let home = Home::new();
    let calculator = guests::built("calculator");
    let calculator = calculator.to_string_lossy();
    load(&home, &calculator, &[]);
    load(&home, &calculator, &["--as", "calculater"]);
    let shown = home.tool("lint calculater__convert").ok();
    assert!(
        shown.contains(
            "calculater__convert: its name is nearly that of `calculator__convert` (confusable)"
        ),
        "{shown}"
    );
    assert!(
        shown.contains("nearly what that of `calculator__convert` says (overlap)"),
        "{shown}"
    );
    assert!(!shown.contains("evaluate:"), "{shown}");
    let absent = home.tool("lint calculator nothing");
    assert_eq!(absent.code(), 1);
    assert!(
        absent
            .stderr()
            .contains("no tool and no function `nothing`"),
        "{}",
        absent.stderr()
    );
}
