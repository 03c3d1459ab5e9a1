//! The `Repairer`: changes the arguments of a call to match their schema, and notes each change.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::read;
use crate::schema::equality::{is_whole, same};
use crate::schema::fit::{Fit, HOPS_MAX, has_patterns};
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

/// The length to which a name or value is cut in a note, in characters.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// The deepest nesting that is mended, texts within texts included.
const DEPTH_MAX: usize = 200;

pub(super) struct Repairer<'a> {
    fit: Fit<'a>,
    depth: usize,
    changes: Vec<String>,
}

impl<'a> Repairer<'a> {
    pub(super) fn new(document: Document<'a>) -> Self {
        Self {
            fit: Fit::new(document),
            depth: 0,
            changes: Vec::new(),
        }
    }

    /// The notes on what was mended, in order.
    pub(super) fn into_changes(self) -> Vec<String> {
        self.changes
    }

    /// Notes a repair at `path`.
    pub(super) fn note(&mut self, path: &str, how: &str) {
        self.changes.push(match path {
            "" => format!("the arguments {how}"),
            path => format!("`{path}` {how}"),
        });
    }

    /// Repairs the arguments of a call, unless that takes too much work.
    pub(super) fn arguments(&mut self, value: Value) -> Option<Value> {
        let root = self.fit.document.root();
        let mended = self.value(&root, value, "", 0);
        self.fit.is_paid().then_some(mended)
    }

    fn value(&mut self, node: &Node<'a>, value: Value, path: &str, hops: usize) -> Value {
        if self.depth == DEPTH_MAX || !self.fit.charge(&value) {
            return value;
        }
        self.depth += 1;
        let value = self.value_within(node, value, path, hops);
        self.depth -= 1;
        value
    }

    fn value_within(&mut self, node: &Node<'a>, value: Value, path: &str, hops: usize) -> Value {
        match (&node.form, value) {
            (Form::Boolean, Value::String(text)) => self.boolean(text, path),
            (Form::Integer | Form::Number, Value::String(text)) => self.number(node, text, path),
            (Form::Text, Value::Number(number)) if number.is_i64() || number.is_u64() => {
                if node.keyword("contentEncoding").is_some() {
                    return number.into();
                }
                self.note(path, "as a string");
                number.to_string().into()
            }
            (Form::Literals(literals), value) => self.literal(literals, value, path),
            (Form::Array(item), Value::Array(values)) => {
                let values = values.into_iter().enumerate();
                let item = |(index, value)| self.value(item, value, &at(path, index), 0);
                values.map(item).collect()
            }
            (Form::Tuple(items, rest), Value::Array(values)) => {
                let values = values.into_iter().enumerate();
                let each =
                    values.map(
                        |(index, value)| match items.get(index).or(rest.as_deref()) {
                            Some(item) => self.value(item, value, &at(path, index), 0),
                            None => value,
                        },
                    );
                each.collect()
            }
            (Form::Object(members, rest), Value::Object(values)) => {
                self.object(node, (members, rest), values, path)
            }
            (Form::Array(_) | Form::Tuple(..) | Form::Object(..), value)
                if node.keyword("type").is_some() =>
            {
                self.compound(node, value, path)
            }
            (Form::Union(nodes), value) => self.choice(nodes, value, path, hops),
            (Form::Ref(name), value) => match self.fit.definition(name) {
                Some(target) if hops < HOPS_MAX => self.value(&target, value, path, hops + 1),
                _ => value,
            },
            (_, value) => value,
        }
    }

    fn boolean(&mut self, text: String, path: &str) -> Value {
        let value = match text.trim() {
            "true" | "True" | "TRUE" => true,
            "false" | "False" | "FALSE" => false,
            _ => return text.into(),
        };
        self.note(path, &format!("as {value}"));
        value.into()
    }

    fn number(&mut self, node: &Node<'a>, text: String, path: &str) -> Value {
        match read::json(text.trim()) {
            Some(value @ Value::Number(_))
                if is_whole(&value) || matches!(node.form, Form::Number) =>
            {
                self.note(path, "as a number");
                value
            }
            _ => text.into(),
        }
    }

    /// An enum value in another spelling.
    fn literal(&mut self, literals: &[&Value], value: Value, path: &str) -> Value {
        if literals.iter().any(|literal| same(literal, &value)) {
            return value;
        }
        let means = |literal: &Value| match (&value, literal) {
            (Value::String(written), Value::String(meant)) => plain(written) == plain(meant),
            (Value::String(written), meant @ (Value::Number(_) | Value::Bool(_))) => {
                read::json(written.trim()).is_some_and(|value| same(&value, meant))
            }
            (Value::Number(written), Value::String(meant)) => written.to_string() == *meant,
            _ => false,
        };
        let mut meant = literals.iter().filter(|literal| means(literal));
        match (meant.next(), meant.next()) {
            (Some(meant), None) => {
                self.note(path, &format!("as {}", quoted(&meant.to_string())));
                (*meant).clone()
            }
            _ => value,
        }
    }

