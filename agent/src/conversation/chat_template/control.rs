//! Breaks or refuses control tokens in a conversation or a text, which could forge a turn.

use std::cell::RefCell;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use serde_json::{Map, Value};

use super::chat::{Chat, ControlTokens};
use super::error::TemplateError;
use crate::conversation::answer::families;

/// The longest token that is looked for, in bytes.
const TOKEN_BYTES_MAX: usize = 128;
/// The most tokens that are looked for.
const TOKENS_MAX: usize = 100_000;
/// Beginnings of control tokens whose rest a template may add.
const OPENINGS: [&str; 3] = ["<|", "<\u{ff5c}", "[|"];

/// `chat` with a space in each control token of its texts; `None` if there are no such tokens.
pub(super) fn guarded(source: &str, chat: &Chat) -> Result<Option<Chat>, TemplateError> {
    let (known, refuses) = match &chat.control_tokens {
        ControlTokens::Printed => return Ok(None),
        ControlTokens::Broken(known) => (known, false),
        ControlTokens::Refused(known) => (known, true),
    };
    let guard = Guard::new(known, source)?;
    let guarded = Chat {
        messages: guard.objects(&chat.messages),
        tools: chat.tools.as_deref().map(|tools| guard.list(tools)),
        documents: chat.documents.as_deref().map(|list| guard.list(list)),
        ..chat.clone()
    };
    let is_same = guarded.messages == chat.messages
        && guarded.tools == chat.tools
        && guarded.documents == chat.documents;
    match (is_same, refuses) {
        (true, _) => Ok(None),
        (false, false) => Ok(Some(guarded)),
        (false, true) => Err(TemplateError::ControlToken {
            token: guard.first.take(),
        }),
    }
}

struct Guard {
    /// Sorted.
    tokens: Vec<String>,
    /// The same tokens spelled backwards, sorted.
    reversed: Vec<String>,
    search: AhoCorasick,
    /// The first token that was found.
    first: RefCell<String>,
}

impl Guard {
    fn new(known: &[String], source: &str) -> Result<Self, TemplateError> {
        let mut tokens = marks(source);
        // A template may compose its markers from parts.
        let of_family = families::control_tokens_of(source).into_iter();
        tokens.extend(of_family.map(str::to_owned));
        tokens.extend(known.iter().cloned());
        // A plain word is never a control token.
        tokens.retain(|token| {
            token.len() <= TOKEN_BYTES_MAX
                && token.chars().nth(1).is_some()
                && !token.trim().is_empty()
                && !token.chars().all(|it| it.is_alphanumeric() || it == '_')
        });
        tokens.sort();
        tokens.dedup();
        if tokens.len() > TOKENS_MAX {
            return Err(TemplateError::TooMuch {
                limit: "control_tokens",
                value: TOKENS_MAX,
            });
        }
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(&tokens);
        let search = search.map_err(|error| TemplateError::Failed {
            line: None,
            message: error.to_string(),
        })?;
        let reversed = tokens.iter().map(|token| token.chars().rev().collect());
        let mut reversed: Vec<String> = reversed.collect();
        reversed.sort();
        Ok(Self {
            tokens,
            reversed,
            search,
            first: RefCell::default(),
        })
    }

    fn objects(&self, objects: &[Map<String, Value>]) -> Vec<Map<String, Value>> {
        objects.iter().map(|object| self.members(object)).collect()
    }

