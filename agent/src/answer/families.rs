//! The families. A marker that leads from a place to itself is no part of the text.

use super::family::Place::{
    Arguments, Between, Calls, Header, Id, Key, Lax, Lines, Name, Python, Reasoning, Text, Value,
    Within,
};
use super::family::{Family, PLAIN, maybe, row};

/// Every family; the last takes what no other is found for.
pub(super) const FAMILIES: &[Family] = &[
    Family {
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
        ],
        ..PLAIN
    },
    Family {
        name: "functiongemma",
        found_by: &[&["<start_function_call>"]],
        rows: &[
            row(Text, "<start_function_call>", Within),
            row(Within, "call:", Name),
            row(Name, "{", Lax),
            row(Lax, "<end_function_call>", Text),
            row(Text, "<start_function_response>", Text),
            row(Text, "<end_of_turn>", Text),
        ],
        quote: "<escape>",
        ..PLAIN
    },
    Family {
        name: "gemma-4",
        found_by: &[&["<|tool_call>", "<tool_call|>"]],
        rows: &[
            row(Text, "<|channel>thought", Reasoning),
            row(Reasoning, "<channel|>", Text),
            row(Text, "<|tool_call>", Within),
            row(Within, "call:", Name),
            row(Name, "{", Lax),
            row(Lax, "<tool_call|>", Text),
            row(Text, "<|tool_response>", Text),
            row(Text, "<turn|>", Text),
        ],
        quote: "<|\"|>",
        ..PLAIN
    },
    Family {
        name: "kimi-k2",
        found_by: &[&["<|tool_call_begin|>"], &["<|tool_calls_section_begin|>"]],
        rows: &[
            row(Text, "<think>", Reasoning),
            row(Reasoning, "</think>", Text),
            row(Text, "<|tool_calls_section_begin|>", Between),
            row(Reasoning, "<|tool_calls_section_begin|>", Between),
            row(Between, "<|tool_call_begin|>", Name),
            row(Text, "<|tool_call_begin|>", Name),
            row(Name, "<|tool_call_argument_begin|>", Arguments),
            row(Arguments, "<|tool_call_end|>", Between),
            row(Between, "<|tool_calls_section_end|>", Text),
            row(Text, "<|tool_calls_section_end|>", Text),
            row(Text, "<|im_end|>", Text),
        ],
        ..PLAIN
    },
    Family {
        name: "deepseek",
        found_by: &[&["<｜tool▁sep｜>", "```json"]],
        rows: &[
            row(Text, "<think>", Reasoning),
            row(Reasoning, "</think>", Text),
            row(Text, "<｜tool▁calls▁begin｜>", Between),
            row(Reasoning, "<｜tool▁calls▁begin｜>", Between),
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
        ..PLAIN
    },
    Family {
        name: "deepseek-v3.1",
        found_by: &[&["<｜tool▁sep｜>"]],
        rows: &[
            row(Text, "<think>", Reasoning),
            row(Reasoning, "</think>", Text),
            row(Text, "<｜tool▁calls▁begin｜>", Between),
            row(Reasoning, "<｜tool▁calls▁begin｜>", Between),
            row(Between, "<｜tool▁call▁begin｜>", Name),
            row(Text, "<｜tool▁call▁begin｜>", Name),
            row(Name, "<｜tool▁sep｜>", Arguments),
            row(Arguments, "<｜tool▁call▁end｜>", Between),
            row(Between, "<｜tool▁calls▁end｜>", Text),
            row(Text, "<｜tool▁calls▁end｜>", Text),
            row(Text, "<｜end▁of▁sentence｜>", Text),
        ],
        ..PLAIN
    },
    Family {
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
            row(Text, "<|endoftext|>", Text),
        ],
        ..PLAIN
    },
    Family {
        name: "qwen3-coder",
        found_by: &[&["<function=", "<parameter="]],
        rows: &[
            row(Text, "<think>", Reasoning),
            row(Reasoning, "</think>", Text),
            row(Text, "<tool_call>", Between),
            row(Text, "<function=", Name),
            row(Between, "<function=", Name),
            row(Between, "</tool_call>", Text),
            row(Name, ">", Within),
            row(Within, "<parameter=", Key),
            row(Key, ">", Lines),
            row(Lines, "</parameter>", Within),
            row(Lines, "<parameter=", Key),
            row(Lines, "</function>", Text),
            row(Within, "</function>", Text),
            row(Within, "</tool_call>", Text),
            row(Calls, "</tool_call>", Text),
            row(Text, "</tool_call>", Text),
            row(Text, "<|im_end|>", Text),
            row(Text, "<|endoftext|>", Text),
        ],
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
        name: "functionary-v3.1",
        found_by: &[&["<function=", "</function>"]],
        rows: &[
            row(Text, "<function=", Name),
            row(Name, ">", Arguments),
            row(Arguments, "</function>", Text),
            row(Text, "<|eom_id|>", Text),
            row(Text, "<|eot_id|>", Text),
        ],
        ..PLAIN
    },
    Family {
        name: "mistral",
        found_by: &[&["[TOOL_CALLS]"]],
        rows: &[
            row(Text, "[THINK]", Reasoning),
            row(Reasoning, "[/THINK]", Text),
            row(Text, "[TOOL_CALLS]", Name),
            row(Reasoning, "[TOOL_CALLS]", Name),
            row(Name, "[CALL_ID]", Id),
            row(Name, "[ARGS]", Arguments),
            row(Id, "[ARGS]", Arguments),
            row(Name, "{", Arguments),
            row(Arguments, "[TOOL_CALLS]", Name),
            row(Calls, "[TOOL_CALLS]", Name),
            row(Text, "</s>", Text),
        ],
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
        name: "phi-4",
        found_by: &[&["<|/tool_call|>"], &["<|tool|>", "<|/tool|>"]],
        rows: &[
            row(Text, "<|tool_call|>", Calls),
            row(Calls, "<|/tool_call|>", Text),
            maybe(Text, "functools[", Calls),
            row(Text, "<|end|>", Text),
            row(Text, "<|endoftext|>", Text),
        ],
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
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
        ..PLAIN
    },
    Family {
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
    },
];

/// The family that is called so.
pub(super) fn named(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// The family that a chat template prints calls of.
pub(super) fn of_template(template: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| {
        let mut groups = family.found_by.iter();
        groups.any(|texts| texts.iter().all(|text| template.contains(text)))
    })
}
