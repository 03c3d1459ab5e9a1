//! Tests that the examples, keys, limits, variables and options in `docs/reference.md` are right.

use std::collections::BTreeSet;
use std::fmt::Debug;

use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::declare::Language;
use tool_hub_host::CompileLimits;
use tool_hub_manifest::{Limits, Manifest, Toolbox};

use crate::support::documents::{offered, options_of, reference, rows, variables_read, words};
use crate::support::{Home, Test, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "reference::examples_are_the_ones_that_are_built",
            examples_are_the_ones_that_are_built,
        ),
        test(
            "reference::limits_have_their_values",
            limits_have_their_values,
        ),
        test(
            "reference::every_variable_is_named",
            every_variable_is_named,
        ),
        test("reference::every_format_is_named", every_format_is_named),
        test("reference::every_key_is_shown", every_key_is_shown),
        test("reference::config_toml_is_read", config_toml_is_read),
        test(
            "reference::the_registry_s_commands_are_all_there",
            the_registry_s_commands_are_all_there,
        ),
    ]
}

/// The first block of `language` after the heading `heading`.
#[track_caller]
fn block(reference: &str, heading: &str, language: &str) -> String {
    let (_, chapter) = reference
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("there is no {heading}"));
    let (_, rest) = chapter
        .split_once(&format!("```{language}\n"))
        .expect("a block");
    let (block, _) = rest.split_once("```\n").expect("its end");
    block.to_owned()
}

fn examples_are_the_ones_that_are_built() {
    let reference = reference();
    for (heading, language, file) in [
        ("## Pictures, replies and failures", "wit", "world.wit"),
        ("### Rust, `src/lib.rs`", "rust", "lib.rs"),
        ("### Python, `app.py`", "python", "app.py"),
        ("### JavaScript, `tool.js`", "js", "tool.js"),
    ] {
        let built = std::fs::read_to_string(root().join("docs/examples").join(file));
        assert_eq!(
            block(&reference, heading, language),
            built.expect("an example"),
            "{file}"
        );
    }
}

fn limits_have_their_values() {
    check_limits("## Limits", &Limits::standard());
    check_limits("### The compiler's limits", &CompileLimits::standard());
}

/// The table after `heading` is what `limits` say, field by field.
fn check_limits(heading: &str, limits: &dyn Debug) {
    let limits = format!("{limits:?}");
    let (_, fields) = limits.split_once("{ ").expect("a struct");
    let actual: Vec<(String, String)> = fields
        .trim_end_matches(" }")
        .split(", ")
        .map(|field| {
            let (name, value) = field.split_once(": ").expect("a field and its value");
            let value = in_units(name, value.parse().expect("a number"));
            (format!("`{name}`"), value)
        })
        .collect();
    assert_eq!(rows(&reference(), heading), actual);
}

fn in_units(name: &str, value: u64) -> String {
    match name.rsplit('_').next() {
        Some("ms") => format!("{} s", value / 1_000),
        Some("seconds") => format!("{value} s"),
        Some("bytes") if value < 1 << 20 => format!("{} KiB", value >> 10),
        Some("bytes") => format!("{} MiB", value >> 20),
        _ => value.to_string(),
    }
}

fn every_variable_is_named() {
    let read = variables_read();
    assert!(read.contains("TOOL_HUB_HOME"), "{read:?}");
    let named: String = rows(&reference(), "## Environment variables")
        .into_iter()
        .map(|(names, _)| names)
        .collect();
    for name in read {
        assert!(named.contains(&format!("`{name}`")), "{name} is not named");
    }
}

fn every_format_is_named() {
    let dialects = Dialect::ALL.iter().map(|dialect| dialect.as_str());
    let languages = Language::ALL.iter().map(|language| language.as_str());
    let formats: Vec<String> = dialects
        .chain(languages)
        .map(|format| format!("`{format}`"))
        .collect();
    let named = rows(&reference(), "## `tool export`").into_iter();
    assert_eq!(named.map(|(name, _)| name).collect::<Vec<_>>(), formats);
}

