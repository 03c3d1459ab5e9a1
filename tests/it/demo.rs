//! Tests of `tool demo` in Rust and Python, and of the projects that `tool new` writes.

use crate::support::{Home, Need, Ran, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("demo::rust", rust).needs(&[Need::RustGuests]),
        test("demo::python", python).needs(&[Need::PythonGuest]),
        test("demo::scaffolds", scaffolds).needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
        ]),
    ]
}

#[track_caller]
pub(crate) fn goes_the_whole_way(ran: &Ran) {
    let shown = ran.ok();
    assert!(
        shown.contains("Bonjour, Ada !"),
        "the call answered:\n{shown}"
    );
    assert!(
        shown.contains("\"inputSchema\""),
        "the server listed it:\n{shown}"
    );
    assert!(
        shown.contains("Hallo, Grace!"),
        "the agent's call answered:\n{shown}"
    );
    let typed = ran.stderr();
    for verb in [
        "login", "new", "build", "check", "push", "search", "inspect", "load", "list", "call",
        "serve",
    ] {
        assert!(
            typed.contains(&format!("$ tool {verb}")),
            "{verb} is not shown:\n{typed}"
        );
    }
}

fn rust() {
    goes_the_whole_way(&Home::new().tool("demo"));
}

fn python() {
    goes_the_whole_way(&Home::new().tool("demo --lang python"));
}

/// Every scaffold builds and passes its own check at once, without a remark.
fn scaffolds() {
    let home = Home::new();
    for language in ["rust", "python", "javascript"] {
        let name = format!("my-{language}");
        home.run(["new", &name, "--lang", language]).ok();
        home.run(["build", &name]).ok();
        home.run(["check", &name, "--strict"]).ok();
    }
}
