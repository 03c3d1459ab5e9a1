//! Reads and writes the items of OpenAI Responses: reasoning, messages and calls, each by itself.

mod items;

use items::{call_item, message_item, reasoning_item, result_item, written_part};
use serde_json::{Map, Value, json};

use super::error::MessageError;
use super::json_reader::{Path, list};
use super::loss::{Losses, MessageLossKind};
use super::openai;
use crate::conversation::message::{
    Content, Conversation, Foreign, Media, MediaKind, MediaSource, Message, MessageDialect,
    OpaqueReasoning, Part, Piece, Position, Reasoning, Role, SourceForm, ToolCall, ToolResult,
    pieces,
};

const DIALECT: MessageDialect = MessageDialect::Responses;
/// Members that the common form has, or that mean something to the provider only as long as it
/// keeps the item.
const FORM: [&str; 12] = [
    "type",
    "id",
    "status",
    "role",
    "content",
    "summary",
    "encrypted_content",
    "text",
    "image_url",
    "file_url",
    "file_data",
    "name",
];

pub(super) fn read(value: &Value) -> Result<Conversation, MessageError> {
    if let Value::String(text) = value {
        return read(&json!([{"type": "message", "role": "user", "content": text}]));
    }
    let mut reader = Reader::default();
    let request = value.as_object();
    let plain = request
        .and_then(|it| it.get("input"))
        .filter(|it| it.is_string());
    if let Some(text) = request
        .and_then(|it| it.get("instructions"))
        .and_then(Value::as_str)
    {
        let source_form = SourceForm::nothing(DIALECT).at(Some(Position::Beside));
        reader.messages.push(Message {
            source_form: Some(source_form),
            ..Message::text(Role::System, text)
        });
    }
    let root = Path::root("input");
    if let Some(text) = plain {
        let item = json!({"type": "message", "role": "user", "content": text});
        reader.item(&item, &root)?;
    } else {
        let (items, _) = list(value, "input", "an array of items, or a string")?;
        for (index, item) in items.iter().enumerate() {
            reader.item(item, &root.index(index))?;
        }
    }
    let mut conversation = Conversation {
        messages: reader.messages,
        source_form: None,
    };
    conversation.source_form = request.map(|request| {
        let would_be = request_of(&conversation, &mut Losses::new(DIALECT));
        SourceForm::of(DIALECT, &would_be, request, &["input", "instructions"])
    });
    Ok(conversation)
}

pub(super) fn write(conversation: &Conversation, losses: &mut Losses) -> Value {
    let mut request = request_of(conversation, losses);
    if request.len() > 1
        || conversation
            .source_form
            .as_ref()
            .is_some_and(|source_form| source_form.is_of(DIALECT))
    {
        return losses
            .restored(request, conversation.source_form.as_ref())
            .into();
    }
    let list = request.get_mut("input").map(Value::take);
    let source_form = conversation.source_form.as_ref();
    losses.in_request("input", list.unwrap_or_default(), source_form)
}

/// The list of items, and the instructions where these came beside it.
fn request_of(conversation: &Conversation, losses: &mut Losses) -> Map<String, Value> {
    let mut messages = conversation.messages.as_slice();
    let mut request = Map::new();
    if let [first, rest @ ..] = messages
        && first.place(DIALECT) == Some(Position::Beside)
        && let [
            Part {
                content: Content::Text(text),
                source_form: None,
            },
        ] = first.parts.as_slice()
    {
        request.insert("instructions".to_owned(), json!(text));
        messages = rest;
    }
    let skipped = conversation.messages.len() - messages.len();
    let mut writer = Writer {
        losses,
        items: Vec::new(),
        made: 0,
    };
    for (index, message) in messages.iter().enumerate() {
        writer.losses.message = Some(index + skipped);
        let before = index.checked_sub(1).map(|index| &messages[index]);
        if before.is_some_and(|before| joins(before, message)) {
            writer.losses.report(MessageLossKind::Joined);
        }
        writer.message(message);
    }
    writer.losses.message = None;
    request.insert("input".to_owned(), writer.items.into());
    request
}

