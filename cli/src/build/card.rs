//! Finishes a package's card: puts the manifest's facts into the front matter of README.md.
//! They are description, license and tags. Registries and search read them there.

use tool_hub_manifest::Manifest;

/// The tags by which registries know tools.
const TAGS: [&str; 2] = ["tool-hub", "wasm-component"];
/// The line before and after the front matter.
const FENCE: &str = "---";

/// A card, and what the author should know about it.
#[derive(Debug)]
pub(crate) struct FinishedCard {
    /// The card, Markdown with front matter in YAML.
    pub(crate) text: String,
    /// True if the author's front matter described the tool in other words.
    pub(crate) description_differed: bool,
}

/// Finishes an author's card: the description becomes the manifest's, the license is added
/// where there is none, and so are the tags that tools have. Nothing else changes. Front
/// matter without an end is taken as a part of the text.
pub(crate) fn finished(author: &str, manifest: &Manifest) -> FinishedCard {
    let (mut entries, body) = match front_matter(author) {
        Some((matter, body)) => (entries(matter), body),
        None => (Vec::new(), author),
    };
    let mut description_differed = false;
    if !manifest.description.is_empty() {
        let line = format!("description: {}", quoted(&manifest.description));
        match find(&mut entries, "description") {
            Some(entry) => {
                description_differed = !entry.says(&manifest.description);
                entry.lines = vec![line];
            }
            None => entries.push(Entry::new("description", vec![line])),
        }
    }
    let license = manifest.license.as_deref().filter(|it| is_identifier(it));
    if let Some(license) = license
        && find(&mut entries, "license").is_none()
    {
        let line = format!("license: {}", license.to_ascii_lowercase());
        entries.push(Entry::new("license", vec![line]));
    }
    match find(&mut entries, "tags") {
        Some(tags) => add_tags(tags),
        None => {
            let lines = TAGS.iter().map(|tag| format!("  - {tag}"));
            let lines = std::iter::once("tags:".to_owned()).chain(lines).collect();
            entries.push(Entry::new("tags", lines));
        }
    }
    let lines: Vec<String> = entries.into_iter().flat_map(|entry| entry.lines).collect();
    FinishedCard {
        text: format!("{FENCE}\n{}\n{FENCE}\n{body}", lines.join("\n")),
        description_differed,
    }
}

/// The lines between the fences, and what follows them.
fn front_matter(card: &str) -> Option<(&str, &str)> {
    let rest = card.strip_prefix('\u{feff}').unwrap_or(card);
    let mut lines = rest.split_inclusive('\n');
    let opening = lines.next().filter(|line| line.trim_end() == FENCE)?;
    let mut end = opening.len();
    for line in lines {
        if line.trim_end() == FENCE {
            return Some((&rest[opening.len()..end], &rest[end + line.len()..]));
        }
        end += line.len();
    }
    None
}

/// A key of the outermost mapping, with every line that belongs to it.
struct Entry {
    key: Option<String>,
    lines: Vec<String>,
}

impl Entry {
    fn new(key: &str, lines: Vec<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            lines,
        }
    }

    /// The text after the colon of the first line.
    fn value(&self) -> &str {
        let first = self.lines.first().map(String::as_str).unwrap_or_default();
        first.split_once(':').map_or("", |(_, value)| value.trim())
    }

    /// True if the value is one line that means `text`.
    fn says(&self, text: &str) -> bool {
        let value = self.value();
        let plain = ['"', '\'']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        value == quoted(text) || plain.unwrap_or(value) == text
    }
}

/// Lines that are indented, blank, comments or items of a list belong to the key above them.
fn entries(matter: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in matter.lines().map(str::trim_end) {
        let key = key_of(line);
        match entries.last_mut() {
            Some(last) if key.is_none() => last.lines.push(line.to_owned()),
            _ => entries.push(Entry {
                key: key.map(str::to_owned),
                lines: vec![line.to_owned()],
            }),
        }
    }
    entries
}

fn key_of(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#', '-']) {
        return None;
    }
    let (key, _) = line.split_once(':')?;
    Some(key.trim_end().trim_matches(['"', '\'']))
}

fn find<'a>(entries: &'a mut [Entry], key: &str) -> Option<&'a mut Entry> {
    let mut entries = entries.iter_mut();
    entries.find(|entry| entry.key.as_deref() == Some(key))
}

