//! Helpers to print grammars as GBNF, lark or a regex: character classes, counts, precedence.

use super::expression::Class;

/// The surroundings of an expression in print, which decide if it needs brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Precedence {
    Choice,
    Sequence,
    Repeat,
}

impl Class {
    /// The ranges to write, and true if the class is what is outside of them: whichever is shorter.
    fn written(&self) -> (Vec<(char, char)>, bool) {
        let reaches_the_end = self.ranges.last().is_some_and(|(_, to)| *to == char::MAX);
        if reaches_the_end && self.ranges.len() > 1 {
            (self.complement().ranges, true)
        } else {
            (self.ranges.clone(), false)
        }
    }

    /// Prints the class as `[a-z]` or `[^a-z]`, each character by `print_character`.
    pub(super) fn print(&self, text: &mut String, print_character: fn(char, &mut String)) {
        let (ranges, is_negated) = self.written();
        text.push_str(if is_negated { "[^" } else { "[" });
        for (from, to) in ranges {
            print_character(from, text);
            if from != to {
                text.push('-');
                print_character(to, text);
            }
        }
        text.push(']');
    }
}

/// A repetition, which grammars and regular expressions write alike.
pub(super) fn count(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, Some(1)) => "?".to_owned(),
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}
