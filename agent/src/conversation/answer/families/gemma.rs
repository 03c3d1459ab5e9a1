//! Tables of the answer formats of FunctionGemma and Gemma 4: calls as objects with unquoted keys.

use crate::conversation::answer::family::State::{Name, Reasoning, Text, UnquotedObject, Within};
use crate::conversation::answer::family::{Family, PLAIN, row};

pub(in crate::conversation::answer) const FUNCTIONGEMMA: Family = Family {
    name: "functiongemma",
    found_by: &[&["<start_function_call>"]],
    rows: &[
        row(Text, "<start_function_call>", Within),
        row(Within, "call:", Name),
        row(Name, "{", UnquotedObject),
        row(UnquotedObject, "<end_function_call>", Text),
        row(Text, "<start_function_response>", Text),
        row(Text, "<end_of_turn>", Text),
    ],
    quote: "<escape>",
    marks: &[
        "<bos>",
        "<eos>",
        "<start_of_",
        "<end_of_",
        "<start_function_",
        "<end_function_",
        "<image_soft_token>",
        "<audio_soft_token>",
        "<unused",
    ],
    ..PLAIN
};

pub(in crate::conversation::answer) const GEMMA_4: Family = Family {
    name: "gemma-4",
    found_by: &[&["<|tool_call>", "<tool_call|>"]],
    rows: &[
        row(Text, "<|channel>thought", Reasoning),
        row(Reasoning, "<channel|>", Text),
        // A turn may end inside of reasoning, and reasoning may be opened twice.
        row(Reasoning, "<turn|>", Reasoning),
        row(Reasoning, "<|channel>thought", Reasoning),
        row(Text, "<|tool_call>", Within),
        row(Text, "<|tool_call>:", Name),
        row(Within, "call:", Name),
        row(Name, "{", UnquotedObject),
        row(UnquotedObject, "<tool_call|>", Text),
        row(Text, "<|tool_response>", Text),
        row(Text, "<turn|>", Text),
    ],
    quote: "<|\"|>",
    marks: &[
        "<|",
        "<turn|>",
        "<channel|>",
        "<tool|>",
        "<tool_call|>",
        "<tool_response|>",
    ],
    ..PLAIN
};
