//! Text for models: tool definitions in the dialects that agents read, conversations as a
//! model's own chat template prints them, prompts that ask for code, and failures written so
//! that a model can mend its call.
//!
//! This crate is pure: text and values in, text and values out.
//!
//! ```
//! use serde_json::json;
//! use tool_hub_agent::{Dialect, export};
//! use tool_hub_manifest::{Annotations, FunctionSpec};
//!
//! let spec = FunctionSpec {
//!     name: "count_words".into(),
//!     title: None,
//!     description: "Counts the words of `text`.".into(),
//!     input_schema: json!({"type": "object", "properties": {"text": {"type": "string"}}}),
//!     output_schema: Some(json!({"type": "integer"})),
//!     annotations: Annotations::default(),
//! };
//! let export = export(&[spec], Dialect::Anthropic);
//! assert_eq!(export.tools[0]["input_schema"]["type"], "object");
//! assert_eq!(export.losses.len(), 1); // Anthropic has no place for the output schema.
//! ```

mod answer;
mod chat_template;
mod code;
mod condense;
mod constraint;
mod declare;
mod dialect;
mod example;
mod explain;
mod export;
mod failure;
mod gradio;
mod hidden;
mod import;
mod interface;
mod kept;
mod lint;
mod loss;
mod message;
mod prompt;
mod repair;
mod schema;
mod structured;
mod toolbox;

pub use answer::{
    ANSWER_BYTES_MAX, Answer, AnswerEvent, AnswerFormat, AnswerProblem, AnswerReader, CALLS_MAX,
    CallProblem, CheckedCall, FormatError, UnreadCall, check,
};
pub use chat_template::{
    Chat, ChatTemplate, ControlTokens, ModelError, ModelTemplates, PRINTED_BYTES_MAX,
    TEMPLATE_BYTES_MAX, TemplateError, without_control_tokens,
};
pub use code::{CodeAnswer, code_prompt};
pub use condense::condense;
pub use constraint::{
    Backend, Compiled, Compiler, Constrained, Constraint, ConstraintError, EmulatedTools, Format,
    ToolChoice, UnknownBackend, UnknownFormat, Written, WrongAnswer, emulate_tools,
};
pub use declare::{Declarations, Language, UnknownLanguage, declare};
pub use dialect::{Dialect, UnknownDialect};
pub use example::example;
pub use explain::{Explanation, Part, Unseen, explain};
pub use export::strict::from_strict;
pub use export::{Export, export};
pub use failure::{FailureText, next_text};
pub use gradio::{
    GRADIO_BYTES_MAX, GRADIO_ENDPOINTS_MAX, GradioApp, GradioEndpoint, GradioError, GradioInput,
    GradioValue, gradio,
};
pub use hidden::{is_hidden, is_out_of_place};
pub use import::{IMPORT_BYTES_MAX, IMPORT_FUNCTIONS_MAX, Import, ImportError, Source, import};
pub use interface::{
    Interface, Operation, Parameter, TypeDefinition, TypeKind, WitType, interface,
};
pub use kept::{kept_value, or_kept};
pub use lint::{Finding, Rule, lint};
pub use loss::{Loss, Lost};
pub use message::{
    Content, Conversation, Foreign, Kept, LostMessage, MESSAGE_PARTS_MAX, Media, MediaKind,
    MediaSource, Message, MessageDialect, MessageError, MessageLoss, Part as MessagePart,
    Reasoning, Role, Sealed, ToolCall, ToolResult, UnknownMessageDialect, WrittenMessages,
};
pub use prompt::{
    ChatHistory, ChatPrompt, PROMPT_BYTES_MAX, PROMPT_TEMPLATE_BYTES_MAX, PromptError, PromptMode,
    PromptTemplate, RunPrompt, Solution, SolutionError,
};
pub use repair::{Repair, repair};
pub use structured::{RESULT_MEMBER, ResultShape};
pub use toolbox::{toolbox_line, toolbox_lines};
