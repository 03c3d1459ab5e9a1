//! Tables of the formats of DeepSeek: JSON between special tokens, or an element an argument.

use crate::conversation::answer::family::State::{
    Arguments, Between, Key, Name, Reasoning, Text, Value, Verbatim, Within,
};
use crate::conversation::answer::family::{Family, PLAIN, row};

/// The special tokens, or their beginnings.
const MARKS: &[&str] = &["<\u{ff5c}", "</\u{ff5c}", "<tool_result>", "</tool_result>"];

pub(in crate::conversation::answer) const DEEPSEEK: Family = Family {
    name: "deepseek",
    found_by: &[&["<｜tool▁sep｜>", "```json"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<｜tool▁calls▁begin｜>", Between),
        row(Between, "<｜tool▁call▁begin｜>", Within),
        row(Text, "<｜tool▁call▁begin｜>", Within),
        row(Within, "<｜tool▁sep｜>", Name),
        row(Name, "\n```json", Arguments),
        row(Name, "```json", Arguments),
        row(Arguments, "```", Between),
        row(Arguments, "<｜tool▁call▁end｜>", Between),
        row(Between, "<｜tool▁call▁end｜>", Between),
        row(Between, "<｜tool▁calls▁end｜>", Text),
        row(Text, "<｜tool▁calls▁end｜>", Text),
        row(Text, "<｜end▁of▁sentence｜>", Text),
    ],
    marks: MARKS,
    ..PLAIN
};

pub(in crate::conversation::answer) const DEEPSEEK_V3_1: Family = Family {
    name: "deepseek-v3.1",
    found_by: &[&["<｜tool▁sep｜>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<｜tool▁calls▁begin｜>", Between),
        row(Between, "<｜tool▁call▁begin｜>", Name),
        row(Text, "<｜tool▁call▁begin｜>", Name),
        row(Name, "<｜tool▁sep｜>", Arguments),
        row(Arguments, "<｜tool▁call▁end｜>", Between),
        row(Between, "<｜tool▁calls▁end｜>", Text),
        row(Text, "<｜tool▁calls▁end｜>", Text),
        row(Text, "<｜end▁of▁sentence｜>", Text),
    ],
    marks: MARKS,
    ..PLAIN
};

pub(in crate::conversation::answer) const DEEPSEEK_V3_2: Family = Family {
    name: "deepseek-v3.2",
    found_by: &[&["｜DSML｜"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<｜DSML｜function_calls>", Between),
        row(Text, "<｜DSML｜tool_calls>", Between),
        row(Text, "<｜DSML｜invoke name=\"", Name),
        row(Between, "<｜DSML｜invoke name=\"", Name),
        row(Name, "\">", Within),
        row(Within, "<｜DSML｜parameter name=\"", Key),
        row(Key, "\" string=\"true\">", Verbatim),
        row(Key, "\" string=\"false\">", Value),
        row(Verbatim, "</｜DSML｜parameter>", Within),
        row(Value, "</｜DSML｜parameter>", Within),
        // Some models write all arguments as one object.
        row(Within, "{", Arguments),
        row(Arguments, "</｜DSML｜invoke>", Between),
        row(Within, "</｜DSML｜invoke>", Between),
        row(Between, "</｜DSML｜function_calls>", Text),
        row(Between, "</｜DSML｜tool_calls>", Text),
        row(Text, "</｜DSML｜function_calls>", Text),
        row(Text, "</｜DSML｜tool_calls>", Text),
        row(Text, "<｜end▁of▁sentence｜>", Text),
    ],
    marks: MARKS,
    ..PLAIN
};
