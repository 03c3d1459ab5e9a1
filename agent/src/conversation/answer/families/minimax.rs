//! Tables of the formats of MiniMax M2 and M3: an element for each argument, nested in M3.

use crate::conversation::answer::family::State::{
    Between, Elements, Key, Name, Reasoning, Text, Value, Within,
};
use crate::conversation::answer::family::{Family, PLAIN, row};
use crate::conversation::answer::xml_arguments::NAMESPACE;

const MARKS: &[&str] = &["]~", "[e~[", "]<]", "<tools>", "</tools>"];

pub(in crate::conversation::answer) const MINIMAX_M2: Family = Family {
    name: "minimax-m2",
    found_by: &[&["<minimax:tool_call>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<minimax:tool_call>", Between),
        row(Between, "<invoke name=\"", Name),
        row(Name, "\">", Within),
        row(Within, "<parameter name=\"", Key),
        row(Key, "\">", Value),
        row(Value, "</parameter>", Within),
        row(Within, "</invoke>", Between),
        row(Within, "</minimax:tool_call>", Text),
        row(Between, "</minimax:tool_call>", Text),
        row(Text, "</minimax:tool_call>", Text),
        row(Text, "[e~[", Text),
    ],
    marks: MARKS,
    ..PLAIN
};

pub(in crate::conversation::answer) const MINIMAX_M3: Family = Family {
    name: "minimax-m3",
    found_by: &[&[NAMESPACE]],
    rows: &[
        row(Text, "<mm:think>", Reasoning),
        row(Reasoning, "</mm:think>", Text),
        row(Text, "]<]minimax[>[<tool_call>", Between),
        row(Between, "]<]minimax[>[<invoke name=\"", Name),
        row(Name, "\">", Elements),
        row(Elements, "]<]minimax[>[</invoke>", Between),
        row(Elements, "]<]minimax[>[</tool_call>", Text),
        row(Elements, "]<]minimax[>[<invoke name=\"", Name),
        row(Between, "]<]minimax[>[</tool_call>", Text),
        row(Text, "]<]minimax[>[</tool_call>", Text),
        row(Text, "[e~[", Text),
    ],
    marks: MARKS,
    ..PLAIN
};
