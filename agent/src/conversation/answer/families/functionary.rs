//! Tables of the formats of Functionary: the recipient's or function's name, text or arguments.

use crate::conversation::answer::family::State::{Arguments, Name, Text, Within};
use crate::conversation::answer::family::{Family, PLAIN, maybe, row};

pub(in crate::conversation::answer) const FUNCTIONARY_V3_2: Family = Family {
    name: "functionary-v3.2",
    found_by: &[&[">>>"]],
    start: Name,
    rows: &[
        row(Name, "\n", Arguments),
        maybe(Text, ">>>", Name),
        row(Arguments, ">>>", Name),
        row(Text, "<|eot_id|>", Text),
        row(Text, "<|end_of_text|>", Text),
    ],
    user: Some("all"),
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const FUNCTIONARY_V2: Family = Family {
    name: "functionary-v2",
    found_by: &[&["<|recipient|>", "<|content|>"]],
    start: Name,
    rows: &[
        row(Name, "<|content|>", Arguments),
        row(Text, "<|from|>assistant", Within),
        row(Text, "<|recipient|>", Name),
        row(Within, "<|recipient|>", Name),
        row(Arguments, "<|from|>assistant", Within),
        row(Arguments, "<|stop|>", Text),
        row(Text, "<|stop|>", Text),
    ],
    user: Some("all"),
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const FUNCTIONARY_V3_1: Family = Family {
    name: "functionary-v3.1",
    found_by: &[&["<function=", "</function>"]],
    rows: &[
        row(Text, "<function=", Name),
        row(Name, ">", Arguments),
        row(Arguments, "</function>", Text),
        row(Text, "<|eom_id|>", Text),
        row(Text, "<|eot_id|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};
