//! Tells calls from reasoning: calls inside of reasoning count only if it is never closed.

use super::Engine;
use super::pending::PendingCall;
use crate::conversation::answer::event::AnswerEvent;
use crate::conversation::answer::family::{Certainty, State};
use crate::conversation::answer::problem::Problems;

impl Engine<'_> {
    pub(super) fn is_thinking(&self) -> bool {
        matches!(self.state, State::Reasoning | State::ReasoningCall)
    }

    /// Takes the events that can no longer be revoked.
    pub(super) fn take_events(&mut self) -> Vec<AnswerEvent> {
        let Some(pending) = &mut self.pending else {
            return std::mem::take(&mut self.events);
        };
        match std::mem::take(&mut pending.events) {
            0 => Vec::new(),
            told => {
                let kept = self.events.split_off(told);
                std::mem::replace(&mut self.events, kept)
            }
        }
    }

    /// The number of events that are final: later text must not be merged into them.
    pub(super) fn final_events(&self) -> usize {
        self.pending.as_ref().map_or(0, |pending| pending.events)
    }

    /// Holds back the call that begins at `start`, and everything after it, if it may be reasoning.
    pub(super) fn defer(&mut self, to: State, start: usize) {
        if self.may_be_reasoning && self.pending.is_none() && to.is_in_call() {
            self.pending = Some(PendingCall {
                start,
                events: self.events.len(),
                text: self.text.clone(),
            });
        }
    }

    /// Stops holding back: what begins at `start` was no call.
    pub(super) fn stop_deferring(&mut self, start: usize) {
        self.pending.take_if(|pending| pending.start == start);
    }

    /// Turns everything so far into reasoning: the prompt had opened it, and it is closed at `end`.
    pub(super) fn close_prompt_reasoning(&mut self, end: usize) {
        let pending = self.pending.take();
        let was_thought = std::mem::take(&mut self.may_be_reasoning) || self.calls == 0;
        if let Some(pending) = &pending {
            self.events.truncate(pending.events);
            self.text = pending.text.clone();
            (self.calls, self.problems) = (0, Problems::default());
        }
        if self.text.has_begun() && !self.reasoning.has_begun() && was_thought {
            self.reasoning = std::mem::take(&mut self.text);
            self.events.push(AnswerEvent::TextWasReasoning);
        }
        if let Some(pending) = pending {
            let thought = self.buffer[pending.start..end].to_owned();
            self.add_reasoning(&thought);
        }
        (self.call, self.id, self.region, self.scan) = (None, None, None, None);
        self.gathered.clear();
        (self.is_read, self.is_state_blank) = (false, true);
        self.state = State::Text;
    }

    /// Skips what looks like a call inside of reasoning, until the reasoning is closed.
    pub(super) fn skip_call(&mut self, start: usize) {
        self.region = Some((start, Certainty::Sure));
        self.state = State::ReasoningCall;
    }

    /// Turns the skipped text up to `end` into reasoning.
    pub(super) fn end_skipping(&mut self, end: usize) {
        let thought = self.written(end);
        self.region = None;
        self.add_reasoning(&thought);
    }

    /// Decides about reasoning that was never closed. If it ends in calls, with no text for the
    /// user after them, the calls count.
    pub(super) fn read_unclosed(&mut self) {
        let written = self.written(self.buffer.len());
        let mut reader = Engine::new(self.family, "", self.offered);
        (reader.state, reader.region) = (State::Text, None);
        (reader.may_be_reasoning, reader.is_unclosed) = (false, true);
        reader.calls = self.calls;
        let mut events = reader.push(&written);
        events.extend(reader.finish());
        let is_said = |event: &AnswerEvent| matches!(event, AnswerEvent::Text(_));
        self.region = None;
        if events.iter().any(is_said) {
            self.add_reasoning(&written);
            self.state = State::Reasoning;
        } else {
            self.calls = reader.calls;
            self.events.extend(events);
            self.state = State::Text;
        }
    }
}
