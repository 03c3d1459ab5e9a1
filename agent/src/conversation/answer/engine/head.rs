//! Reads the head of a call or message: the function's name, or the recipient and channel.

use super::{Engine, Failure, NO_KEY, NO_NAME};
use crate::conversation::answer::event::AnswerEvent;
use crate::conversation::answer::family::{State, Transition};
use crate::conversation::message::ToolCall;

impl Engine<'_> {
    /// True if `written` can be the name of an argument.
    pub(super) fn is_key(written: &str) -> bool {
        !written.is_empty() && !written.contains(['<', '>', '\n'])
    }

    /// Reads the function name of a call. A numbered name is also the call's id: `functions.add:0`.
    pub(super) fn set_name(&mut self, written: &str) -> bool {
        let is_offered = self.offered.iter().any(|spec| spec.name == written);
        let (name, numbered) = match self.family.is_numbered && !is_offered {
            true => match numbered(written) {
                Some((name, is_numbered)) => (name, is_numbered),
                None => return false,
            },
            false => (written, false),
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':');
        if name.is_empty() || !name.chars().all(is_name) {
            return false;
        }
        name.clone_into(&mut self.name);
        self.id = numbered.then(|| written.to_owned());
        if self.is_sure() {
            let name = Some(self.name.clone());
            self.events.push(AnswerEvent::CallBegun { name });
        }
        self.call = Some(ToolCall {
            id: None,
            name: self.name.clone(),
            arguments: serde_json::Map::new(),
        });
        true
    }

    /// Reads a message header: its recipient, and whether it is reasoning or text.
    pub(super) fn read_header(&mut self, written: &str, row: Transition) -> State {
        if row.to == State::Header {
            // The header continues.
            let goes_on = row.marker != "<|start|>";
            if goes_on {
                self.gathered = format!("{written} ");
            }
            return State::Header;
        }
        let mut words = written.split_whitespace();
        let recipient = words.clone().find_map(|word| word.strip_prefix("to="));
        match recipient {
            // A message to the model itself, or to everybody, is no call.
            Some(to) if !matches!(to, "user" | "assistant" | "all") => {
                let name = to.strip_prefix("functions.").unwrap_or(to);
                match self.set_name(name) {
                    true => State::Arguments,
                    false => State::Text,
                }
            }
            _ if words.any(|word| word == "analysis") => State::Reasoning,
            _ => State::Text,
        }
    }

    /// Ends a call whose head is incomplete: a marker was found where a name was expected.
    pub(super) fn leave_head(&mut self) {
        let reason = match self.state {
            State::Key => NO_KEY,
            _ => NO_NAME,
        };
        self.failure = Failure::unreadable(reason);
        (self.call, self.id) = (None, None);
        self.gathered.clear();
        self.state = State::Broken;
    }
}

/// The function name in a numbered name, and whether it had a number. The number may be missing,
/// but anything after the last colon must be one.
fn numbered(written: &str) -> Option<(&str, bool)> {
    let name = written.strip_prefix("functions.").unwrap_or(written);
    match name.rsplit_once(':') {
        None => Some((name, false)),
        Some((name, number)) => {
            let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
            is_number.then_some((name, true))
        }
    }
}