    fn members(&self, members: &Map<String, Value>) -> Map<String, Value> {
        let members = members.iter();
        let members = members.map(|(name, value)| (self.text(name), self.value(value)));
        members.collect()
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => self.list(items).into(),
            Value::Object(members) => self.members(members).into(),
            other => other.clone(),
        }
    }

    /// A list, whose texts a template may print one after the other: halves of a token in two of
    /// them are broken as well.
    fn list(&self, items: &[Value]) -> Vec<Value> {
        let is_alone = items.len() < 2;
        let items = items.iter();
        let guarded = items.map(|item| match (item, item.get("text")) {
            (Value::Object(part), Some(Value::String(text))) if !is_alone => {
                let mut part = self.members(part);
                part.insert("text".to_owned(), self.half(text).into());
                part.into()
            }
            (Value::String(text), _) if !is_alone => self.half(text).into(),
            _ => self.value(item),
        });
        guarded.collect()
    }

    /// The text with a space in each token. The text after an added space is searched as well.
    fn text(&self, text: &str) -> String {
        broken(text, |from| {
            let token = self.search.find(Input::new(text).range(from..))?;
            if self.first.borrow().is_empty() {
                self.first.replace(text[token.range()].to_owned());
            }
            Some(token.start())
        })
    }

    /// The same for a text between others: parts of tokens at its ends are broken as well.
    fn half(&self, text: &str) -> String {
        let mut broken = self.text(text);
        let ends = broken.char_indices().rev().skip(1).take(TOKEN_BYTES_MAX);
        let begun = ends
            .filter(|(at, _)| begins(&self.tokens, &broken[*at..]))
            .last();
        if let Some((at, first)) = begun {
            broken.insert(at + first.len_utf8(), ' ');
        }
        let mut head = broken.chars().take(TOKEN_BYTES_MAX);
        let Some(first) = head.next() else {
            return broken;
        };
        let mut reversed = String::from(first);
        let goes_on = head.any(|next| {
            reversed.insert(0, next);
            begins(&self.reversed, &reversed)
        });
        let follows_opening = OPENINGS.iter().any(|opening| opening.ends_with(first));
        if goes_on || follows_opening {
            broken.insert(first.len_utf8(), ' ');
        }
        broken
    }
}

/// The text with a space in each token; `next` finds the next token from an offset. The text after
/// an added space is searched as well.
fn broken(text: &str, next: impl Fn(usize) -> Option<usize>) -> String {
    let mut broken = String::with_capacity(text.len());
    let mut copied = 0;
    while let Some(start) = next(copied) {
        let first = text[start..].chars().next();
        let end = start + first.map_or(1, char::len_utf8);
        broken.push_str(&text[copied..end]);
        broken.push(' ');
        copied = end;
    }
    broken.push_str(&text[copied..]);
    broken
}

/// The control tokens of all families in the table.
static USUAL: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let search = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(families::control_tokens());
    search.expect("a few hundred short texts")
});

/// Adds a space to each control token that chat templates commonly use. For untrusted text that
/// goes to a model with an unknown template, where such a token could make the rest read as another
/// speaker's words.
pub fn without_control_tokens(text: &str) -> String {
    broken(text, |from| {
        Some(USUAL.find(Input::new(text).range(from..))?.start())
    })
}

/// True if a token is longer than `text` and begins with it; `tokens` are sorted.
fn begins(tokens: &[String], text: &str) -> bool {
    let at = tokens.partition_point(|token| token.as_str() <= text);
    tokens.get(at).is_some_and(|token| token.starts_with(text))
}

/// The marks in a template.
fn marks(source: &str) -> Vec<String> {
    let mut marks: Vec<String> = Vec::new();
    for opening in OPENINGS {
        if source.contains(opening) {
            marks.push(opening.to_owned());
        }
    }
    for (at, character) in source.char_indices() {
        let rest = &source[at..];
        let length = match character {
            '<' => tag(rest),
            '[' => bracketed(rest),
            _ => None,
        };
        marks.extend(length.map(|length| rest[..length].to_owned()));
    }
    marks
}

/// The length of `<name>`, `</name>`, `<|name|>` or `<<NAME>>` at the beginning.
fn tag(text: &str) -> Option<usize> {
    let end = text
        .bytes()
        .take(TOKEN_BYTES_MAX)
        .position(|byte| byte == b'>')?;
    let inside = &text[1..end];
    let is_name = |name: &str| {
        let mut characters = name.chars();
        characters
            .next()
            .is_some_and(|first| first.is_alphabetic() || "/|_\u{ff5c}<".contains(first))
            && characters.all(|it| it.is_alphanumeric() || "_-:/|.\u{ff5c}\u{2581}".contains(it))
    };
    let doubled = usize::from(inside.starts_with('<') && text[end + 1..].starts_with('>'));
    is_name(inside).then_some(end + 1 + doubled)
}

/// The length of `[NAME]` or `[/NAME]` at the beginning.
fn bracketed(text: &str) -> Option<usize> {
    let end = text
        .bytes()
        .take(TOKEN_BYTES_MAX)
        .position(|byte| byte == b']')?;
    let name = text[1..end].trim_start_matches('/');
    let is_name = name.len() > 1 && name.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
    is_name.then_some(end + 1)
}
