//! Names of notes: checked to be safe as file names, and turned into file names and resource URIs.

use std::fmt;

const CHARACTERS_MAX: usize = 64;

/// A name that cannot leave the directory: no dot, no separator, nothing but lower case ASCII,
/// so that it means the same on every file system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// Takes `written` as a name; `None` when it is none.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let fits = |character: u8| {
            character.is_ascii_lowercase()
                || character.is_ascii_digit()
                || b"-_".contains(&character)
        };
        let valid = written.len() <= CHARACTERS_MAX
            && written.bytes().all(fits)
            && written
                .bytes()
                .next()
                .is_some_and(|first| first.is_ascii_alphanumeric());
        valid.then(|| Self(written.to_owned()))
    }

    /// A name made of what somebody wrote instead of one; `None` when nothing is left.
    #[must_use]
    pub fn suggest(written: &str) -> Option<Self> {
        let words: Vec<String> = written
            .trim_end_matches(".md")
            .to_ascii_lowercase()
            .split(|character: char| !character.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let joined = words.join("-");
        let cut = joined.get(..CHARACTERS_MAX).unwrap_or(&joined);
        Self::parse(cut.trim_end_matches('-'))
    }

    /// The name of the file.
    #[must_use]
    pub fn file(&self) -> String {
        format!("{}.md", self.0)
    }

    /// The name that a file of this name has, if it is one of ours.
    #[must_use]
    pub fn of_file(file: &str) -> Option<Self> {
        Self::parse(file.strip_suffix(".md")?)
    }

    /// The address under which the note is offered as a resource.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("notes://{}", self.0)
    }

    /// The name in such an address.
    #[must_use]
    pub fn of_uri(uri: &str) -> Option<Self> {
        Self::parse(uri.strip_prefix("notes://")?)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, suggested: Option<&str>) {
        let valid = suggested == Some(written);
        assert_eq!(Name::parse(written).is_some(), valid, "{written:?}");
        let found = Name::suggest(written);
        assert_eq!(found.as_ref().map(Name::as_str), suggested, "{written:?}");
    }

    #[test]
    fn only_safe_names_are_names() {
        check("groceries", Some("groceries"));
        check("meeting-2026-11-20", Some("meeting-2026-11-20"));
        check("7", Some("7"));
        check("", None);
        check("..", None);
        check("../secret", Some("secret"));
        check("/etc/passwd", Some("etc-passwd"));
        check("a\\b", Some("a-b"));
        check("C:", Some("c"));
        check("My Notes.md", Some("my-notes"));
        check("-rf", Some("rf"));
        check(".hidden", Some("hidden"));
        check("a\0b", Some("a-b"));
        check("é", None);
        check(&"x".repeat(65), Some(&"x".repeat(64)));
        assert!(Name::parse("a_b").is_some());
    }

    #[test]
    fn files_and_addresses_lead_back_to_names() {
        let name = Name::parse("groceries").unwrap();
        assert_eq!(Name::of_file(&name.file()), Some(name.clone()));
        assert_eq!(Name::of_uri(&name.uri()), Some(name));
        assert_eq!(Name::of_file("groceries.txt"), None);
        assert_eq!(Name::of_file(".groceries.md"), None);
        assert_eq!(Name::of_uri("notes://../x"), None);
        assert_eq!(Name::of_uri("file://x"), None);
    }
}
