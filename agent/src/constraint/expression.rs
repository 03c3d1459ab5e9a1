//! Grammars as rules made of expressions, before they are written in a format.

use std::collections::{HashMap, HashSet};

/// A set of texts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Expression {
    /// Exactly this.
    Text(String),
    /// One of these characters.
    Class(Class),
    /// One after another.
    Sequence(Vec<Expression>),
    /// One of these.
    Choice(Vec<Expression>),
    /// At least and at most so many times.
    Repeat(Box<Expression>, u32, Option<u32>),
    /// The rule of that number.
    Rule(usize),
}

impl Expression {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn one_of(characters: &str) -> Self {
        let ranges = characters.chars().map(|character| (character, character));
        Self::Class(Class::new(ranges.collect()))
    }

    pub(super) fn range(from: char, to: char) -> Self {
        Self::Class(Class::new(vec![(from, to)]))
    }

    pub(super) fn optional(self) -> Self {
        Self::Repeat(Box::new(self), 0, Some(1))
    }

    pub(super) fn any_times(self) -> Self {
        Self::Repeat(Box::new(self), 0, None)
    }

    pub(super) fn times(self, min: u32, max: Option<u32>) -> Self {
        match (min, max) {
            (1, Some(1)) => self,
            _ => Self::Repeat(Box::new(self), min, max),
        }
    }

    /// A choice, unless there is only one thing to choose.
    pub(super) fn any_of(mut choices: Vec<Self>) -> Self {
        match choices.len() {
            1 => choices.remove(0),
            _ => Self::Choice(choices),
        }
    }
}

/// A set of characters, as ranges in their order that neither touch nor overlap.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) ranges: Vec<(char, char)>,
}

impl Class {
    pub(super) fn new(mut ranges: Vec<(char, char)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(char, char)> = Vec::new();
        for (from, to) in ranges {
            match joined.last_mut() {
                Some((_, end)) if from <= *end || next(*end) == Some(from) => *end = to.max(*end),
                _ => joined.push((from, to)),
            }
        }
        Self { ranges: joined }
    }

    /// All other characters.
    pub(super) fn complement(&self) -> Self {
        let mut ranges = Vec::new();
        let mut from = Some('\0');
        for (begin, end) in &self.ranges {
            if let Some(from) = from
                && from < *begin
            {
                ranges.extend(before(*begin).map(|to| (from, to)));
            }
            from = next(*end);
        }
        ranges.extend(from.map(|from| (from, char::MAX)));
        Self { ranges }
    }

    pub(super) fn contains(&self, character: char) -> bool {
        self.ranges
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&character))
    }

    /// The characters that are not of `other`.
    pub(super) fn without(&self, other: &Self) -> Self {
        let mut ranges = self.complement().ranges;
        ranges.extend(&other.ranges);
        Self::new(ranges).complement()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

fn next(character: char) -> Option<char> {
    match character {
        '\u{d7ff}' => Some('\u{e000}'),
        _ => char::from_u32(u32::from(character) + 1),
    }
}

fn before(character: char) -> Option<char> {
    match character {
        '\u{e000}' => Some('\u{d7ff}'),
        _ => char::from_u32(u32::from(character).checked_sub(1)?),
    }
}

/// The role of a rule for a lexer such as lark's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Made of words.
    Phrase,
    /// A terminal. Only terminals contain characters.
    Word,
    /// A part of terminals, which lark writes inline.
    Part,
}

/// A rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// Small letters, digits and `_`, beginning with a letter; no two alike.
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) expression: Expression,
}

/// A grammar: a list of rules, of which the first is the start.
#[derive(Debug, Clone)]
pub(super) struct Grammar {
    pub(super) rules: Vec<Rule>,
    names: HashSet<String>,
    words: HashMap<Expression, usize>,
}

/// The names of the first rule in lark and GBNF, which no other rule may have.
pub(super) const FIRST_NAMES: [&str; 2] = ["start", "root"];
/// The longest name of a rule without the number that makes it unique.
const NAME_LENGTH_MAX: usize = 32;

