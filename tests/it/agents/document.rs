//! Tests of `docs/agents.md`: the client scripts run its lines, and its consoles show true output.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::scripts;
use super::toolbox::served;
use crate::support::documents::steps;
use crate::support::{Need, Server, Test, root, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "agents::the_document_shows_what_is_run",
            the_document_shows_what_is_run,
        ),
        test(
            "agents::the_document_s_consoles_work",
            the_document_s_consoles_work,
        )
        .needs(&[
            Need::RustGuests,
            Need::PythonGuest,
            Need::JavascriptGuest,
            Need::Curl,
        ]),
    ]
}

/// The server of the document, as it writes it, and where it answers.
const ORIGIN: &str = "http://127.0.0.1:8765";
const PATH: &str = "/mcp";

fn document() -> String {
    std::fs::read_to_string(root().join("docs/agents.md")).expect("docs/agents.md")
}

/// The document says with which versions of a client its lines were run.
#[track_caller]
pub(super) fn names(packages: &[&str]) {
    let document = document();
    for package in packages {
        assert!(document.contains(&format!("`{package}`")), "{package}");
    }
}

/// Every paragraph of a block stands in one of the files that its section links to, and every
/// client's script is linked to.
fn the_document_shows_what_is_run() {
    let document = document();
    let mut linked = BTreeSet::new();
    let sections = document.split("\n## ");
    for section in sections.flat_map(|chapter| chapter.split("\n### ")) {
        let sources = sources(section);
        let texts = sources.iter().map(std::fs::read_to_string);
        let texts: Vec<String> = texts.map(|text| text.expect("a source")).collect();
        for paragraph in paragraphs(section) {
            assert!(
                texts.iter().any(|text| holds(text, paragraph)),
                "none of {sources:?} has these lines:\n{paragraph}"
            );
        }
        linked.extend(sources);
    }
    for entry in std::fs::read_dir(scripts()).expect("scripts") {
        let script = entry.expect("a script").path();
        let text = std::fs::read_to_string(&script).expect("a script");
        let is_client = text.contains("\nmain(connect") || text.contains("\nawait main(connect");
        assert_eq!(linked.contains(&script), is_client, "{script:?}");
    }
}

/// The programs that a section links to.
pub(crate) fn sources(section: &str) -> Vec<PathBuf> {
    let links = section.split("](../").skip(1);
    links
        .filter_map(|rest| rest.split(')').next())
        .filter(|path| Path::new(path).extension().is_some_and(|it| it != "md"))
        .map(|path| root().join(path))
        .collect()
}

/// What stands between empty lines in the blocks of a section, consoles aside.
pub(crate) fn paragraphs(section: &str) -> impl Iterator<Item = &str> {
    let blocks = section.split("\n```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.split_once('\n'))
        .filter(|(language, _)| *language != "console")
        .flat_map(|(_, lines)| lines.split("\n\n"))
}

/// Whether `text` has the lines of `paragraph` one after the other, all of them further in by
/// the same amount.
pub(crate) fn holds(text: &str, paragraph: &str) -> bool {
    (0..=12).step_by(2).any(|columns| {
        let indented = format!("\n{}", " ".repeat(columns));
        text.contains(&paragraph.replace('\n', &indented))
    })
}

fn the_document_s_consoles_work() {
    let served = served();
    let mut server = None;
    for step in steps(&document()) {
        if let Some(line) = step.line.strip_suffix(" &") {
            let anywhere = format!("exec {line} --listen 127.0.0.1:0");
            server = Some(Server::start(served.user.shell(&anywhere)));
            assert_eq!(step.shows, [format!("{ORIGIN}{PATH}")]);
            continue;
        }
        let mut line = step.line.clone();
        if let Some(server) = &server {
            let origin = server.url().strip_suffix(PATH).expect("a URL");
            line = line.replace(ORIGIN, origin);
        }
        // There is nobody at a terminal who could say it.
        if line.starts_with("tool connect") {
            line += " --yes";
        }
        let output = served.user.shell(&line).output().expect("a shell starts");
        let shown = String::from_utf8_lossy(&output.stdout);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "$ {line}\n{shown}{told}");
        if !step.shows.is_empty() {
            let shows = step.shows.join("\n");
            // What differs from build to build is left out.
            let is_shown = match shows.split_once('…') {
                Some((begin, end)) => shown.starts_with(begin) && shown.trim_end().ends_with(end),
                None => shown.trim_end() == shows,
            };
            assert!(is_shown, "$ {line}\n{shown}{told}\nis not\n{shows}");
        }
    }
    assert!(server.is_some());
}
