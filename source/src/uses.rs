//! Finds what a source file reaches: origins in literals, files, variables, modules for requests.
//! Comments, documentation and tests do not count.

mod found;
mod rust;
mod tree;

use crate::language::Language;
use crate::limits::SOURCE_BYTES_MAX;
pub use found::{Use, UseKind};

/// The files, origins, variables and HTTP clients that `text` uses, in its order.
/// Nothing where it is too long or not written in `language`.
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
        let expect = expect.iter().map(|(line, it)| (*line, (*it).to_owned()));
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
