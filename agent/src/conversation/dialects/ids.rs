//! Matches results with calls, and adds or replaces ids and function names as a dialect needs.

use std::borrow::Cow;

use super::loss::{Losses, MessageLossKind};
use crate::conversation::message::{Content, Conversation, MessageDialect, Part};
use std::collections::{HashMap, HashSet, VecDeque};

/// Calls that wait for their results.
#[derive(Default)]
struct Calls {
    /// The names of calls by id.
    names: HashMap<String, String>,
    /// Calls without an id, by the one that they got, in order.
    unnamed: VecDeque<String>,
    by_name: HashMap<String, VecDeque<String>>,
    answered: HashSet<String>,
}

/// The conversation with ids, or with the names of functions in results, as `dialect` needs.
pub(super) fn matched<'a>(
    conversation: &'a Conversation,
    dialect: MessageDialect,
    losses: &mut Losses,
) -> Cow<'a, Conversation> {
    let mut matched = Cow::Borrowed(conversation);
    let mut ids = IdGenerator::new(conversation, dialect);
    let mut calls = Calls::default();
    for (index, message) in conversation.messages.iter().enumerate() {
        losses.message = Some(index);
        let is_own = message.is_of(dialect);
        for (at, part) in message.parts.iter().enumerate() {
            let changed = match dialect {
                MessageDialect::HuggingFace => named(part, &mut calls, is_own),
                _ => identified(part, &mut calls, &mut ids, losses),
            };
            if let Some(changed) = changed {
                matched.to_mut().messages[index].parts[at].content = changed;
            }
        }
    }
    losses.message = None;
    matched
}

/// The part with the name of the function, which templates expect.
fn named(part: &Part, calls: &mut Calls, is_own: bool) -> Option<Content> {
    match &part.content {
        Content::Call(call) => {
            calls.names.insert(call.id.clone()?, call.name.clone());
            None
        }
        Content::Result(result) if result.name.is_none() && !is_own => {
            let mut result = result.clone();
            result.name = Some(calls.names.get(result.call_id.as_ref()?)?.clone());
            Some(Content::Result(result))
        }
        _ => None,
    }
}

/// The part with an id that the dialect accepts.
fn identified(
    part: &Part,
    calls: &mut Calls,
    ids: &mut IdGenerator,
    losses: &mut Losses,
) -> Option<Content> {
    match &part.content {
        Content::Call(call) => {
            let id = match &call.id {
                Some(id) => ids.fit(id, losses),
                None => {
                    let id = ids.next();
                    calls.unnamed.push_back(id.clone());
                    let same = calls.by_name.entry(call.name.clone()).or_default();
                    same.push_back(id.clone());
                    id
                }
            };
            calls.names.insert(id.clone(), call.name.clone());
            let is_new = call.id.as_ref() != Some(&id);
            is_new.then(|| {
                let mut call = call.clone();
                call.id = Some(id);
                Content::Call(call)
            })
        }
        Content::Result(result) => {
            let id = match &result.call_id {
                Some(id) => ids.fit(id, losses),
                None => calls
                    .next(result.name.as_deref())
                    .unwrap_or_else(|| ids.next()),
            };
            if !calls.names.contains_key(&id) {
                losses.report(MessageLossKind::NoCall { id: id.clone() });
            }
            let is_new = result.call_id.as_ref() != Some(&id);
            is_new.then(|| {
                let mut result = result.clone();
                result.call_id = Some(id);
                Content::Result(result)
            })
        }
        _ => None,
    }
}

impl Calls {
    /// The first call without an id that has no result, of that function if one is named.
    fn next(&mut self, name: Option<&str>) -> Option<String> {
        let waiting = match name {
            Some(name) => self.by_name.get_mut(name)?,
            None => &mut self.unnamed,
        };
        while let Some(id) = waiting.pop_front() {
            if self.answered.insert(id.clone()) {
                return Some(id);
            }
        }
        None
    }
}

/// Creates ids that the conversation does not contain.
struct IdGenerator {
    dialect: MessageDialect,
    taken: HashSet<String>,
    /// Replacements for ids that the dialect refuses.
    fitted: HashMap<String, String>,
    count: usize,
}

impl IdGenerator {
    fn new(conversation: &Conversation, dialect: MessageDialect) -> Self {
        let parts = conversation.messages.iter().flat_map(|it| &it.parts);
        let ids = parts.filter_map(|part| match &part.content {
            Content::Call(call) => call.id.clone(),
            Content::Result(result) => result.call_id.clone(),
            _ => None,
        });
        Self {
            dialect,
            taken: ids.collect(),
            fitted: HashMap::new(),
            count: 0,
        }
    }

    fn next(&mut self) -> String {
        loop {
            self.count += 1;
            let id = format!("call_{}", self.count);
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }

    /// `id`, or another one in its place where the dialect refuses it.
    fn fit(&mut self, id: &str, losses: &mut Losses) -> String {
        if !self.refuses(id) {
            return id.to_owned();
        }
        if let Some(fitted) = self.fitted.get(id) {
            return fitted.clone();
        }
        let fitted = self.next();
        self.fitted.insert(id.to_owned(), fitted.clone());
        losses.report(MessageLossKind::Id {
            from: id.to_owned(),
            to: fitted.clone(),
        });
        fitted
    }

    fn refuses(&self, id: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        self.dialect == MessageDialect::Anthropic && (id.is_empty() || !id.bytes().all(is_plain))
    }
}
