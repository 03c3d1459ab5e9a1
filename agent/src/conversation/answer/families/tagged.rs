//! Tables of formats of Hermes, Granite, unknown models and others: JSON or Python in markers.
//! `GENERIC` is the format of unknown models.

use crate::conversation::answer::family::State::{Calls, Python, Reasoning, Text, Within};
use crate::conversation::answer::family::{Family, PLAIN, Shape, maybe, row};

pub(in crate::conversation::answer) const COMMAND_R: Family = Family {
    name: "command-r",
    found_by: &[&["<|START_ACTION|>"], &["Action:", "tool_name"]],
    rows: &[
        row(Text, "<|START_THINKING|>", Reasoning),
        row(Reasoning, "<|END_THINKING|>", Text),
        row(Text, "<|START_ACTION|>", Calls),
        row(Calls, "<|END_ACTION|>", Text),
        row(Text, "Action: ```json", Calls),
        row(Text, "Action:```json", Calls),
        row(Text, "Action:\n```json", Calls),
        row(Calls, "```", Text),
        row(Text, "<|START_RESPONSE|>", Text),
        row(Text, "<|END_RESPONSE|>", Text),
        row(Text, "<|START_TEXT|>", Text),
        row(Text, "<|END_TEXT|>", Text),
        row(Text, "<|END_OF_TURN_TOKEN|>", Text),
    ],
    marks: &["<|", "<BOS_TOKEN>"],
    ..PLAIN
};

pub(in crate::conversation::answer) const PHI_4: Family = Family {
    name: "phi-4",
    found_by: &[
        &["<|/tool_call|>"],
        &["<|tool|>", "<|/tool|>"],
        &["functools["],
    ],
    rows: &[
        row(Text, "<|tool_call|>", Calls),
        row(Calls, "<|/tool_call|>", Text),
        maybe(Text, "functools[", Calls),
        row(Text, "<|end|>", Text),
        row(Text, "<|endoftext|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const GRANITE: Family = Family {
    name: "granite",
    found_by: &[&["<|start_of_role|>"], &["<|tool_call|>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<response>", Text),
        row(Text, "</response>", Text),
        row(Text, "<|tool_call|>", Calls),
        row(Text, "<tool_call>", Calls),
        row(Calls, "</tool_call>", Text),
        row(Text, "<|end_of_text|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const GRANITE_20B: Family = Family {
    name: "granite-20b",
    found_by: &[&["<function_call>"]],
    rows: &[
        row(Text, "<function_call>", Calls),
        row(Calls, "</function_call>", Text),
        row(Text, "<|endoftext|>", Text),
    ],
    marks: &["<|", "<function_response>"],
    ..PLAIN
};

pub(in crate::conversation::answer) const JAMBA: Family = Family {
    name: "jamba",
    found_by: &[&["<tool_calls>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<tool_calls>", Calls),
        row(Calls, "</tool_calls>", Text),
        row(Text, "</tool_calls>", Text),
        // Hunyuan also uses this family: it writes text and calls between these tags.
        row(Text, "<answer>", Text),
        row(Text, "</answer>", Text),
        row(Text, "<|eos|>", Text),
        row(Text, "<|eom|>", Text),
        row(Text, "<|end|>", Text),
        row(Text, "<end_of_sentence>", Text),
    ],
    marks: &[
        "<|",
        "<tool_response>",
        "</tool_response>",
        "<available_tools>",
        "</available_tools>",
        "<begin_of_document>",
        "<beginning_of_sentence>",
    ],
    ..PLAIN
};

pub(in crate::conversation::answer) const NEMOTRON: Family = Family {
    name: "nemotron",
    found_by: &[&["<TOOLCALL>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<TOOLCALL>", Calls),
        row(Calls, "</TOOLCALL>", Text),
        row(Text, "</TOOLCALL>", Text),
        row(Text, "<SPECIAL_12>", Text),
    ],
    marks: &[
        "<SPECIAL_",
        "<AVAILABLE_TOOLS>",
        "</AVAILABLE_TOOLS>",
        "<TOOL_RESPONSE>",
        "</TOOL_RESPONSE>",
    ],
    ..PLAIN
};

pub(in crate::conversation::answer) const APERTUS: Family = Family {
    name: "apertus",
    found_by: &[&["<|tools_prefix|>"]],
    rows: &[
        row(Text, "<|inner_prefix|>", Reasoning),
        row(Reasoning, "<|inner_suffix|>", Text),
        row(Text, "<|tools_prefix|>", Calls),
        row(Calls, "<|tools_suffix|>", Text),
        row(Text, "<|tools_suffix|>", Text),
        row(Text, "<|assistant_end|>", Text),
    ],
    shape: Shape::Keyed,
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const INTERNLM2: Family = Family {
    name: "internlm2",
    found_by: &[&["<|action_start|>"], &["<|plugin|>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<|action_start|>", Within),
        row(Within, "<|plugin|>", Calls),
        row(Calls, "<|action_end|>", Text),
        row(Text, "<|action_end|>", Text),
        row(Text, "<|im_end|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const LFM2: Family = Family {
    name: "lfm2",
    found_by: &[
        &["<|tool_call_start|>"],
        &["<|tool_list_start|>"],
        &["List of tools: ["],
    ],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<|tool_call_start|>", Python),
        row(Python, "<|tool_call_end|>", Text),
        row(Calls, "<|tool_call_end|>", Text),
        row(Text, "<|tool_call_end|>", Text),
        row(Text, "<|im_end|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const OLMO_3: Family = Family {
    name: "olmo-3",
    found_by: &[&["<function_calls>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<function_calls>", Python),
        row(Python, "</function_calls>", Text),
        row(Calls, "</function_calls>", Text),
        row(Text, "</function_calls>", Text),
        row(Text, "<|im_end|>", Text),
        row(Text, "<|endoftext|>", Text),
    ],
    marks: &["<|"],
    ..PLAIN
};

pub(in crate::conversation::answer) const EXAONE: Family = Family {
    name: "exaone",
    found_by: &[&["[|endofturn|]"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<thought>", Reasoning),
        row(Reasoning, "</thought>", Text),
        row(Text, "<tool_call>", Calls),
        row(Calls, "</tool_call>", Text),
        row(Text, "</tool_call>", Text),
        row(Text, "[|endofturn|]", Text),
    ],
    marks: &["[|", "[BOS]", "[EOS]"],
    ..PLAIN
};

pub(in crate::conversation::answer) const HERMES: Family = Family {
    name: "hermes",
    found_by: &[&["<tool_call>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<tool_call>", Calls),
        row(Calls, "</tool_call>", Text),
        row(Text, "</tool_call>", Text),
        row(Text, "<|im_end|>", Text),
        row(Text, "<|endoftext|>", Text),
    ],
    marks: &[
        "<|",
        "<tools>",
        "</tools>",
        "<tool_response>",
        "</tool_response>",
    ],
    ..PLAIN
};

pub(in crate::conversation::answer) const GENERIC: Family = Family {
    name: "generic",
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        maybe(Text, "```json", Calls),
        maybe(Text, "```tool_call", Calls),
        maybe(Text, "```", Calls),
        row(Calls, "```", Text),
        maybe(Text, "<tool_call>", Calls),
        row(Calls, "</tool_call>", Text),
    ],
    bare: Some((b'{', Calls)),
    ..PLAIN
};
