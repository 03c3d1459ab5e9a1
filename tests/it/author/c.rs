//! Tests of tools in C: what they import and print, and the files that they are made of.

use super::edit;
use crate::support::loading::load;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "author::c_imports_what_it_uses_and_prints",
            c_imports_what_it_uses_and_prints,
        )
        .needs(&[Need::CGuest]),
        test("author::c_of_several_files", c_of_several_files).needs(&[Need::CGuest]),
    ]
}

/// The interfaces that the built tool imports.
#[track_caller]
fn imports(home: &Home) -> String {
    let inspected = home.tool("inspect ./greeter --json").json();
    inspected["inspection"]["imports"].to_string()
}

fn c_imports_what_it_uses_and_prints() {
    let home = Home::new();
    home.tool("new greeter --lang c").ok();
    home.tool("build greeter").ok();
    assert_eq!(imports(&home), "[]");
    load(&home, "./greeter", &[]);
    let greeted = home.tool("call greeter name=Ada language=fr");
    assert_eq!(greeted.stdout(), "Bonjour, Ada !\n");
    let failed = home.tool("call greeter name=Ada language=xx");
    assert_eq!(failed.code(), 1);
    let told = "`xx` is not a language I speak; use en, de or fr";
    assert!(failed.stderr().contains(told), "{}", failed.stderr());

    edit(
        &home,
        "greeter/tool.c",
        "    return true;",
        "    tool_string_set(ret, \"Good day!\");\n    printf(\"to %s\", \"output\");\n    fprintf(stderr, \"to %s\", \"errors\");\n    return true;",
    );
    home.tool("build greeter").ok();
    assert!(imports(&home).contains("wasi:cli/stdout"));
    load(&home, "./greeter", &[]);
    let greeted = home.tool("call greeter name=Ada --verbose");
    assert_eq!(greeted.stdout(), "Good day!\n");
    for told in ["[greeter stdout] to output", "[greeter stderr] to errors"] {
        assert!(greeted.stderr().contains(told), "{}", greeted.stderr());
    }
}

fn c_of_several_files() {
    let home = Home::new();
    home.tool("new greeter --lang c").ok();
    home.write("greeter/words.h", "const char *hello(void);\n");
    home.write(
        "greeter/words.c",
        "#include \"words.h\"\n\nconst char *hello(void) { int unused; return \"Servus, %.*s!\"; }\n",
    );
    edit(
        &home,
        "greeter/tool.c",
        "#include \"tool.h\"",
        "#include \"tool.h\"\n#include \"words.h\"",
    );
    edit(&home, "greeter/tool.c", "\"Hello, %.*s!\"", "hello()");
    let built = home.tool("build greeter");
    built.ok();
    let warning = "warning: words.c:3:31: warning: unused variable 'unused'";
    assert!(built.stderr().contains(warning), "{}", built.stderr());
    load(&home, "./greeter", &[]);
    let greeted = home.tool("call greeter name=Ada");
    assert_eq!(greeted.stdout(), "Servus, Ada!\n");

    // Where the manifest names another file, those beside it are built.
    home.run(["new", "empty", "--lang", "c"]).ok();
    edit(
        &home,
        "empty/tool.toml",
        "language = \"c\"",
        "language = \"c\"\nsource = \"src/main.c\"",
    );
    let refused = home.tool("build empty");
    assert_eq!(refused.code(), 1);
    assert_eq!(
        refused.stderr(),
        "error: there is no src/main.c in the project\n\
         hint: [build] source in tool.toml names the C file that has the functions\n"
    );
}
