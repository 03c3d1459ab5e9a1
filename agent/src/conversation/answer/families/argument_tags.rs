//! Tables of formats with a tag for each argument: GLM, LongCat, Hunyuan, Qwen3-Coder, Seed-OSS.

use crate::conversation::answer::family::State::{
    Between, Calls, Key, Name, Reasoning, Text, Value, ValueLines, Within,
};
use crate::conversation::answer::family::{Family, PLAIN, Transition, row};

const TURNS: &[&str] = &[
    "<|",
    "<tools>",
    "</tools>",
    "<tool_response>",
    "</tool_response>",
];

pub(in crate::conversation::answer) const GLM_4_5: Family = Family {
    name: "glm-4.5",
    found_by: &[&["<arg_key>", "<arg_value>"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<tool_call>", Name),
        row(Name, "<arg_key>", Key),
        row(Name, "</tool_call>", Text),
        row(Key, "</arg_key>", Within),
        row(Within, "<arg_value>", Value),
        row(Value, "</arg_value>", Within),
        row(Within, "<arg_key>", Key),
        row(Within, "</tool_call>", Text),
        row(Calls, "</tool_call>", Text),
        row(Text, "</tool_call>", Text),
        row(Text, "<|user|>", Text),
        row(Text, "<|observation|>", Text),
        row(Text, "<|role_end|>", Text),
        row(Text, "<|endoftext|>", Text),
    ],
    // `<role>` belongs to Ling, whose calls have the format of GLM.
    marks: &[
        "<|",
        "[gMASK]",
        "<sop>",
        "<eop>",
        "<role>",
        "</role>",
        "<tools>",
        "</tools>",
        "<tool_response>",
        "</tool_response>",
        "<available_tools>",
        "</available_tools>",
    ],
    ..PLAIN
};

pub(in crate::conversation::answer) const LONGCAT: Family = Family {
    name: "longcat",
    found_by: &[&["<longcat_tool_call>"]],
    rows: &[
        row(Text, "<longcat_think>", Reasoning),
        row(Reasoning, "</longcat_think>", Text),
        row(Text, "<longcat_tool_call>", Name),
        row(Name, "<longcat_arg_key>", Key),
        row(Name, "</longcat_tool_call>", Text),
        row(Key, "</longcat_arg_key>", Within),
        row(Within, "<longcat_arg_value>", Value),
        row(Value, "</longcat_arg_value>", Within),
        row(Within, "<longcat_arg_key>", Key),
        row(Within, "</longcat_tool_call>", Text),
        row(Calls, "</longcat_tool_call>", Text),
        row(Text, "</longcat_tool_call>", Text),
        row(Text, "</longcat_s>", Text),
    ],
    marks: &["<longcat_", "</longcat_"],
    ..PLAIN
};

/// The released models' tokens have a suffix; those of the preview have none.
pub(in crate::conversation::answer) const HUNYUAN: Family = Family {
    name: "hunyuan",
    found_by: &[&["tool_sep", "arg_key", "tool_responses"]],
    rows: &[
        row(Text, "<think>", Reasoning),
        row(Reasoning, "</think>", Text),
        row(Text, "<think:opensource>", Reasoning),
        row(Reasoning, "</think:opensource>", Text),
        row(Text, "<tool_calls>", Between),
        row(Text, "<tool_calls:opensource>", Between),
        row(Text, "<tool_call>", Name),
        row(Text, "<tool_call:opensource>", Name),
        row(Between, "<tool_call>", Name),
        row(Between, "<tool_call:opensource>", Name),
        row(Name, "<tool_sep>", Within),
        row(Name, "<tool_sep:opensource>", Within),
        row(Within, "<arg_key>", Key),
        row(Within, "<arg_key:opensource>", Key),
        row(Key, "</arg_key>", Within),
        row(Key, "</arg_key:opensource>", Within),
        row(Within, "<arg_value>", Value),
        row(Within, "<arg_value:opensource>", Value),
        row(Value, "</arg_value>", Within),
        row(Value, "</arg_value:opensource>", Within),
        row(Within, "</tool_call>", Between),
        row(Within, "</tool_call:opensource>", Between),
        row(Between, "</tool_calls>", Text),
        row(Between, "</tool_calls:opensource>", Text),
        row(Text, "</tool_calls>", Text),
        row(Text, "</tool_calls:opensource>", Text),
        row(Text, "<｜hy_eos｜>", Text),
        row(Text, "<｜hy_eos:opensource｜>", Text),
    ],
    marks: &[
        "<\u{ff5c}",
        "<tools>",
        "</tools>",
        "<tool_response>",
        "</tool_response>",
        "<tool_response:",
        "</tool_response:",
        "<tool_responses",
        "</tool_responses",
    ],
    ..PLAIN
};

/// Functions and parameters that give their names after `=`, within `$open` and `$close`.
macro_rules! functions {
    ($open:literal, $close:literal, $think:literal, $thought:literal, $($end:literal),*) => {{
        const ROWS: &[Transition] = &[
            row(Text, $think, Reasoning),
            row(Reasoning, $thought, Text),
            row(Text, $open, Between),
            row(Text, "<function=", Name),
            row(Between, "<function=", Name),
            row(Between, $close, Text),
            row(Name, ">", Within),
            row(Within, "<parameter=", Key),
            row(Key, ">", ValueLines),
            row(ValueLines, "</parameter>", Within),
            row(ValueLines, "<parameter=", Key),
            row(ValueLines, "</function>", Text),
            row(Within, "</function>", Text),
            row(Within, $close, Text),
            row(Calls, $close, Text),
            row(Text, $close, Text),
            $(row(Text, $end, Text)),*
        ];
        ROWS
    }};
}

pub(in crate::conversation::answer) const QWEN3_CODER: Family = Family {
    name: "qwen3-coder",
    found_by: &[&["<function=", "<parameter="]],
    rows: functions!(
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "<|im_end|>",
        "<|endoftext|>"
    ),
    marks: TURNS,
    ..PLAIN
};

pub(in crate::conversation::answer) const SEED_OSS: Family = Family {
    name: "seed-oss",
    found_by: &[&["<seed:tool_call>"]],
    rows: functions!(
        "<seed:tool_call>",
        "</seed:tool_call>",
        "<seed:think>",
        "</seed:think>",
        "<seed:eos>"
    ),
    marks: &["<seed:", "</seed:"],
    ..PLAIN
};
