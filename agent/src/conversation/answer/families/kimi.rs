//! Tables of the formats of Kimi K2 (numbered calls in JSON), K3 (an element for each argument).

use crate::conversation::answer::family::State::{
    Arguments, Between, Key, Name, Reasoning, Text, Value, Verbatim, Within,
};
use crate::conversation::answer::family::{Family, PLAIN, row};

pub(in crate::conversation::answer) const KIMI_K2: Family = Family {
    name: "kimi-k2",
    found_by: &[&["<|tool_call_begin|>"], &["<|tool_calls_section_begin|>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<|tool_calls_section_begin|>", Between),
        row(Between, "<|tool_call_begin|>", Name),
        row(Text, "<|tool_call_begin|>", Name),
        row(Name, "<|tool_call_argument_begin|>", Arguments),
        row(Arguments, "<|tool_call_end|>", Between),
        row(Between, "<|tool_calls_section_end|>", Text),
        row(Text, "<|tool_calls_section_end|>", Text),
        row(Text, "<|im_end|>", Text),
    ],
    is_numbered: true,
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const KIMI_K3: Family = Family {
    name: "kimi-k3",
    found_by: &[&["<|open|>", "<|close|>", "<|sep|>"]],
    rows: &[
        row(Text, "<|open|>think<|sep|>", Reasoning),
        row(Reasoning, "<|close|>think<|sep|>", Text),
        row(Text, "<|open|>response<|sep|>", Text),
        row(Text, "<|close|>response<|sep|>", Text),
        row(Text, "<|open|>tools<|sep|>", Between),
        row(Text, "<|open|>call tool=\"", Name),
        row(Text, "<|open|>call", Within),
        row(Between, "<|open|>call tool=\"", Name),
        row(Between, "<|open|>call", Within),
        row(Name, "\" index=\"", Within),
        row(Name, "\"<|sep|>", Within),
        row(Within, "<|open|>argument key=\"", Key),
        row(Key, "\" type=\"string\"<|sep|>", Verbatim),
        row(Key, "\" type=\"number\"<|sep|>", Value),
        row(Key, "\" type=\"boolean\"<|sep|>", Value),
        row(Key, "\" type=\"null\"<|sep|>", Value),
        row(Key, "\" type=\"object\"<|sep|>", Value),
        row(Key, "\" type=\"array\"<|sep|>", Value),
        row(Verbatim, "<|close|>argument<|sep|>", Within),
        row(Value, "<|close|>argument<|sep|>", Within),
        // The template writes arguments that it gets as one string in this form.
        row(Within, "<|open|>json type=\"object\"<|sep|>", Arguments),
        row(Arguments, "<|close|>json<|sep|>", Between),
        row(Within, "<|close|>call<|sep|>", Between),
        row(Between, "<|close|>call<|sep|>", Between),
        row(Between, "<|close|>tools<|sep|>", Text),
        row(Text, "<|close|>message<|sep|>", Text),
        row(Text, "<|end_of_msg|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};