impl Grammar {
    /// An empty grammar, whose start rule is still to be set.
    pub(super) fn new() -> Self {
        let first = Rule {
            name: FIRST_NAMES[0].to_owned(),
            kind: Kind::Phrase,
            expression: Expression::Sequence(Vec::new()),
        };
        Self {
            rules: vec![first],
            names: FIRST_NAMES.map(str::to_owned).into(),
            words: HashMap::new(),
        }
    }

    /// A grammar of one rule.
    pub(super) fn of_one(expression: Expression) -> Self {
        let mut grammar = Self::new();
        grammar.rules[0].kind = Kind::Word;
        grammar.rules[0].expression = expression;
        grammar
    }

    pub(super) fn set_first(&mut self, expression: Expression) {
        self.rules[0].expression = expression;
    }

    /// Reserves a rule that is set later, so that it can refer to itself.
    pub(super) fn reserve(&mut self, name: &str) -> usize {
        self.push(name, Kind::Phrase, Expression::Sequence(Vec::new()))
    }

    pub(super) fn fill(&mut self, rule: usize, expression: Expression) {
        self.rules[rule].expression = expression;
    }

    pub(super) fn phrase(&mut self, name: &str, expression: Expression) -> Expression {
        Expression::Rule(self.push(name, Kind::Phrase, expression))
    }

    /// Adds a terminal. Equal terminals share one rule.
    pub(super) fn word(&mut self, name: &str, expression: Expression) -> Expression {
        self.shared(name, Kind::Word, expression)
    }

    /// A part of words.
    pub(super) fn part(&mut self, name: &str, expression: Expression) -> Expression {
        self.shared(name, Kind::Part, expression)
    }

    fn shared(&mut self, name: &str, kind: Kind, expression: Expression) -> Expression {
        if let Some(known) = self.words.get(&expression) {
            return Expression::Rule(*known);
        }
        let rule = self.push(name, kind, expression.clone());
        self.words.insert(expression, rule);
        Expression::Rule(rule)
    }

    fn push(&mut self, name: &str, kind: Kind, expression: Expression) -> usize {
        let name = self.fresh(name);
        self.rules.push(Rule {
            name,
            kind,
            expression,
        });
        self.rules.len() - 1
    }

    /// A name that no other rule has, made from `wanted`.
    fn fresh(&mut self, wanted: &str) -> String {
        let letters = wanted.chars().map(|c| match c.is_ascii_alphanumeric() {
            true => c.to_ascii_lowercase(),
            false => '_',
        });
        let name: String = letters.take(NAME_LENGTH_MAX).collect();
        let name = match name.trim_matches('_') {
            "" => "value".to_owned(),
            name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("n{name}"),
            name => name.to_owned(),
        };
        let mut found = name.clone();
        let mut number = 2;
        while !self.names.insert(found.clone()) {
            found = format!("{name}_{number}");
            number += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_and_all_others_are_everything() {
        let class = Class::new(vec![('b', 'd'), ('a', 'a'), ('\u{d7ff}', '\u{e001}')]);
        assert_eq!(class.ranges, [('a', 'd'), ('\u{d7ff}', '\u{e001}')]);
        let others = class.complement();
        assert!(!others.contains('c') && others.contains('e') && others.contains(char::MAX));
        assert_eq!(others.complement(), class);
        assert!(class.without(&class).is_empty());
        let everything = Class::new(vec![('\0', char::MAX)]);
        assert_eq!(everything.without(&class), others);
    }

    #[test]
    fn names_of_rules_are_told_apart() {
        let mut grammar = Grammar::new();
        for (wanted, name) in [
            ("start", "start_2"),
            ("root", "root_2"),
            ("Ort-Name", "ort_name"),
            ("ort name", "ort_name_2"),
            ("_", "value"),
            ("2nd", "n2nd"),
            ("é", "value_2"),
        ] {
            assert_eq!(grammar.fresh(wanted), name);
        }
    }
}
