//! The table of the format of gpt-oss, called harmony: messages with headers naming the recipient.

use crate::conversation::answer::family::State::{Arguments, Header, Reasoning, Text};
use crate::conversation::answer::family::{Family, PLAIN, row};

pub(in crate::conversation::answer) const HARMONY: Family = Family {
    name: "harmony",
    found_by: &[&["<|channel|>", "<|message|>", "<|start|>"]],
    start: Header,
    rows: &[
        row(Header, "<|start|>", Header),
        row(Header, "<|channel|>", Header),
        row(Header, "<|constrain|>", Header),
        row(Header, "<|message|>", Text),
        row(Text, "<|start|>", Header),
        row(Text, "<|channel|>", Header),
        row(Text, "<|end|>", Header),
        row(Text, "<|call|>", Header),
        row(Text, "<|return|>", Header),
        row(Reasoning, "<|start|>", Header),
        row(Reasoning, "<|end|>", Header),
        row(Reasoning, "<|return|>", Header),
        row(Arguments, "<|call|>", Header),
        row(Arguments, "<|end|>", Header),
        row(Arguments, "<|start|>", Header),
        row(Arguments, "<|return|>", Header),
    ],
    marks: &["<|"],
    ..PLAIN
};
