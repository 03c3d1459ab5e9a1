//! Tables of the answer formats of Llama: bare JSON, or calls in Python syntax.

use crate::conversation::answer::family::State::{Calls, Python, Text};
use crate::conversation::answer::family::{Family, PLAIN, maybe, row};

pub(in crate::conversation::answer) const LLAMA_PYTHONIC: Family = Family {
    name: "llama-pythonic",
    found_by: &[&["<|python_start|>"], &["[func_name1("]],
    rows: &[
        row(Text, "<|python_start|>", Python),
        row(Python, "<|python_end|>", Text),
        row(Text, "<|python_end|>", Text),
        row(Text, "<|python_tag|>", Python),
        row(Text, "<|eom|>", Text),
        row(Text, "<|eot|>", Text),
        row(Text, "<|eom_id|>", Text),
        row(Text, "<|eot_id|>", Text),
    ],
    bare: Some((b'[', Python)),
    marks: &[
        "<|", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>",
    ],
    ..PLAIN
};

pub(in crate::conversation::answer) const LLAMA_3: Family = Family {
    name: "llama-3",
    found_by: &[
        &["<|python_tag|>"],
        &["<|eom_id|>"],
        &["<|start_header_id|>", "tools"],
    ],
    rows: &[
        maybe(Text, "<|python_tag|>", Python),
        row(Text, "<|eom_id|>", Text),
        row(Text, "<|eot_id|>", Text),
    ],
    bare: Some((b'{', Calls)),
    marks: &["<|"],
    ..PLAIN
};