/// True if a reader would take both messages for one.
fn joins(before: &Message, message: &Message) -> bool {
    let is_said = |part: &Part| {
        !matches!(
            part.content,
            Content::Reasoning(_) | Content::Call(_) | Content::Foreign(_)
        )
    };
    let both = [before, message].map(|it| it.role == Role::Assistant && !it.parts.is_empty());
    both == [true, true]
        && !(before.parts.iter().any(is_said) && message.parts.first().is_some_and(is_said))
}

#[derive(Default)]
struct Reader {
    messages: Vec<Message>,
    /// True if the model's next item belongs to the last message.
    is_open: bool,
    /// True if the last message has text already.
    has_said: bool,
}

impl Reader {
    fn item(&mut self, value: &Value, at: &Path<'_>) -> Result<(), MessageError> {
        let was = at.object(value, "an item: an object with `type`")?;
        let kind = match was.get("type") {
            None if was.contains_key("role") => "message",
            _ => at.text(was, "type")?,
        };
        match kind {
            "message" => self.message(was, at)?,
            "function_call_output" => {
                self.is_open = false;
                let result = result(was, at)?;
                let would_be = result_item(&result, &mut Losses::new(DIALECT));
                let part = whole(Content::Result(result), &would_be, was);
                self.messages.push(Message {
                    role: Role::Tool,
                    parts: vec![part],
                    name: None,
                    source_form: Some(SourceForm::nothing(DIALECT)),
                });
            }
            "function_call" => {
                let call = ToolCall {
                    id: at.text_if_any(was, "call_id")?,
                    name: at.text(was, "name")?.to_owned(),
                    arguments: at.member("arguments").arguments(was.get("arguments"))?,
                };
                let is_proper = was.get("arguments").is_some_and(Value::is_string);
                let mut part = whole(Content::Call(call.clone()), &call_item(&call), was);
                part.source_form = part.source_form.map(|source_form| match is_proper {
                    true => source_form,
                    false => source_form.without(&["arguments"]),
                });
                self.push(part);
            }
            "reasoning" => {
                let reasoning = reasoning(was, at)?;
                let would_be = reasoning_item(&reasoning);
                self.push(whole(Content::Reasoning(reasoning), &would_be, was));
            }
            _ => self.push(
                Content::Foreign(Foreign {
                    of: DIALECT,
                    value: value.clone(),
                    is_call: false,
                })
                .into(),
            ),
        }
        Ok(())
    }

    /// Adds what the model does.
    fn push(&mut self, part: Part) {
        if !self.is_open {
            self.begin();
        }
        if let Some(message) = self.messages.last_mut() {
            message.parts.push(part);
        }
    }

    fn begin(&mut self) {
        (self.is_open, self.has_said) = (true, false);
        self.messages.push(Message {
            source_form: Some(SourceForm::nothing(DIALECT)),
            ..Message::new(Role::Assistant, [])
        });
    }

    fn message(&mut self, was: &Map<String, Value>, at: &Path<'_>) -> Result<(), MessageError> {
        let role = match at.text(was, "role")? {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => {
                let expected = "one of system, developer, user and assistant";
                return Err(at.member("role").unexpected(expected, was.get("role")));
            }
        };
        let content = at.member("content");
        let parts = contents(was.get("content"), &content)?;
        let would_be = message_item(
            role,
            &parts.iter().collect::<Vec<_>>(),
            &mut Losses::new(DIALECT),
        );
        let source_form = Some(SourceForm::of(DIALECT, &would_be, was, &FORM));
        if role != Role::Assistant || parts.is_empty() {
            self.is_open = false;
            self.messages.push(Message {
                role,
                parts,
                name: None,
                source_form,
            });
            return Ok(());
        }
        if !self.is_open || self.has_said {
            self.begin();
        }
        self.has_said = true;
        if let Some(message) = self.messages.last_mut() {
            message.parts.extend(parts);
            message.source_form = source_form;
        }
        Ok(())
    }
}

