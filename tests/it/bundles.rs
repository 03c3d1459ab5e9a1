//! Tests of `tool export --mcpb`, `--plugin` and `--server-json`: linted, then started by a client.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::public_clients::{packages, said};
use crate::support::client::call;
use crate::support::loading::{load, publish};
use crate::support::ran::says;
use crate::support::{Client, Home, Need, RegistryProcess, Test, guests, test};
use crate::yanks::{STOLEN, is_told_of, published, refresh_often, refusal, yank};

/// The command of the people who made the format.
const MCPB: &str = "@anthropic-ai/mcpb@2.1.2";
/// A linter of plugins and of documents of the MCP registry, with their schemas.
const LINTER: &str = "skillsaw==0.22.0";

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("bundles::mcpb", mcpb).needs(&[Need::RustGuests, Need::NodePackages]),
        test("bundles::mcpb_with_the_program", mcpb_with_the_program)
            .needs(&[Need::RustGuests, Need::NodePackages]),
        test("bundles::plugin", plugin).needs(&[Need::RustGuests, Need::PythonPackages]),
        test(
            "bundles::a_malicious_one_is_dropped",
            a_malicious_one_is_dropped,
        ),
        test("bundles::server_json", server_json).needs(&[Need::RustGuests, Need::PythonPackages]),
        test("bundles::what_is_refused", what_is_refused).needs(&[Need::RustGuests]),
    ]
}

/// A toolbox with these sample tools, loaded from their projects.
fn toolbox(samples: &[&str]) -> Home {
    let home = Home::new();
    for sample in samples {
        load(&home, &guests::built(sample).to_string_lossy(), &[]);
    }
    home
}

/// Unpacks a bundle by the command of those who made the format, which checks its manifest too.
/// Returns the directory and the manifest.
#[track_caller]
fn unpacked(bundle: &Path) -> (PathBuf, Value) {
    let command = packages::node(&[MCPB]).join("node_modules/@anthropic-ai/mcpb/dist/cli/cli.js");
    let directory = bundle.with_extension("unpacked");
    let run = |arguments: &[&std::ffi::OsStr]| {
        said(Command::new("node").arg(&command).args(arguments));
    };
    run(&["unpack".as_ref(), bundle.as_ref(), directory.as_ref()]);
    let manifest = directory.join("manifest.json");
    run(&["validate".as_ref(), manifest.as_ref()]);
    let manifest = std::fs::read(manifest).expect("a manifest");
    (directory, serde_json::from_slice(&manifest).expect("JSON"))
}

/// Starts a server as a client does that replaces `values` in its configuration. The user has no
/// toolbox.
#[track_caller]
fn started(user: &Home, server: &Value, values: &[(&str, &str)]) -> Client {
    let filled = |text: &Value| {
        let text = text.as_str().expect("a text").to_owned();
        values
            .iter()
            .fold(text, |text, (name, value)| text.replace(name, value))
    };
    let mut command = user.program_among(&filled(&server["command"]), &[]);
    command.args(
        server["args"]
            .as_array()
            .expect("arguments")
            .iter()
            .map(filled),
    );
    for (name, value) in server["env"].as_object().into_iter().flatten() {
        command.env(name, filled(value));
    }
    Client::start(command)
}

/// The directory that the user chooses in the client's settings is the tool's.
fn mcpb() {
    let author = toolbox(&["notes"]);
    author.tool("export --mcpb notes.mcpb --thin notes").ok();
    let (directory, manifest) = unpacked(&author.work().join("notes.mcpb"));
    let setting = &manifest["user_config"]["directory_notes"];
    assert_eq!(setting["type"], "directory");
    assert_eq!(manifest["server"]["mcp_config"]["command"], "tool");

    let user = Home::new();
    let chosen = user.work().join("mine");
    std::fs::create_dir(&chosen).expect("a directory");
    let values = [
        ("${__dirname}", directory.to_str().expect("a path")),
        (
            "${user_config.directory_notes}",
            chosen.to_str().expect("a path"),
        ),
    ];
    let mut client = started(&user, &manifest["server"]["mcp_config"], &values);
    let served = client.tools();
    for tool in manifest["tools"].as_array().expect("tools") {
        let told = tool["name"].as_str().expect("a name");
        assert!(served.iter().any(|name| name == told), "{told}: {served:?}");
    }
    let note = json!({ "name": "tea", "text": "two cups" });
    call(&mut client, "notes__write_note", note);
    client.leave();
    let written: Vec<_> = chosen.read_dir().expect("the directory").collect();
    assert_eq!(written.len(), 1, "{written:?}");
}

/// A bundle with the program needs nothing else of the machine.
fn mcpb_with_the_program() {
    let author = toolbox(&["tally"]);
    author.tool("export --mcpb tally.mcpb").ok();
    let (directory, manifest) = unpacked(&author.work().join("tally.mcpb"));
    let server = &manifest["server"];
    let program = directory.join(server["entry_point"].as_str().expect("a program"));
    // Clients set the mode before they start it, as not all that unpack keep it.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(program, mode).expect("a program");
    let values = [("${__dirname}", directory.to_str().expect("a path"))];
    let user = Home::new();
    for expected in [1, 2] {
        let mut client = started(&user, &server["mcp_config"], &values);
        let tea = json!({ "counter": "tea" });
        assert_eq!(call(&mut client, "tally__add", tea), expected);
        client.leave();
    }
}

