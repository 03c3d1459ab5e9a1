//! Parses Rust doc comments: the first paragraph, and `# Arguments` and `# Returns`.

use std::collections::HashMap;

use syn::{Attribute, Expr, Lit, Meta};

/// The parts of a doc comment.
#[derive(Debug, Default)]
pub(super) struct Comment {
    /// Its first paragraph.
    pub(super) description: String,
    /// The descriptions of the parameters.
    pub(super) arguments: HashMap<String, String>,
    /// The description of the result.
    pub(super) returns: String,
}

impl Comment {
    pub(super) fn of(attributes: &[Attribute]) -> Self {
        let lines: Vec<String> = attributes.iter().filter_map(text_of).collect();
        let text = lines.join("\n");
        let mut comment = Self::default();
        let mut section = String::new();
        let mut lines = Vec::new();
        for line in text.lines() {
            match line.trim_start().strip_prefix("# ") {
                Some(heading) => {
                    comment.add(&section, &lines);
                    section = heading.trim().to_lowercase();
                    lines.clear();
                }
                None => lines.push(line),
            }
        }
        comment.add(&section, &lines);
        comment
    }

    fn add(&mut self, section: &str, lines: &[&str]) {
        match section {
            "" => self.description = first_paragraph(lines),
            "arguments" | "parameters" => self.arguments = items(lines),
            "returns" => self.returns = first_paragraph(lines),
            _ => {}
        }
    }
}

/// The text of `#[doc = "…"]`, which `/// …` is short for.
fn text_of(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    let Expr::Lit(literal) = &meta.value else {
        return None;
    };
    match &literal.lit {
        Lit::Str(text) if meta.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
}

fn first_paragraph(lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| line.trim());
    let lines = lines.skip_while(|line| line.is_empty());
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// A list of ``* `name` - text`` or ``- `name`: text``, where text goes on until the next item.
fn items(lines: &[&str]) -> HashMap<String, String> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in lines {
        if let Some((name, text)) = item(line) {
            found.push((name.to_owned(), text.to_owned()));
        } else if let Some((_, text)) = found.last_mut() {
            text.push(' ');
            text.push_str(line.trim());
        }
    }
    let found = found.into_iter();
    found
        .map(|(name, text)| (name, text.trim().to_owned()))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

fn item(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix(['*', '-'])?.trim_start();
    let (name, rest) = match rest.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?,
        None => {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            rest.split_at(end)
        }
    };
    let text = rest.trim_start().trim_start_matches(['-', ':', '–', '—']);
    (!name.is_empty()).then_some((name, text.trim_start()))
}