fn whole(content: Content, would_be: &Map<String, Value>, was: &Map<String, Value>) -> Part {
    Part {
        content,
        source_form: SourceForm::of(DIALECT, would_be, was, &FORM).if_any(),
    }
}

fn contents(value: Option<&Value>, at: &Path<'_>) -> Result<Vec<Part>, MessageError> {
    at.contents(value, "a string or an array of parts", part)
}

fn part(value: &Value, at: &Path<'_>) -> Result<Part, MessageError> {
    let was = at.object(value, "a part: an object with `type`")?;
    let text = |name| at.text_if_any(was, name);
    let content = match at.text(was, "type")? {
        "input_text" | "output_text" => Content::Text(at.text(was, "text")?.to_owned()),
        "refusal" => Content::Refusal(at.text(was, "refusal")?.to_owned()),
        "input_image" => {
            let by = DIALECT;
            let media = match (text("image_url")?, text("file_id")?) {
                (Some(url), _) => Media::at(MediaKind::Image, &url),
                (None, Some(id)) => Media::new(MediaKind::Image, MediaSource::Stored { id, by }),
                (None, None) => Media::new(MediaKind::Image, MediaSource::Elsewhere),
            };
            let detail = text("detail")?.filter(|detail| detail != "auto");
            Content::Media(Media { detail, ..media })
        }
        "input_file" => {
            let media = openai::file(was, at)?;
            Content::Media(match text("file_url")? {
                Some(url) if media.source == MediaSource::Elsewhere => Media {
                    source: MediaSource::Url(url),
                    ..media
                },
                _ => media,
            })
        }
        _ => {
            return Ok(Content::Foreign(Foreign {
                of: DIALECT,
                value: value.clone(),
                is_call: false,
            })
            .into());
        }
    };
    let is_output = was.get("type") == Some(&json!("output_text"));
    let role = if is_output {
        Role::Assistant
    } else {
        Role::User
    };
    let would_be = written_part(role, &content, &mut Losses::new(DIALECT));
    let would_be = would_be.as_ref().and_then(Value::as_object).cloned();
    Ok(whole(content, &would_be.unwrap_or_default(), was))
}

fn result(was: &Map<String, Value>, at: &Path<'_>) -> Result<ToolResult, MessageError> {
    let output = at.member("output");
    Ok(ToolResult {
        call_id: at.text_if_any(was, "call_id")?,
        name: at.text_if_any(was, "name")?,
        content: contents(was.get("output"), &output)?,
        is_error: false,
    })
}

fn reasoning(was: &Map<String, Value>, at: &Path<'_>) -> Result<Reasoning, MessageError> {
    let texts = |name: &str| -> Result<Vec<String>, MessageError> {
        let at = at.member(name);
        match was.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let items = items.iter().enumerate().map(|(index, item)| {
                    let at = at.index(index);
                    let item = at.object(item, "an object with `text`")?;
                    at.text(item, "text").map(str::to_owned)
                });
                items.collect()
            }
            other => Err(at.unexpected("an array of strings", other)),
        }
    };
    let sealed = at.text_if_any(was, "encrypted_content")?;
    Ok(Reasoning {
        text: texts("content")?.join("\n\n"),
        summary: texts("summary")?,
        sealed: sealed.map(|text| OpaqueReasoning { by: DIALECT, text }),
    })
}

struct Writer<'a> {
    losses: &'a mut Losses,
    items: Vec<Value>,
    made: usize,
}