/// Complaints of the linter about `path`.
#[track_caller]
fn linted(path: &Path) {
    let packages = packages::python(&[LINTER]);
    said(
        Command::new("python3")
            .args(["-m", "skillsaw", "lint", "--no-progress", "--quiet"])
            .arg(path)
            .env("PYTHONPATH", packages),
    );
}

fn plugin() {
    let author = toolbox(&["text-stats", "tally"]);
    author.tool("export --plugin counting").ok();
    let plugin = author.work().join("counting");
    linted(&plugin);
    let read = |file: &str| -> Value {
        let bytes = std::fs::read(plugin.join(file)).expect("a file");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let pins = &read("plugin.json")["extensions"]["org.tool-hub"]["tools"];
    assert_eq!(pins.as_array().map(Vec::len), Some(2), "{pins}");
    let root = plugin.to_str().expect("a path");
    for (servers, variable) in [
        (&read("mcp.json")["mcpServers"], "${PLUGIN_ROOT}"),
        (
            &read(".claude-plugin/plugin.json")["mcpServers"],
            "${CLAUDE_PLUGIN_ROOT}",
        ),
    ] {
        let user = Home::new();
        let values = [(variable, root)];
        let mut client = started(&user, &servers["text-stats"], &values);
        let text = json!({ "text": "one two three" });
        assert_eq!(call(&mut client, "text_stats__count_words", text), 3);
        client.leave();
        let mut client = started(&user, &servers["tally"], &values);
        let tea = json!({ "counter": "tea" });
        assert_eq!(call(&mut client, "tally__add", tea), 1);
        client.leave();
    }

    // Whoever changes a package in the plugin changes its digest.
    let manifest = plugin.join("packages/tally/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(manifest, text.replace("counters", "coins")).expect("a file");
    let user = Home::new();
    let arguments = read("mcp.json")["mcpServers"]["tally"]["args"].clone();
    let arguments = arguments.as_array().expect("arguments").iter();
    let arguments = arguments.map(|word| {
        let word = word.as_str().expect("a word");
        word.replace("${PLUGIN_ROOT}", root)
    });
    let refused = user.run(arguments);
    assert_eq!(refused.code(), 3, "{}", refused.stderr());
}

/// Its user has no toolbox and named no registry: the plugin says where its tools are from.
fn a_malicious_one_is_dropped() {
    let (registry, ada) = published();
    let author = registry.visitor();
    load(&author, "ada/adder", &[]);
    author.tool("export --plugin adding").ok();
    let plugin = author.work().join("adding");
    let text = std::fs::read_to_string(plugin.join("mcp.json")).expect("a file");
    let text = text.replace("${PLUGIN_ROOT}", plugin.to_str().expect("a path"));
    let servers: Value = serde_json::from_str(&text).expect("JSON");
    let server = &servers["mcpServers"]["adder"];

    let user = Home::new();
    refresh_often(&user);
    let mut client = started(&user, server, &[]);
    let sum = call(&mut client, "adder__add", json!({ "a": 1, "b": 2 }));
    assert_eq!(sum, 3);
    yank(&ada, &STOLEN);
    is_told_of(&mut client, &[]);
    let told = refusal(&mut client, "adder__add");
    assert!(told.contains("1.1.0 was withdrawn as malicious"), "{told}");
    client.leave();

    let arguments = server["args"].as_array().expect("arguments").iter();
    let anew = user.run(arguments.map(|word| word.as_str().expect("a word")));
    says(&anew, 3, "ada/adder 1.1.0 was yanked as malicious");
}

fn server_json() {
    let registry = RegistryProcess::start();
    let repo = publish(&registry, "notes");
    let author = registry.visitor();
    load(&author, &repo, &[]);
    let written = author.tool("export --server-json --package pypi:some-name@0.1.0");
    let document = written.json();
    let place = author.write("published/server.json", written.stdout());
    linted(place.parent().expect("a directory"));

    let package = &document["packages"][0];
    assert_eq!(package["identifier"], "some-name");
    let user = Home::new();
    let chosen = user.work().join("mine");
    std::fs::create_dir(&chosen).expect("a directory");
    let mut words = Vec::new();
    for argument in package["packageArguments"].as_array().expect("arguments") {
        words.extend(
            [&argument["name"], &argument["value"]]
                .into_iter()
                .filter(|it| !it.is_null()),
        );
    }
    let server = json!({ "command": "tool", "args": words });
    let chosen = chosen.to_str().expect("a path");
    let mut client = started(&user, &server, &[("{notes}", chosen)]);
    assert!(client.tools().contains(&"notes__write_note".to_owned()));
    client.leave();
}

fn what_is_refused() {
    let home = toolbox(&["notes", "text-stats"]);
    home.write("full/file", "");
    for (arguments, expected) in [
        ("export --mcpb both.mcpb", "a bundle holds one tool"),
        (
            "export --mcpb x.mcpb nothing",
            "there is no tool called `nothing`",
        ),
        ("export --plugin mine", "a plugin has no setting for one"),
        (
            "export --plugin Mine text_stats",
            "cannot be the name of a plugin",
        ),
        ("export --plugin full text_stats", "is not empty"),
        ("export --server-json text_stats", "--package"),
        (
            "export --server-json --package pypi:x@1.0.0 text_stats",
            "was loaded from a path",
        ),
    ] {
        let ran = home.tool(arguments);
        assert_eq!(ran.code(), 1, "{arguments}: {}", ran.stderr());
        let told = ran.stderr();
        assert!(told.contains(expected), "{arguments}: {told}");
    }
    for left in ["both.mcpb", "x.mcpb", "mine", "Mine"] {
        assert!(!home.work().join(left).exists(), "{left}");
    }
}