/// Adds the tags that are missing to a list in either of YAML's forms.
fn add_tags(entry: &mut Entry) {
    let value = entry.value().to_owned();
    if let Some(items) = value.strip_prefix('[') {
        let all = entry.lines.join(" ");
        let (_, all) = all.split_once('[').unwrap_or_default();
        let there: Vec<&str> = all.split([',', ']']).map(bare).collect();
        let missing: Vec<&str> = TAGS
            .into_iter()
            .filter(|tag| !there.contains(tag))
            .collect();
        if !missing.is_empty() {
            let is_empty = there.iter().all(|tag| tag.is_empty());
            let separator = if is_empty { "" } else { ", " };
            entry.lines[0] = format!("tags: [{}{separator}{items}", missing.join(", "));
        }
        return;
    }
    let item = |line: &str| {
        line.trim_start()
            .strip_prefix("- ")
            .map(bare)
            .map(str::to_owned)
    };
    let there: Vec<String> = entry.lines.iter().filter_map(|line| item(line)).collect();
    let is_list = !there.is_empty() || value.is_empty();
    if !is_list {
        return;
    }
    let first = entry.lines.iter().find(|line| item(line).is_some());
    let indentation = first.map_or(2, |line| line.len() - line.trim_start().len());
    let missing = TAGS
        .into_iter()
        .filter(|tag| !there.iter().any(|it| it == tag));
    let lines = missing.map(|tag| format!("{}- {tag}", " ".repeat(indentation)));
    let after_key = entry.lines.split_off(1);
    entry.lines.extend(lines);
    entry.lines.extend(after_key);
}

fn bare(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// An SPDX identifier rather than an expression of several: cards know no other.
fn is_identifier(license: &str) -> bool {
    license
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-.".contains(c))
}

/// A JSON string, which YAML reads as the same text.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let text = "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\n\
                    description = \"Says \\\"no\\\": twice.\"\nlicense = \"Apache-2.0\"\n";
        text.parse().unwrap()
    }

    const DESCRIPTION: &str = r#"description: "Says \"no\": twice.""#;

    #[track_caller]
    fn check(author: &str, expect: &str, differed: bool) {
        let card = finished(author, &manifest());
        assert_eq!(card.text, expect);
        assert_eq!(card.description_differed, differed);
        let again = finished(&card.text, &manifest());
        assert_eq!(again.text, card.text, "a finished card is finished");
        assert!(!again.description_differed);
    }

    #[test]
    fn a_card_without_front_matter_gets_one() {
        let matter = format!(
            "---\n{DESCRIPTION}\nlicense: apache-2.0\ntags:\n  - tool-hub\n  - wasm-component\n---\n"
        );
        check("# x\n", &format!("{matter}# x\n"), false);
        check("", &matter, false);
        let rule = "---\nno end\n";
        check(rule, &format!("{matter}{rule}"), false);
    }

    #[test]
    fn the_description_follows_and_everything_else_stays() {
        check(
            "---\n# mine\nlicense: mit\ndescription: >\n  Something\n  else.\nlanguage:\n- en\ntags: [tool-hub, wasm-component]\n---\n\n# x\n---\ndescription: prose\n",
            &format!(
                "---\n# mine\nlicense: mit\n{DESCRIPTION}\nlanguage:\n- en\ntags: [tool-hub, wasm-component]\n---\n\n# x\n---\ndescription: prose\n"
            ),
            true,
        );
    }

    #[test]
    fn the_same_description_in_other_quotes_is_no_difference() {
        check(
            "---\ndescription: 'Says \"no\": twice.'\nlicense: mit\ntags: [tool-hub, wasm-component]\n---\n",
            &format!("---\n{DESCRIPTION}\nlicense: mit\ntags: [tool-hub, wasm-component]\n---\n"),
            false,
        );
    }

    #[test]
    fn missing_tags_are_added_in_the_list_s_own_form() {
        #[track_caller]
        fn tags(author: &str, expect: &str) {
            let rest = format!("license: mit\n{DESCRIPTION}");
            check(
                &format!("---\n{rest}\n{author}\n---\n"),
                &format!("---\n{rest}\n{expect}\n---\n"),
                false,
            );
        }
        tags("tags: []", "tags: [tool-hub, wasm-component]");
        tags("tags: [a]", "tags: [tool-hub, wasm-component, a]");
        tags(
            "tags:\n- a\n- \"tool-hub\"",
            "tags:\n- wasm-component\n- a\n- \"tool-hub\"",
        );
        tags(
            "tags:\n    - a",
            "tags:\n    - tool-hub\n    - wasm-component\n    - a",
        );
        tags("tags: one", "tags: one");
    }

    #[test]
    fn an_expression_of_licenses_and_no_description_add_nothing() {
        let manifest =
            "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\nlicense = \"MIT OR Apache-2.0\"\n";
        let card = finished(
            "---\ntags: [tool-hub, wasm-component]\n---\n",
            &manifest.parse().unwrap(),
        );
        assert_eq!(card.text, "---\ntags: [tool-hub, wasm-component]\n---\n");
    }
}
