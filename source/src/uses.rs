//! Finds what a source file reaches beyond computing: origins in literals, opened files, variables
//! and modules that send requests. Comments, documentation and tests do not count.

mod rust;
mod tree;

use crate::language::Language;
use crate::limits::SOURCE_BYTES_MAX;
use crate::position::Position;

/// Hosts of names that look like addresses, which no program requests.
const NAMES_ONLY: [&str; 6] = [
    "json-schema.org",
    "purl.org",
    "schema.org",
    "schemas.xmlsoap.org",
    "www.w3.org",
    "xmlns.com",
];

/// Something that a file reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// What is reached.
    pub kind: UseKind,
    /// The position of the literal, the call or the import.
    pub position: Position,
}

/// What a file reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UseKind {
    /// An origin of the web, such as `https://api.example.com`.
    Origin(String),
    /// A file or a directory.
    Path {
        /// Its path.
        path: String,
        /// True if it is changed.
        is_written: bool,
    },
    /// A variable of the environment.
    Variable(String),
    /// A module or a function that sends requests, without an address beside it.
    Requests(String),
}

/// What `text` reaches, in its order. Nothing where it is too long or not written in `language`.
pub fn uses(text: &str, language: Language) -> Vec<Use> {
    if text.len() > SOURCE_BYTES_MAX {
        return Vec::new();
    }
    let mut found = match language {
        Language::Rust => rust::uses(text),
        _ => tree::uses(text, language),
    };
    found.sort_by_key(|found| found.position);
    found
}

/// The origin of an address that begins `literal`; nothing where its host is not all there.
fn origin(literal: &str, is_whole: bool) -> Option<UseKind> {
    let (scheme, rest) = literal.split_once("://")?;
    let end = rest.find(['/', '?', '#']);
    let host = &rest[..end.unwrap_or(rest.len())];
    let is_host = |c: char| c.is_ascii_alphanumeric() || ['.', '-', ':'].contains(&c);
    let is_address = ["http", "https"].contains(&scheme)
        && (is_whole || end.is_some())
        && host.contains('.')
        && host.chars().all(is_host)
        && !NAMES_ONLY.contains(&host);
    is_address.then(|| UseKind::Origin(format!("{scheme}://{host}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expect: &[(usize, &str)]) {
        let found = uses(text, language);
        let found: Vec<(usize, String)> = found
            .into_iter()
            .map(|it| {
                let said = match it.kind {
                    UseKind::Origin(origin) => origin,
                    UseKind::Path { path, is_written } => {
                        format!("{} {path}", if is_written { "write" } else { "read" })
                    }
                    UseKind::Variable(name) => format!("${name}"),
                    UseKind::Requests(name) => format!("by {name}"),
                };
                (it.position.line, said)
            })
            .collect();
        let expect: Vec<_> = expect.iter().map(|(line, it)| (*line, (*it).to_owned()));
        let expect: Vec<(usize, String)> = expect.collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn python() {
        check(
            Language::Python,
            r#"
"""See https://docs.example.com/."""
import os
# https://comment.example.com
URL = "https://api.example.com/v1"
def f(a):
    """https://docstring.example.com"""
    open("/notes/list.txt")
    open("/notes/new.txt", "w")
    Path("/data/x").read_text()
    os.environ["API_KEY"], os.getenv("OTHER"), os.environ.get("THIRD")
    return f"https://{a}.example.com/", f"https://b.example.com/{a}", "http://www.w3.org/2000/svg"
def test_f():
    get("https://test.example.com")
if __name__ == "__main__":
    f("https://main.example.com")
"#,
            &[
                (5, "https://api.example.com"),
                (8, "read /notes/list.txt"),
                (9, "write /notes/new.txt"),
                (10, "read /data/x"),
                (11, "$API_KEY"),
                (11, "$OTHER"),
                (11, "$THIRD"),
                (12, "https://b.example.com"),
            ],
        );
        check(
            Language::Python,
            "import requests\nfrom wit_world.imports import outgoing_handler\nimport json\n",
            &[
                (1, "by requests"),
                (2, "by wit_world.imports.outgoing_handler"),
            ],
        );
    }

    #[test]
    fn javascript() {
        check(
            Language::TypeScript,
            r#"
// https://comment.example.com
/** https://doc.example.com */
import { handle } from "wasi:http/outgoing-handler@0.2.0";
const url = 'https://api.example.com';
export function f(a: string) {
  fetch(`https://b.example.com/${a}`);
  fetch(`https://${a}.example.com/`);
  return process.env.API_KEY;
}
describe("f", () => { f("https://test.example.com"); });
"#,
            &[
                (4, "by wasi:http/outgoing-handler@0.2.0"),
                (5, "https://api.example.com"),
                (7, "by fetch"),
                (7, "https://b.example.com"),
                (8, "by fetch"),
                (9, "$API_KEY"),
            ],
        );
    }

    #[test]
    fn rust() {
        check(
            Language::Rust,
            r#"
//! https://doc.example.com
const URL: &str = "https://api.example.com/v1";
/// https://item.example.com
fn f() {
    std::fs::read_to_string("/notes/a.txt");
    fs::write("/notes/b.txt", "x");
    File::open("/data/x");
    std::env::var("API_KEY");
    format!("https://b.example.com/{}", 1);
    format!("https://{}.example.com/", 1);
}
use wasi::http::outgoing_handler;
#[cfg(test)]
mod tests {
    const URL: &str = "https://test.example.com";
}
"#,
            &[
                (3, "https://api.example.com"),
                (6, "read /notes/a.txt"),
                (7, "write /notes/b.txt"),
                (8, "read /data/x"),
                (9, "$API_KEY"),
                (10, "https://b.example.com"),
                (13, "by wasi::http"),
            ],
        );
    }
}
