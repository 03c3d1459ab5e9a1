//! Selects the markers that are recognised in each state of the engine, and their first bytes.

use crate::conversation::answer::family::{Certainty, Family, STATES, State, Transition};

/// For each state, the bytes that begin one of its markers.
pub(super) fn first_bytes(family: &Family) -> Vec<[bool; 256]> {
    let mut first = vec![[false; 256]; STATES];
    for state in STATES_WITH_MARKERS {
        let bytes = &mut first[state as usize];
        for row in family.rows.iter().filter(|row| leads_from(row, state)) {
            bytes[usize::from(row.marker.as_bytes()[0])] = true;
        }
        if matches!(state, State::Name | State::Between) {
            (bytes[usize::from(b'{')], bytes[usize::from(b'[')]) = (true, true);
        }
    }
    if let Some((bracket, to)) = family.bare {
        let bytes = &mut first[State::Text as usize];
        bytes[usize::from(bracket)] = true;
        bytes[usize::from(b'[')] |= to == State::Calls;
    }
    first
}

const STATES_WITH_MARKERS: [State; STATES] = [
    State::Text,
    State::Reasoning,
    State::ReasoningCall,
    State::Header,
    State::Between,
    State::Within,
    State::Name,
    State::Id,
    State::Key,
    State::Value,
    State::ValueLines,
    State::Verbatim,
    State::Elements,
    State::Calls,
    State::Arguments,
    State::Python,
    State::UnquotedObject,
    State::Broken,
];

/// True if a row's marker is recognised in a state.
pub(super) fn leads_from(row: &Transition, state: State) -> bool {
    let is_own = row.from == state;
    let is_text = row.from == State::Text && row.certainty == Certainty::Sure;
    match state {
        // Reasoning that the prompt began is ended by the same markers.
        State::Text => is_own || row.from == State::Reasoning,
        State::Between => is_own || is_text || row.ends_reasoning(),
        State::Reasoning => is_own || row.begins_call(),
        State::ReasoningCall => row.from == State::Reasoning && row.to != State::Reasoning,
        State::Broken => {
            row.begins_call() || row.separates_calls() || row.ends_call() || row.ends_reasoning()
        }
        // A broken call is reported, and must not swallow the next one.
        state if state.is_head_of_call() => {
            is_own || row.begins_call() || row.ends_call() || row.ends_reasoning()
        }
        // Markers count only outside of the strings of a value.
        state if state.is_value() => is_own || is_text || row.ends_reasoning(),
        _ => is_own,
    }
}
