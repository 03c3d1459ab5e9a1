//! A small GBNF parser and matcher, written from the guide to GBNF and not from our printer.
//! It follows every way in which a text can be read.

use std::collections::{BTreeSet, HashMap};
use std::iter::Peekable;
use std::str::Chars;

/// A grammar.
pub(super) struct Gbnf {
    rules: HashMap<String, Part>,
}

enum Part {
    Text(Vec<char>),
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, usize, usize),
    Name(String),
}

impl Gbnf {
    pub(super) fn read(text: &str) -> Self {
        let rules = text.lines().map(|line| {
            let (name, rule) = line.split_once(" ::= ").expect("a rule on every line");
            assert!(
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
                "{name}"
            );
            let mut reader = Reader(rule.chars().peekable());
            let choice = reader.choice();
            assert_eq!(reader.0.next(), None, "{line}");
            (name.to_owned(), choice)
        });
        Self {
            rules: rules.collect(),
        }
    }

    pub(super) fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let mut known = HashMap::new();
        let root = Part::Name("root".to_owned());
        self.ends(&root, &text, 0, &mut known).contains(&text.len())
    }

    /// The places where `part` can end that begins at `at`.
    fn ends<'a>(
        &'a self,
        part: &'a Part,
        text: &[char],
        at: usize,
        known: &mut HashMap<(&'a str, usize), BTreeSet<usize>>,
    ) -> BTreeSet<usize> {
        match part {
            Part::Text(expect) if text[at..].starts_with(expect) => [at + expect.len()].into(),
            Part::Text(_) => BTreeSet::new(),
            Part::Class { is_negated, ranges } => match text.get(at) {
                Some(c)
                    if ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *is_negated =>
                {
                    [at + 1].into()
                }
                _ => BTreeSet::new(),
            },
            Part::Sequence(parts) => parts.iter().fold([at].into(), |begins, part| {
                begins
                    .into_iter()
                    .flat_map(|at| self.ends(part, text, at, known))
                    .collect()
            }),
            Part::Choice(parts) => parts
                .iter()
                .flat_map(|part| self.ends(part, text, at, known))
                .collect(),
            Part::Repeat(part, min, max) => {
                let mut ends = BTreeSet::new();
                let mut begins: BTreeSet<usize> = [at].into();
                for count in 0..=*max {
                    if count >= *min {
                        ends.extend(&begins);
                    }
                    begins = begins
                        .into_iter()
                        .flat_map(|at| self.ends(part, text, at, known))
                        .collect();
                    if begins.is_empty() || (count >= *min && begins.is_subset(&ends)) {
                        break;
                    }
                }
                ends
            }
            Part::Name(name) => {
                if let Some(ends) = known.get(&(name.as_str(), at)) {
                    return ends.clone();
                }
                let rule = self
                    .rules
                    .get(name)
                    .unwrap_or_else(|| panic!("no rule {name}"));
                let ends = self.ends(rule, text, at, known);
                known.insert((name, at), ends.clone());
                ends
            }
        }
    }
}

struct Reader<'a>(Peekable<Chars<'a>>);

impl Reader<'_> {
    fn choice(&mut self) -> Part {
        let mut choices = vec![self.sequence()];
        while self.0.next_if_eq(&'|').is_some() {
            choices.push(self.sequence());
        }
        Part::Choice(choices)
    }

    fn sequence(&mut self) -> Part {
        let mut parts = Vec::new();
        loop {
            while self.0.next_if_eq(&' ').is_some() {}
            let part = match self.0.peek() {
                None | Some('|' | ')') => return Part::Sequence(parts),
                Some('"') => self.text(),
                Some('[') => self.class(),
                Some('(') => {
                    self.0.next();
                    let inner = self.choice();
                    assert_eq!(self.0.next(), Some(')'));
                    inner
                }
                Some(_) => {
                    let mut name = String::new();
                    while let Some(c) = self.0.next_if(|c| c.is_ascii_alphanumeric() || *c == '-') {
                        name.push(c);
                    }
                    assert!(!name.is_empty(), "{:?}", self.0.peek());
                    Part::Name(name)
                }
            };
            parts.push(self.repeated(part));
        }
    }

    fn repeated(&mut self, part: Part) -> Part {
        let (min, max) = match self.0.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('{') => {
                let count: String = self.0.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let (min, max) = match count.split_once(',') {
                    None => (count.as_str(), count.as_str()),
                    Some((min, "")) => (min, "18446744073709551615"),
                    Some(both) => both,
                };
                let counts = (min.parse().unwrap(), max.parse().unwrap());
                return Part::Repeat(Box::new(part), counts.0, counts.1);
            }
            _ => return part,
        };
        self.0.next();
        Part::Repeat(Box::new(part), min, max)
    }

    fn text(&mut self) -> Part {
        self.0.next();
        let mut text = Vec::new();
        while self.0.next_if_eq(&'"').is_none() {
            text.push(self.character());
        }
        Part::Text(text)
    }

    fn class(&mut self) -> Part {
        self.0.next();
        let is_negated = self.0.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        while self.0.next_if_eq(&']').is_none() {
            let from = self.character();
            let to = match self.0.next_if_eq(&'-') {
                Some(_) => self.character(),
                None => from,
            };
            ranges.push((from, to));
        }
        Part::Class { is_negated, ranges }
    }

    fn character(&mut self) -> char {
        match self.0.next().expect("a character") {
            '\\' => match self.0.next().expect("an escaped character") {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'x' => self.coded(2),
                'u' => self.coded(4),
                'U' => self.coded(8),
                c @ ('"' | '\\' | '[' | ']') => c,
                other => panic!("llama.cpp knows no escape \\{other}"),
            },
            c => c,
        }
    }

    fn coded(&mut self, digits: usize) -> char {
        let digits: String = self.0.by_ref().take(digits).collect();
        char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap()
    }
}
