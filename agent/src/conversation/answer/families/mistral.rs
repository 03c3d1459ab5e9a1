//! The table of Mistral's answer format: calls between markers such as `[TOOL_CALLS]`.

use crate::conversation::answer::family::State::{Arguments, Calls, Id, Name, Reasoning, Text};
use crate::conversation::answer::family::{Family, PLAIN, row};

pub(in crate::conversation::answer) const MISTRAL: Family = Family {
    name: "mistral",
    found_by: &[&["[TOOL_CALLS]"]],
    rows: &[
        row(Text, "[THINK]", Reasoning),
        row(Reasoning, "[/THINK]", Text),
        row(Text, "[TOOL_CALLS]", Name),
        row(Name, "[CALL_ID]", Id),
        row(Name, "[ARGS]", Arguments),
        row(Id, "[ARGS]", Arguments),
        row(Name, "{", Arguments),
        row(Arguments, "[TOOL_CALLS]", Name),
        row(Calls, "[TOOL_CALLS]", Name),
        row(Text, "</s>", Text),
    ],
    marks: &[
        "<s>",
        "[INST]",
        "[/INST]",
        "[SYSTEM_PROMPT]",
        "[/SYSTEM_PROMPT]",
        "[MODEL_SETTINGS]",
        "[/MODEL_SETTINGS]",
        "[AVAILABLE_TOOLS]",
        "[/AVAILABLE_TOOLS]",
        "[TOOL_RESULTS]",
        "[/TOOL_RESULTS]",
        "[TOOL_CONTENT]",
        "[IMG]",
        "[IMG_BREAK]",
        "[IMG_END]",
        "[AUDIO]",
        "[BEGIN_AUDIO]",
        "[TRANSCRIBE]",
        "[PREFIX]",
        "[MIDDLE]",
        "[SUFFIX]",
    ],
    ..PLAIN
};
