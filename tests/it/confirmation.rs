//! Tests of calls that a person confirms, at the terminal and in tests.

use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::{Confirmation, FunctionName, Manifest};

use crate::support::adder::adder;
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::terminal::{CTRL_D, Terminal};
use crate::support::toolbox_files::edit_toolbox;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("confirmation::at_the_terminal", at_the_terminal),
        test("confirmation::of_values", of_values),
        test("confirmation::of_the_toolbox", of_the_toolbox),
        test("confirmation::of_what_there_is_not", of_what_there_is_not),
    ]
}

/// Writes the tool `adder`, whose function asks for `confirm`.
fn write(home: &Home, confirm: &str) {
    let component = adder();
    let name = "adder".parse().expect("a name");
    let mut manifest = derive_manifest(&component, name).expect("a tool");
    let add: FunctionName = "add".parse().expect("a name");
    manifest.functions[&add].confirm = Some(confirmation(confirm));
    home.write("adder/tool.toml", manifest.to_toml());
    home.write("adder/tool.wasm", component);
}

/// The confirmation that `text` writes in a manifest.
fn confirmation(text: &str) -> Confirmation {
    let manifest = format!(
        "schema = 1\nname = 'x'\nversion = '0.1.0'\ndescription = 'x'\n[functions.add]\nconfirm = {text}"
    );
    let manifest: Manifest = manifest.parse().expect("a manifest");
    let (_, function) = manifest.functions.into_iter().next().expect("a function");
    function.confirm.expect("a confirmation")
}

fn at_the_terminal() {
    let home = Home::new();
    write(&home, "true");
    let report = home.tool("inspect ./adder").ok();
    assert!(report.contains("asks you before every call"), "{report}");
    load(&home, "./adder", &[]);
    let call = ["call", "adder.add", "a=20", "b=22"];
    // An agent has no terminal.
    let refused = home.run(call);
    says(&refused, 3, "a person has to confirm this call of `add`");
    for (answer, code, said) in [
        ("yes\n", 0, "42"),
        ("no\n", 3, "the person did not confirm this call of `add`"),
        ("\n", 3, "the person did not confirm this call of `add`"),
        (CTRL_D, 3, "the person did not confirm this call of `add`"),
    ] {
        let mut terminal = Terminal::start(home.command(call));
        terminal.wait_for("May `add` of the tool `adder` run with a: 20, b: 22?");
        terminal.wait_for("Run it [yes or no]:");
        terminal.press(answer);
        let ended = terminal.end();
        assert!(ended.shown.contains(said), "{}", ended.shown);
        assert_eq!(ended.status.code(), Some(code), "{}", ended.shown);
    }
}

fn of_values() {
    let home = Home::new();
    write(&home, "{ a = [7, 8] }");
    load(&home, "./adder", &[]);
    assert_eq!(home.tool("call adder.add a=6 b=7").ok().trim(), "13");
    // However the agent writes it.
    for a in ["7", "8", "7.0"] {
        let arguments = format!("{{\"a\": {a}, \"b\": 1}}");
        let refused = home.run(["call", "adder.add", "--json-args", &arguments]);
        says(&refused, 3, "a person has to confirm");
    }
}

fn of_the_toolbox() {
    let home = Home::new();
    write(&home, "{ a = [7] }");
    load(&home, "./adder", &[]);
    // The user's own wish needs no approval, and takes nothing back.
    edit_toolbox(
        &home,
        "[tools.adder.functions.add]\nconfirm = { a = [8], b = [1] }\n",
    );
    assert_eq!(home.tool("call adder.add a=6 b=7").ok().trim(), "13");
    for arguments in ["a=7 b=7", "a=8 b=7", "a=6 b=1"] {
        let refused = home.tool(&format!("call adder.add {arguments}"));
        says(&refused, 3, "a person has to confirm");
    }
}

fn of_what_there_is_not() {
    let home = Home::new();
    write(&home, "{ c = [1] }");
    let report = home.tool("inspect ./adder").ok();
    let refused = "refused: function `add`: `confirm`";
    assert!(
        report.contains(refused) && report.contains("argument `c`"),
        "{report}"
    );
}
