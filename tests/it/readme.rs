//! Tests of the README: its tour works as written, and its table has the command's commands.

use std::collections::BTreeSet;

use crate::support::documents::{Step, offered, steps};
use crate::support::terminal::CTRL_D;
use crate::support::{Home, Need, Server, Terminal, Test, guests, kept, root, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("readme::the_tour_can_be_taken", the_tour_can_be_taken).needs(&[Need::RustGuests]),
        test(
            "readme::the_table_names_every_command",
            the_table_names_every_command,
        ),
    ]
}

/// The registry of the tour, as the README writes it.
const ENDPOINT: &str = "http://127.0.0.1:8080";

/// The README from the heading `from` to the next one of the same level.
fn chapter(from: &str) -> String {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let (_, rest) = readme
        .split_once(&format!("\n## {from}\n"))
        .unwrap_or_else(|| panic!("README.md has no chapter {from:?}"));
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

fn the_tour_can_be_taken() {
    let tour = steps(&chapter("The tour"));
    for verb in ["registry", "new", "push", "search", "load", "call", "serve"] {
        let typed = format!("tool {verb}");
        assert!(
            tour.iter().any(|step| step.line.starts_with(&typed)),
            "{verb}"
        );
    }
    let mut stranger = Stranger::new();
    for step in &tour {
        stranger.take(step);
    }
    let listed = stranger.home.tool("list --json").json();
    let names: Vec<_> = (0..3)
        .map(|index| &listed["tools"][index]["name"])
        .collect();
    assert_eq!(names, ["greeter", "notes", "fetch_page"], "{listed}");
    assert!(tour.iter().any(|step| !step.shows.is_empty()));
}

/// Somebody in a clone of this repository, at a terminal.
struct Stranger {
    home: Home,
    /// What was exported so far, one command a line.
    exported: String,
    registry: Option<Server>,
    endpoint: String,
    /// The token that was shown, once.
    token: String,
}

impl Stranger {
    fn new() -> Self {
        // What is costly to compile is kept from run to run.
        let target = kept().join("readme");
        let home = Home::new().with("CARGO_TARGET_DIR", &target.to_string_lossy());
        std::fs::remove_file(home.tool_home().join("config.toml")).expect("config.toml");
        guests::copy_sources(&home.work());
        let workspace = std::fs::read(root().join("Cargo.toml")).expect("Cargo.toml");
        home.write("Cargo.toml", workspace);
        Self {
            home,
            exported: String::new(),
            registry: None,
            endpoint: ENDPOINT.to_owned(),
            token: String::new(),
        }
    }

    /// Types the line of a step and looks whether what it shows is shown.
    fn take(&mut self, step: &Step) {
        let line = step.line.replace(ENDPOINT, &self.endpoint);
        if line.starts_with("export ") {
            self.exported.push_str(&format!("{line}\n"));
        } else if let Some(registry) = line.strip_suffix(" &") {
            self.start(registry);
        } else {
            self.run(&line, &step.shows);
        }
    }

    /// Starts the registry in the background, on a port that is free.
    fn start(&mut self, line: &str) {
        let anywhere = line.replace("127.0.0.1:8080", "127.0.0.1:0");
        assert_ne!(anywhere, line, "the registry listens where the tour says");
        let registry = Server::start(self.home.shell(&format!("exec {anywhere}")));
        self.endpoint = registry.url().to_owned();
        self.registry = Some(registry);
    }

    /// Runs a line at a terminal, answers what it asks, and sees it end well.
    fn run(&mut self, line: &str, shows: &[String]) {
        let command = self.home.shell(&format!("{}{line}", self.exported));
        let mut terminal = Terminal::start(command);
        // A command asks a question once; what it repeats later is a report.
        let mut questions = vec![
            (format!("Token for {}", self.endpoint), Answer::Token),
            ("Type yes to approve: ".to_owned(), Answer::Yes),
            ("Type yes to build: ".to_owned(), Answer::Yes),
            ("Type yes to start it: ".to_owned(), Answer::Yes),
            ("on standard input and output".to_owned(), Answer::End),
        ];
        loop {
            let texts: Vec<&str> = questions.iter().map(|(text, _)| text.as_str()).collect();
            let Some(question) = terminal.wait_for_any(&texts) else {
                break;
            };
            match questions.remove(question).1 {
                Answer::Token => {
                    terminal.wait_until_keys_are_hidden();
                    terminal.answer(&self.token);
                }
                Answer::Yes => terminal.answer("yes"),
                Answer::End => terminal.press(CTRL_D),
            }
        }
        let ended = terminal.end();
        let shown = ended.shown.replace("\r\n", "\n");
        assert!(ended.status.success(), "$ {line}\n{shown}");
        let expected = shows.join("\n");
        assert!(
            shown.contains(&expected),
            "$ {line}\n{shown}\nexpected:\n{expected}"
        );
        if line.starts_with("tool registry token create") {
            let token = shown.lines().find(|line| line.starts_with("hf_"));
            self.token = token.expect("a token is shown").to_owned();
        }
    }
}

/// What a stranger does when a command waits for them.
enum Answer {
    Token,
    Yes,
    /// Nothing more comes from the keyboard.
    End,
}

fn the_table_names_every_command() {
    let table = chapter("The commands");
    let (subcommands, commands): (BTreeSet<String>, BTreeSet<String>) = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .flat_map(commands_of_row)
        .partition(|name| name.contains(' '));
    let groups: BTreeSet<&str> = subcommands
        .iter()
        .filter_map(|name| Some(name.split_once(' ')?.0))
        .collect();
    let mut named: BTreeSet<String> = commands;
    named.extend(groups.iter().map(|group| (*group).to_owned()));
    assert_eq!(named, offered("--help", ""));
    let in_groups = groups
        .iter()
        .flat_map(|group| offered(&format!("{group} --help"), &format!("{group} ")));
    assert_eq!(subcommands, in_groups.collect());
}

/// The commands in the first cell of a row; `registry a\|b` names two of them.
fn commands_of_row(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "/");
    let cell = row.split('|').nth(1).unwrap_or_default().to_owned();
    let names = cell.split('`').skip(1).step_by(2);
    names
        .flat_map(|name| match name.split_once(' ') {
            Some((command, words)) => words
                .split('/')
                .map(|word| format!("{command} {word}"))
                .collect(),
            None => vec![name.to_owned()],
        })
        .collect()
}