/// Each example sets every optional key, as is asserted one by one. An unknown key would not have
/// been parsed.
fn every_key_is_shown() {
    let reference = reference();
    let manifest: Manifest = block(&reference, "## `tool.toml`", "toml")
        .parse()
        .expect("a manifest");
    let build = manifest.build.expect("[build]");
    assert!(build.source.is_some() && build.world.is_some() && build.icon.is_some());
    let function = manifest.functions.values().next().expect("a function");
    assert!(function.export.is_some() && function.title.is_some());
    let mut inputs = function.inputs.values();
    assert!(inputs.any(|input| !input.members.is_empty()));
    let output = function.output.as_ref();
    assert!(output.is_some_and(|output| !output.members.is_empty()));
    assert!(!function.examples.is_empty());
    let hints = function.annotations();
    assert!(hints.read_only.is_some() && hints.idempotent.is_some());
    assert!(hints.destructive.is_some() && hints.open_world.is_some());
    let asked = &manifest.capabilities;
    assert!(!asked.network.is_empty() && !asked.directories.is_empty());
    assert!(asked.variables.iter().any(|variable| variable.secret));
    assert!(!asked.credentials.is_empty() && function.confirm.is_some());
    assert!(asked.storage.is_some());
    assert!(manifest.limits.memory_mib.is_some() && manifest.limits.call_seconds.is_some());

    let toolbox: Toolbox = block(&reference, "## `toolbox.toml`", "toml")
        .parse()
        .expect("a toolbox");
    let entry = toolbox.tools.values().next().expect("a tool");
    assert!(entry.repo.is_some() && entry.version.is_some() && entry.endpoint.is_some());
    assert!(entry.description.is_some() && !entry.functions.is_empty());
    let grants = entry.grants.as_ref().expect("grants");
    assert!(grants.credentials.is_some());
    assert!(grants.network.is_some() && grants.directories.is_some());
    assert!(grants.variables.is_some() && grants.storage.is_some());
}

fn config_toml_is_read() {
    let home = Home::new();
    let (_, rest) = reference()
        .split_once("`config.toml` has nine keys:")
        .map(|(before, rest)| (before.to_owned(), rest.to_owned()))
        .expect("a word on config.toml");
    let text = block(&format!("\n#\n{rest}"), "#", "toml");
    // The last one is a table.
    let keys = text.lines().take_while(|line| !line.is_empty());
    let keys = keys.chain(text.lines().filter(|line| line.starts_with("[logs.")));
    assert_eq!(keys.count(), 9, "{text}");
    let write = |text: &str| {
        std::fs::write(home.tool_home().join("config.toml"), text).expect("config.toml");
    };
    write(&text.replace("4GiB", "much"));
    let refused = home.tool("doctor");
    assert!(refused.stderr().contains("500MB"), "{}", refused.stderr());
    write(&text.replace("https://tools.example.com", "http://127.0.0.1:1"));
    let asked = home.tool("whoami");
    assert!(
        asked.stderr().contains("http://127.0.0.1:1"),
        "{}",
        asked.stderr()
    );
}

/// The tables of the registry's commands and options are what the commands' own help says.
fn the_registry_s_commands_are_all_there() {
    let reference = reference();
    let common = options_of("registry --help");
    let named: BTreeSet<String> = rows(&reference, "## `tool registry`")
        .iter()
        .flat_map(|(option, _)| words(option))
        .collect();
    assert_eq!(named, common);

    let (_, chapter) = reference
        .split_once("\n| command | options |")
        .expect("a table of commands");
    let written: BTreeSet<(String, BTreeSet<String>)> =
        rows(&format!("\n#\n| command | options |{chapter}"), "#")
            .into_iter()
            .map(|(command, options)| (command_of(&command), words(&options).collect()))
            .collect();
    let mut actual = BTreeSet::new();
    for path in registry_commands() {
        let options = options_of(&format!("registry {path} --help"));
        actual.insert((path, options.difference(&common).cloned().collect()));
    }
    assert_eq!(written, actual);
}

/// `user add`, `serve` and all the others below `tool registry`.
fn registry_commands() -> Vec<String> {
    let groups = offered("registry --help", "");
    groups
        .into_iter()
        .flat_map(|group| {
            let help = format!("registry {group} --help");
            if !Home::new().tool(&help).ok().contains("\nCommands:\n") {
                return vec![group];
            }
            offered(&help, &format!("{group} ")).into_iter().collect()
        })
        .collect()
}

/// `user add` of "`user add NAME`".
fn command_of(cell: &str) -> String {
    let written = words(cell).next().expect("a command");
    let verbs = written.split(' ');
    let verbs: Vec<&str> = verbs
        .take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect();
    verbs.join(" ")
}
