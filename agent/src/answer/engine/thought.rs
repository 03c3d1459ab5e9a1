//! What a model only considers: calls in reasoning are none, unless the reasoning never ends.

use super::super::family::{Certainty, Place};
use super::super::problem::Problems;
use super::super::sink::Sink;
use super::super::{AnswerEvent, elements};
use super::{Engine, Failure};

/// What was read after a call that may have been a thought.
#[derive(Debug)]
pub(super) struct Deferred {
    /// Where the call begins.
    pub(super) start: usize,
    /// How many events are told whatever follows.
    events: usize,
    /// What was said before.
    text: Sink,
}

impl Engine<'_> {
    /// Whether what is read now is thought.
    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.place, Place::Reasoning | Place::Considered)
    }

    /// The events that nothing takes back.
    pub(super) fn take_events(&mut self) -> Vec<AnswerEvent> {
        let Some(deferred) = &mut self.deferred else {
            return std::mem::take(&mut self.events);
        };
        match std::mem::take(&mut deferred.events) {
            0 => Vec::new(),
            told => {
                let kept = self.events.split_off(told);
                std::mem::replace(&mut self.events, kept)
            }
        }
    }

    /// How many events nothing is added to.
    pub(super) fn told(&self) -> usize {
        self.deferred.as_ref().map_or(0, |deferred| deferred.events)
    }

    /// Keeps back the call that begins at `start`, and all after it, where it may be thought.
    pub(super) fn defer(&mut self, to: Place, start: usize) {
        if self.may_have_thought && self.deferred.is_none() && to.is_in_call() {
            self.deferred = Some(Deferred {
                start,
                events: self.events.len(),
                text: self.text.clone(),
            });
        }
    }

    /// What was to be a call at `start` is text.
    pub(super) fn stop_deferring(&mut self, start: usize) {
        self.deferred.take_if(|deferred| deferred.start == start);
    }

    /// All so far was thought: the prompt had begun the reasoning, which ends at `end`.
    pub(super) fn end_reasoning_of_the_prompt(&mut self, end: usize) {
        let deferred = self.deferred.take();
        let was_thought = std::mem::take(&mut self.may_have_thought) || self.calls == 0;
        if let Some(deferred) = &deferred {
            self.events.truncate(deferred.events);
            self.text = deferred.text.clone();
            (self.calls, self.problems) = (0, Problems::default());
        }
        if self.text.has_begun() && !self.reasoning.has_begun() && was_thought {
            self.reasoning = std::mem::take(&mut self.text);
            self.events.push(AnswerEvent::TextWasReasoning);
        }
        if let Some(deferred) = deferred {
            let thought = self.buffer[deferred.start..end].to_owned();
            self.think(&thought);
        }
        (self.call, self.id, self.region, self.scan) = (None, None, None, None);
        self.gathered.clear();
        (self.is_read, self.is_place_blank) = (false, true);
        self.place = Place::Text;
    }

    /// Goes on after what would begin a call, up to where the reasoning ends.
    pub(super) fn consider(&mut self, start: usize) {
        self.region = Some((start, Certainty::Sure));
        self.place = Place::Considered;
    }

    /// What was considered is thought, up to `end`.
    pub(super) fn think_all(&mut self, end: usize) {
        let thought = self.written(end);
        self.region = None;
        self.think(&thought);
    }

    /// The reasoning has no end. If it goes over into calls and says nothing more, they are meant.
    pub(super) fn read_unclosed(&mut self) {
        let written = self.written(self.buffer.len());
        let mut reader = Engine::new(self.family, "", self.offered);
        (reader.place, reader.region) = (Place::Text, None);
        (reader.may_have_thought, reader.is_unclosed) = (false, true);
        reader.calls = self.calls;
        let mut events = reader.push(&written);
        events.extend(reader.finish());
        let is_said = |event: &AnswerEvent| matches!(event, AnswerEvent::Text(_));
        self.region = None;
        if events.iter().any(is_said) {
            self.think(&written);
            self.place = Place::Reasoning;
        } else {
            self.calls = reader.calls;
            self.events.extend(events);
            self.place = Place::Text;
        }
    }

    /// All arguments of a call, out of elements.
    pub(super) fn set_elements(&mut self, written: &str) {
        match elements::arguments(written, &self.name, self.offered) {
            Ok(arguments) => {
                if let Some(call) = &mut self.call {
                    call.arguments = arguments;
                }
            }
            Err(reason) => {
                self.call = None;
                let written = self.written(self.at);
                self.problem(|| Failure::unreadable(reason).problem(written));
            }
        }
    }
}