    /// An array or object written as a string of JSON, or an array of one written without brackets.
    fn compound(&mut self, node: &Node<'a>, value: Value, path: &str) -> Value {
        if let Value::String(text) = &value
            && let Some(inner) = read::json(text.trim())
            && inner.is_array() != matches!(node.form, Form::Object(..))
            && (inner.is_array() || inner.is_object())
        {
            self.note(path, "as the JSON that its text holds");
            return self.value(node, inner, path, 0);
        }
        let Form::Array(item) = &node.form else {
            return value;
        };
        let before = self.changes.len();
        self.note(path, "as a list of one");
        let mended = self.value(item, value.clone(), path, 0);
        if !value.is_null() && self.fit.fits(item, &mended, 0) {
            return Value::Array(vec![mended]);
        }
        self.changes.truncate(before);
        value
    }

    /// A value for a union: unchanged if one alternative allows it, otherwise the only possible
    /// repair.
    fn choice(&mut self, nodes: &[Node<'a>], value: Value, path: &str, hops: usize) -> Value {
        if hops >= HOPS_MAX || nodes.iter().any(|node| self.fit.fits(node, &value, 0)) {
            return value;
        }
        let before = self.changes.len();
        let mut found: Option<(Value, Vec<String>)> = None;
        for node in nodes {
            if !self.fit.is_paid() {
                return value;
            }
            let mended = self.value(node, value.clone(), path, hops + 1);
            let changes = self.changes.split_off(before);
            if !self.fit.fits(node, &mended, 0) {
                continue;
            }
            match &found {
                Some((other, _)) if !same(other, &mended) => return value,
                Some(_) => {}
                None => found = Some((mended, changes)),
            }
        }
        match found {
            Some((mended, changes)) => {
                self.changes.extend(changes);
                mended
            }
            None => value,
        }
    }

    fn object(
        &mut self,
        node: &Node<'a>,
        (members, rest): (&[Member<'a>], &Rest<'a>),
        values: Map<String, Value>,
        path: &str,
    ) -> Value {
        let mut read = Map::new();
        let renamed = renamed(node, (members, rest), &values);
        for (index, (written, value)) in values.into_iter().enumerate() {
            let name = match renamed.iter().find(|(place, _)| *place == index) {
                Some((_, name)) => {
                    self.note(&within(path, &written), &format!("as {}", quoted(name)));
                    (*name).to_owned()
                }
                None => written,
            };
            let place = within(path, &name);
            let member = members.iter().find(|member| member.name == name);
            if let Some(member) = member
                && member.presence == Presence::Optional
                && value.is_null()
                && !self.fit.fits(&member.node, &value, 0)
            {
                self.note(&place, "as left out, not null");
                continue;
            }
            let value = match (member, rest) {
                (Some(member), _) => self.value(&member.node, value, &place, 0),
                (None, Rest::Typed(rest)) if !has_patterns(node) => {
                    self.value(rest, value, &place, 0)
                }
                _ => value,
            };
            read.insert(name, value);
        }
        read.into()
    }
}

/// The values, by index, whose name is another spelling of a member's, and that member's name. Only
/// values that cannot be valid as they are: an unknown name in a closed object, or one that stands
/// for a required member.
fn renamed<'a>(
    node: &Node<'a>,
    (members, rest): (&[Member<'a>], &Rest<'a>),
    values: &Map<String, Value>,
) -> Vec<(usize, &'a str)> {
    if has_patterns(node) {
        return Vec::new();
    }
    let known: HashSet<&str> = members.iter().map(|member| member.name).collect();
    let mut meant: HashMap<String, Vec<&Member<'a>>> = HashMap::new();
    for member in members {
        meant.entry(plain(member.name)).or_default().push(member);
    }
    let mut written: HashMap<String, Vec<usize>> = HashMap::new();
    let unknown = values.keys().enumerate();
    for (index, name) in unknown.filter(|(_, name)| !known.contains(name.as_str())) {
        written.entry(plain(name)).or_default().push(index);
    }
    let mut found = Vec::new();
    for (spelled, places) in written {
        let members = meant.get(&spelled).map_or(&[][..], Vec::as_slice);
        let (&[index], &[member]) = (&places[..], members) else {
            continue;
        };
        let needed = matches!(rest, Rest::Closed) || member.presence == Presence::Required;
        if needed && !values.contains_key(member.name) {
            found.push((index, member.name));
        }
    }
    found
}

/// A name without what models get wrong: case, and separators between letters. Before a digit a
/// hyphen is a sign, and at the beginning it has a meaning as well.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    let mut after_letter = false;
    while let Some(character) = characters.next() {
        let before_letter = characters.peek().is_some_and(|next| next.is_alphabetic());
        let separates = after_letter && before_letter;
        if !(separates && matches!(character, '-' | '_' | ' ')) {
            plain.extend(character.to_lowercase());
        }
        after_letter = character.is_alphabetic();
    }
    plain
}

fn within(path: &str, name: &str) -> String {
    let name: String = escaped_excerpt(name);
    match path {
        "" => name,
        path => format!("{path}.{name}"),
    }
}

fn at(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// A text, quoted and cut for a note.
fn quoted(text: &str) -> String {
    format!("`{}`", escaped_excerpt(text))
}

fn escaped_excerpt(text: &str) -> String {
    let mut cut = String::new();
    for character in text.chars().take(SHOWN_CHARACTERS_MAX) {
        match character {
            '"' | '\'' => cut.push(character),
            character => cut.extend(character.escape_debug()),
        }
    }
    cut
}
