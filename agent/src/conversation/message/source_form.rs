//! Keeps how a value was written in its source dialect, so that it is written there unchanged.

use serde_json::{Map, Value};

use super::dialect::MessageDialect;

/// Whatever the source dialect wrote beyond the common form: further members, and a member's form,
/// such as a string in place of a list. Written in the same dialect, the value is as it was, except
/// for members that have changed in meaning; other dialects report the loss.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceForm {
    dialect: MessageDialect,
    differences: Vec<Difference>,
    place: Option<Position>,
}

#[derive(Debug, Clone, PartialEq)]
struct Difference {
    member: String,
    /// The value that would be written in its place.
    would_be: Option<Value>,
    /// The value that was read.
    was: Option<Value>,
    is_form: bool,
}

/// A message's position, where it differs from the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::conversation) enum Position {
    /// In the same message of the dialect as the one before.
    WithPrevious,
    /// In a message of its own.
    Alone,
    /// Among the messages.
    InList,
    /// Beside the messages, in a member of its own.
    Beside,
}

impl SourceForm {
    /// The difference between what would be written and what `was`. The common form expresses the
    /// members in `form`, and needs none that are empty.
    pub(in crate::conversation) fn of(
        dialect: MessageDialect,
        would_be: &Map<String, Value>,
        was: &Map<String, Value>,
        form: &[&str],
    ) -> Self {
        let absent = would_be.keys().filter(|name| !was.contains_key(*name));
        let members = was.keys().chain(absent);
        let differences = members.filter_map(|name| {
            let (would_be, was) = (would_be.get(name), was.get(name));
            (would_be != was).then(|| Difference {
                member: name.clone(),
                is_form: is_form(name, would_be, was, form),
                would_be: would_be.cloned(),
                was: was.cloned(),
            })
        });
        Self {
            dialect,
            differences: differences.collect(),
            place: None,
        }
    }

    /// No differences, only a position.
    pub(in crate::conversation) fn nothing(dialect: MessageDialect) -> Self {
        Self {
            dialect,
            differences: Vec::new(),
            place: None,
        }
    }

    pub(in crate::conversation) fn at(mut self, place: Option<Position>) -> Self {
        self.place = place;
        self
    }

    /// None if there are no differences.
    pub(in crate::conversation) fn if_any(self) -> Option<Self> {
        (!self.differences.is_empty()).then_some(self)
    }

    /// The same without the members in `names`, which are written as they should be.
    pub(in crate::conversation) fn without(mut self, names: &[&str]) -> Self {
        self.differences
            .retain(|difference| !names.contains(&difference.member.as_str()));
        self
    }

    pub(in crate::conversation) fn is_of(&self, dialect: MessageDialect) -> bool {
        self.dialect == dialect
    }

    pub(in crate::conversation) fn place(&self, dialect: MessageDialect) -> Option<Position> {
        self.place.filter(|_| self.is_of(dialect))
    }

    /// The members of another dialect that have no place.
    pub(in crate::conversation) fn foreign(&self) -> impl Iterator<Item = (MessageDialect, &str)> {
        let members = self.differences.iter().filter(|it| !it.is_form);
        members.map(|difference| (self.dialect, difference.member.as_str()))
    }

    /// Restores the members of `written` to what was read, where their meaning has not changed.
    pub(in crate::conversation) fn restore(&self, written: &mut Map<String, Value>) {
        for difference in &self.differences {
            if written.get(&difference.member) != difference.would_be.as_ref() {
                continue;
            }
            match &difference.was {
                Some(was) => written.insert(difference.member.clone(), was.clone()),
                None => written.shift_remove(&difference.member),
            };
        }
    }
}

/// True if the common form expresses the member `was`.
fn is_form(name: &str, would_be: Option<&Value>, was: Option<&Value>, form: &[&str]) -> bool {
    let is_known = |name: &str| form.contains(&name);
    match (would_be, was) {
        (Some(Value::Object(would_be)), Some(Value::Object(was))) => {
            was.iter().all(|(name, was)| {
                would_be.contains_key(name) || is_known(name) || is_empty(Some(was))
            })
        }
        _ => would_be.is_some() || is_known(name) || is_empty(was),
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
        Some(_) => false,
    }
}
