//! Reads documents' console examples and tables, and `tool`'s real commands, options, variables.

use std::collections::BTreeSet;

use super::{Home, files, root};

/// A line after a shell's prompt, and what the README shows below it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) line: String,
    pub(crate) shows: Vec<String>,
}

/// The steps of every console in `text`, in order.
pub(crate) fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for console in text.split("```console\n").skip(1) {
        let (console, _) = console.split_once("\n```").expect("a console has an end");
        let mut lines = console.lines().peekable();
        assert!(lines.peek().is_some_and(|line| line.starts_with("$ ")));
        for line in lines {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (None, Some(step)) => step.shows.push(line.to_owned()),
                (typed, _) => steps.push(Step {
                    line: typed.unwrap_or(line).to_owned(),
                    shows: Vec::new(),
                }),
            }
        }
    }
    steps
}

pub(crate) fn reference() -> String {
    std::fs::read_to_string(root().join("docs/reference.md")).expect("docs/reference.md")
}

/// The first cells of the table after the heading `heading`, with the second ones.
pub(crate) fn rows(reference: &str, heading: &str) -> Vec<(String, String)> {
    let (_, chapter) = reference
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("there is no {heading}"));
    let table = chapter.lines().skip_while(|line| !line.starts_with('|'));
    table
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let mut cell = || cells.next().expect("two cells").to_owned();
            (cell(), cell())
        })
        .collect()
}

/// What stands between backquotes in a cell.
pub(crate) fn words(cell: &str) -> impl Iterator<Item = String> {
    let words = cell.split('`').skip(1).step_by(2);
    words.map(str::to_owned)
}

/// The commands that a help lists, each after `prefix`.
pub(crate) fn offered(help: &str, prefix: &str) -> BTreeSet<String> {
    let help = Home::new().tool(help).ok();
    let (_, list) = help
        .split_once("\nCommands:\n")
        .expect("commands are listed");
    list.lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(|name| format!("{prefix}{name}"))
        .collect()
}

/// The long options that a help lists, those of every command aside.
pub(crate) fn options_of(help: &str) -> BTreeSet<String> {
    const OF_EVERY_COMMAND: [&str; 5] = ["--endpoint", "--json", "--quiet", "--verbose", "--help"];
    let help = Home::new().tool(help).ok();
    help.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
        .filter(|option| !OF_EVERY_COMMAND.contains(option))
        .map(str::to_owned)
        .collect()
}

/// The variables of the environment that the command reads.
pub(crate) fn variables_read() -> BTreeSet<String> {
    // The command reads the environment; the toolbox looks variables up in what it is handed.
    let read_by = [
        ("cli/src", "variable(\""),
        ("toolbox/src", ".text(\""),
        ("toolbox/src", "directory(\""),
    ];
    let read = read_by.into_iter().flat_map(|(directory, call)| {
        let sources = files(&root().join(directory)).into_iter();
        let code = sources.filter(|path| path.extension().is_some_and(|it| it == "rs"));
        code.flat_map(move |path| {
            let text = std::fs::read_to_string(path).expect("source code");
            let lines = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let calls = lines.filter_map(|line| line.split(call).nth(1));
            let names = calls.filter_map(|rest| rest.split('"').next());
            names.map(str::to_owned).collect::<Vec<_>>()
        })
    });
    read.collect()
}