impl Writer<'_> {
    fn message(&mut self, message: &Message) {
        if message.name.is_some() {
            self.losses.report(MessageLossKind::Name);
        }
        let mut source_form = message.source_form.as_ref();
        for piece in pieces(message) {
            match piece {
                Piece::Result(part, result) => {
                    let item = result_item(result, self.losses);
                    let item = self.losses.restored(item, part.source_form.as_ref());
                    self.items.push(item.into());
                }
                Piece::Turn(role, parts) if parts.is_empty() => {
                    self.add_message(role, &[], &mut source_form)
                }
                Piece::Turn(role, parts) => self.turn(role, &parts, &mut source_form),
            }
        }
        source_form
            .iter()
            .for_each(|source_form| self.losses.foreign(source_form));
    }

    fn turn(&mut self, role: Role, parts: &[&Part], source_form: &mut Option<&SourceForm>) {
        let count = self.items.len();
        let mut said: Vec<&Part> = Vec::new();
        for part in parts {
            let item = match &part.content {
                Content::Call(call) => Some(call_item(call)),
                Content::Reasoning(reasoning) => Some(self.reasoning(reasoning, part)),
                // Items are siblings of messages; parts are inside of them.
                Content::Foreign(foreign) if foreign.of != DIALECT || is_item(foreign) => {
                    let value = self.losses.foreign_value(foreign);
                    Some(
                        value
                            .as_ref()
                            .and_then(Value::as_object)
                            .cloned()
                            .unwrap_or_default(),
                    )
                }
                _ => None,
            };
            let Some(item) = item else {
                said.push(part);
                continue;
            };
            if !said.is_empty() {
                self.add_message(role, &std::mem::take(&mut said), source_form);
            }
            if !item.is_empty() {
                let mut item = self.losses.restored(item, part.source_form.as_ref());
                if item.get("type") == Some(&json!("reasoning")) && is_new(part) {
                    self.identify(&mut item, "rs");
                }
                self.items.push(item.into());
            }
        }
        if !said.is_empty() {
            self.add_message(role, &said, source_form);
        }
        if self.items.len() == count {
            self.losses.report(MessageLossKind::Emptied);
        }
    }

    /// Adds a message.
    fn add_message(&mut self, role: Role, parts: &[&Part], source_form: &mut Option<&SourceForm>) {
        let item = message_item(role, parts, self.losses);
        let source_form = source_form.take();
        let mut item = self.losses.restored(item, source_form);
        let is_list = role == Role::Assistant && item["content"].is_array();
        if is_list && !source_form.is_some_and(|source_form| source_form.is_of(DIALECT)) {
            self.identify(&mut item, "msg");
            item.insert("status".to_owned(), json!("completed"));
        }
        self.items.push(item.into());
    }

    /// The reasoning item; empty if the API could not read it.
    fn reasoning(&mut self, reasoning: &Reasoning, part: &Part) -> Map<String, Value> {
        let mut reasoning = reasoning.clone();
        if reasoning
            .sealed
            .take_if(|sealed| sealed.by != DIALECT)
            .is_some()
        {
            self.losses.report(MessageLossKind::Seal);
        }
        if reasoning == Reasoning::default() && is_new(part) {
            self.losses.report(MessageLossKind::Reasoning);
            return Map::new();
        }
        reasoning_item(&reasoning)
    }

    fn identify(&mut self, item: &mut Map<String, Value>, kind: &str) {
        self.made += 1;
        item.insert("id".to_owned(), json!(format!("{kind}_{}", self.made)));
    }
}

fn is_new(part: &Part) -> bool {
    !part
        .source_form
        .as_ref()
        .is_some_and(|source_form| source_form.is_of(DIALECT))
}

/// True for an item, as opposed to a part of a message.
fn is_item(foreign: &Foreign) -> bool {
    let kind = foreign.value["type"].as_str().unwrap_or_default();
    !matches!(
        kind,
        "computer_screenshot" | "reasoning_text" | "summary_text" | "text"
    ) && !kind.starts_with("input_")
        && !kind.starts_with("output_")
}
