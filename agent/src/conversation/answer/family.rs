//! The `Family` of models that write alike: states, the markers between them, control tokens.

/// The part of an answer in which a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Text for the user.
    Text,
    /// Text that the model wrote for itself.
    Reasoning,
    /// Reasoning after what looks like a call. It stays reasoning if the reasoning is closed later.
    ReasoningCall,
    /// A header that names the recipient of the text that follows.
    Header,
    /// Between calls.
    Between,
    /// In a call, between its parts.
    Within,
    /// The name of a function.
    Name,
    /// The id of a call.
    Id,
    /// The name of an argument.
    Key,
    /// The value of an argument.
    Value,
    /// The same, on lines of its own.
    ValueLines,
    /// The value of an argument that is always a string, even if it looks like JSON.
    Verbatim,
    /// All arguments, as elements that may be nested.
    Elements,
    /// JSON: calls with their names.
    Calls,
    /// JSON: the arguments of the call that was named.
    Arguments,
    /// Calls as Python writes them.
    Python,
    /// The arguments of the call that was named, as an object without quotes about its names.
    UnquotedObject,
    /// In a broken call.
    Broken,
}

/// The number of states.
pub(super) const STATES: usize = State::Broken as usize + 1;

impl State {
    /// True inside of one call or a list of calls.
    pub(super) fn is_in_call(self) -> bool {
        !matches!(
            self,
            Self::Text | Self::Reasoning | Self::ReasoningCall | Self::Header | Self::Between
        )
    }

    /// True for a value that is read to its own end, whatever markers its strings contain.
    pub(super) fn is_value(self) -> bool {
        matches!(
            self,
            Self::Calls | Self::Arguments | Self::Python | Self::UnquotedObject
        )
    }

    /// True if the state is inside of a call, before any part that may hold arbitrary text.
    pub(super) fn is_head_of_call(self) -> bool {
        matches!(self, Self::Within | Self::Name | Self::Id | Self::Key)
    }
}

/// The certainty that a marker begins a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The marker begins calls only; if the call cannot be read, it is a problem.
    Sure,
    /// Text may contain the marker; if the call cannot be read, it is text.
    Maybe,
}

/// A text that takes the reader from one state to another. A bracket at the end of a marker
/// belongs to what follows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transition {
    pub(super) from: State,
    pub(super) marker: &'static str,
    pub(super) to: State,
    pub(super) certainty: Certainty,
}

impl Transition {
    /// True if the marker begins a call, or a list of calls, and has no other meaning.
    pub(super) fn begins_call(&self) -> bool {
        let is_call = self.to.is_in_call() || self.to == State::Between;
        self.from == State::Text && is_call && self.certainty == Certainty::Sure
    }

    /// True if the marker leads from one call to the next.
    pub(super) fn separates_calls(&self) -> bool {
        self.from.is_value() && matches!(self.to, State::Name | State::Within)
    }

    pub(super) fn ends_call(&self) -> bool {
        self.from.is_in_call() && !self.to.is_in_call()
    }

    /// True if the text before the marker is reasoning and the text after it is for the user.
    pub(super) fn ends_reasoning(&self) -> bool {
        self.from == State::Reasoning && self.to == State::Text
    }
}

/// A marker that occurs in calls only.
pub(super) const fn row(from: State, marker: &'static str, to: State) -> Transition {
    Transition {
        from,
        marker,
        to,
        certainty: Certainty::Sure,
    }
}

/// A marker that may be text.
pub(super) const fn maybe(from: State, marker: &'static str, to: State) -> Transition {
    Transition {
        from,
        marker,
        to,
        certainty: Certainty::Maybe,
    }
}

/// The form of calls in [`State::Calls`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `{"name": "add", "arguments": {"a": 1}}`.
    Named,
    /// `{"add": {"a": 1}}`.
    Keyed,
}

/// Models that write alike.
#[derive(Debug)]
pub(super) struct Family {
    /// The name by which users choose the family.
    pub(super) name: &'static str,
    /// Groups of texts: a chat template belongs to the family if it contains all texts of one
    /// group. The first such family is used, so those with more texts come first.
    pub(super) found_by: &'static [&'static [&'static str]],
    /// The state in which an answer begins.
    pub(super) start: State,
    pub(super) rows: &'static [Transition],
    /// A bracket that begins a call at the start of a line without a marker, and the state that
    /// follows.
    pub(super) bare: Option<(u8, State)>,
    /// The delimiter of strings in [`State::UnquotedObject`].
    pub(super) quote: &'static str,
    /// The name that stands for the user.
    pub(super) user: Option<&'static str>,
    pub(super) shape: Shape,
    /// True if function names are followed by a number: `functions.add:0`.
    pub(super) is_numbered: bool,
    /// Control tokens, or their beginnings, that are never part of an answer: those for turns,
    /// tools, results and media.
    pub(super) marks: &'static [&'static str],
}

impl Family {
    /// The control tokens that its models recognize, or the tokens' beginnings.
    pub(super) fn control_tokens(&self) -> impl Iterator<Item = &'static str> {
        // Short markers, quotes and fences also occur in ordinary text.
        let is_token = |marker: &&str| marker.len() > 2 && marker.starts_with(['<', '[', ']']);
        let markers = self.rows.iter().map(|row| row.marker).filter(is_token);
        let quote = Some(self.quote).filter(is_token);
        markers.chain(quote).chain(self.marks.iter().copied())
    }
}

/// The defaults, of which each family changes some.
pub(super) const PLAIN: Family = Family {
    name: "",
    found_by: &[],
    start: State::Text,
    rows: &[],
    bare: None,
    quote: "\"",
    user: None,
    shape: Shape::Named,
    is_numbered: false,
    marks: &[],
};
