//! Writes the differences between two tools as lines for people.

use tool_hub_agent::characters::escape_line;
use tool_hub_host::Change;

/// `changes` as lines for people. Texts from the tool are escaped and kept on one line. What two
/// long texts have in common is left out.
pub fn lines(changes: &[Change]) -> Vec<String> {
    let mut lines = Vec::new();
    for change in changes {
        let mut shown = change.clone();
        shown.what = escape_line(&change.what);
        let mut note = None;
        if let (Some(before), Some(after)) = (&change.before, &change.after) {
            let parts = Parts::of(before, after);
            shown.before = Some(parts.around(before));
            shown.after = Some(parts.around(after));
            note = parts.note(before, after);
        }
        shown.before = shown.before.as_deref().map(escape_line);
        shown.after = shown.after.as_deref().map(escape_line);
        lines.extend(shown.to_string().lines().map(str::to_owned));
        lines.extend(note);
    }
    lines
}

/// The characters of a common part that are shown beside a difference.
const CONTEXT_CHARS: usize = 60;

/// The most characters that are named one by one where two texts may look the same.
const NAMED_CHARS_MAX: usize = 4;

/// The lengths in bytes of the common beginning and the common end of two texts.
struct Parts {
    start: usize,
    end: usize,
}

impl Parts {
    fn of(one: &str, other: &str) -> Self {
        let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            let same = pairs.take_while(|(a, b)| a == b);
            same.map(|(same, _)| same.len_utf8()).sum()
        };
        let start = common(&mut one.chars().zip(other.chars()));
        let (one, other) = (&one[start..], &other[start..]);
        let end = common(&mut one.chars().rev().zip(other.chars().rev()));
        Self { start, end }
    }

    /// `text` from shortly before the difference until shortly after it.
    fn around(&self, text: &str) -> String {
        let (start, rest) = text.split_at(self.start);
        let (middle, end) = rest.split_at(rest.len() - self.end);
        let before = start.char_indices().rev().nth(CONTEXT_CHARS - 1);
        let after = end.char_indices().nth(CONTEXT_CHARS);
        let start = match before {
            Some((at, _)) if at > 0 => format!("…{}", &start[at..]),
            _ => start.to_owned(),
        };
        let end = match after {
            Some((at, _)) => format!("{}…", &end[..at]),
            None => end.to_owned(),
        };
        format!("{start}{middle}{end}")
    }

    /// Names the characters that differ, where one may not see that they do: spaces, and letters
    /// that look like others.
    fn note(&self, before: &str, after: &str) -> Option<String> {
        let middle = |text: &str| -> Option<Vec<char>> {
            let rest = text.get(self.start..)?;
            let middle: Vec<char> = rest.get(..rest.len() - self.end)?.chars().collect();
            (middle.len() <= NAMED_CHARS_MAX).then_some(middle)
        };
        let (old, new) = (middle(before)?, middle(after)?);
        let mut different = old.iter().chain(&new);
        let is_ascii = different.clone().all(char::is_ascii);
        if is_ascii && different.any(char::is_ascii_graphic) {
            return None;
        }
        let named = |text: Vec<char>| match text.as_slice() {
            [] => "nothing".to_owned(),
            text => {
                let codes = text.iter().map(|it| format!("U+{:04X}", u32::from(*it)));
                codes.collect::<Vec<_>>().join(" ")
            }
        };
        let at = before[..self.start].chars().count() + 1;
        let (old, new) = (named(old), named(new));
        Some(format!(
            "  they differ at character {at}: {old} before, {new} now"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expect: &[&str]) {
        let parts = Parts::of(before, after);
        let mut lines = vec![parts.around(before), parts.around(after)];
        lines.extend(parts.note(before, after));
        assert_eq!(lines, expect);
    }

    #[test]
    fn texts_that_look_alike_are_told_apart() {
        check("Adds.", "Adds all.", &["Adds.", "Adds all."]);
        check(
            "Adds.",
            "Adds. ",
            &[
                "Adds.",
                "Adds. ",
                "  they differ at character 6: nothing before, U+0020 now",
            ],
        );
        check(
            "pay",
            "p\u{430}y",
            &[
                "pay",
                "p\u{430}y",
                "  they differ at character 2: U+0061 before, U+0430 now",
            ],
        );
        check("", "x", &["", "x"]);
        check("aa", "a", &["aa", "a"]);
    }

    #[test]
    fn what_long_texts_have_in_common_is_left_out() {
        let (same, context) = ("é".repeat(500), "é".repeat(CONTEXT_CHARS));
        let text = |middle: &str| format!("{same}{middle}{same}");
        let shown = |middle: &str| format!("…{context}{middle}{context}…");
        check(&text("one"), &text("two"), &[&*shown("one"), &shown("two")]);
    }
}
