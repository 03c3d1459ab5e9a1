//! Tests of authors' mistakes: the build tells each, with its place and what to do.

use super::edit;
use crate::support::loading::load;
use crate::support::python_project::{make_component, make_greeter};
use crate::support::ran::says;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::wit_with_a_mistake", wit_with_a_mistake),
        test(
            "author::javascript_with_a_mistake",
            javascript_with_a_mistake,
        )
        .needs(&[Need::JavascriptGuest]),
        test("author::python_with_a_mistake", python_with_a_mistake).needs(&[Need::PythonGuest]),
        test(
            "author::python_says_what_will_not_work",
            python_says_what_will_not_work,
        )
        .needs(&[Need::PythonGuest]),
    ]
}

fn wit_with_a_mistake() {
    for language in ["rust", "python", "javascript", "c"] {
        let home = Home::new();
        match language {
            "python" => make_greeter(&home, "greeter"),
            _ => {
                home.run(["new", "greeter", "--lang", language]).ok();
            }
        }
        edit(
            &home,
            "greeter/wit/world.wit",
            "greet: func(",
            "greet: fun(",
        );
        let refused = home.tool("build greeter");
        says(
            &refused,
            1,
            "error: wit/world.wit:10:12: expected keyword `func`",
        );
    }
}

fn javascript_with_a_mistake() {
    let home = Home::new();
    home.tool("new greeter --lang javascript").ok();
    let source = home.work().join("greeter/tool.js");
    let source = std::fs::read_to_string(source).expect("the source");
    for (from, to, told) in [
        ("greet(name", "great(name", "`functions.greet` is missing"),
        (
            "const functions",
            "const tools",
            "it does not export `functions`, an object with the functions greet",
        ),
    ] {
        home.write("greeter/tool.js", source.replace(from, to));
        let refused = home.tool("build greeter");
        says(
            &refused,
            1,
            "error: tool.js is not what wit/world.wit says\n",
        );
        says(&refused, 1, told);
        assert!(
            !refused.stderr().contains("    at "),
            "{}",
            refused.stderr()
        );
    }
    home.write("greeter/tool.js", source);
    home.tool("build greeter").ok();
    load(&home, "./greeter", &[]);
    assert_eq!(home.tool("call greeter name=Ada").ok(), "Hello, Ada!\n");
}

fn python_with_a_mistake() {
    let home = Home::new();
    make_greeter(&home, "greeter");
    let source = home.work().join("greeter/app.py");
    let source = std::fs::read_to_string(source).expect("the source");
    home.write("greeter/app.py", format!("import no_such_module\n{source}"));
    let refused = home.tool("build greeter");
    says(
        &refused,
        1,
        "error: app.py:1: there is no Python module `no_such_module`\n",
    );
    says(&refused, 1, "File \"app.py\", line 1");
    says(&refused, 1, "by a line such as: no_such_module");
    assert!(
        !refused.stderr().contains("backtrace"),
        "{}",
        refused.stderr()
    );

    home.write(
        "greeter/app.py",
        format!("def broken(:\n    pass\n{source}"),
    );
    let refused = home.tool("build greeter");
    says(
        &refused,
        1,
        "error: app.py:1: Python cannot load the project: SyntaxError: ",
    );
    says(&refused, 1, "File \"app.py\", line 1");
}

fn python_says_what_will_not_work() {
    let home = Home::new();
    make_component(&home, "pyt");
    let app = home.work().join("pyt/app.py");
    let source = std::fs::read_to_string(&app).expect("the source");
    home.write(
        "pyt/helper.py",
        "def now():\n    import decimal\n    return decimal\n",
    );
    home.write("pyt/test_app.py", "import requests\n");
    let using = "import urllib.request\nimport helper\n";
    home.write("pyt/app.py", format!("{using}{source}"));
    let built = home.tool("build pyt");
    built.ok();
    let told = built.stderr();
    for expected in [
        "app.py:1: `urllib.request` will not work",
        "helper.py:2: `decimal` will not be found",
    ] {
        assert!(told.contains(expected), "{expected} in {told}");
    }
    assert!(!told.contains("`requests`"), "{told}");

    // In a program both work.
    make_greeter(&home, "program");
    for file in ["app.py", "helper.py"] {
        let text = std::fs::read_to_string(home.work().join("pyt").join(file));
        home.write(&format!("program/{file}"), text.expect("a source"));
    }
    let built = home.tool("build program");
    built.ok();
    assert!(!built.stderr().contains("will not"), "{}", built.stderr());
}
