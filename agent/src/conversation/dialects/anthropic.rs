//! Reads and writes messages of Anthropic, where calls and results are blocks of messages.
//! The system prompt is separate.

mod blocks;

use blocks::{whole_block, whole_text, written_block};
use serde_json::{Map, Value, json};

use super::error::MessageError;
use super::json_reader::{Path, list};
use super::loss::{Losses, MessageLossKind};
use super::text_or_list::text_or_list;
use crate::conversation::message::{
    Content, Conversation, Foreign, Media, MediaKind, MediaSource, Message, MessageDialect,
    OpaqueReasoning, Part, Piece, Position, Reasoning, Role, SourceForm, ToolCall, ToolResult,
    pieces,
};

const DIALECT: MessageDialect = MessageDialect::Anthropic;
/// Members that the common form has.
const FORM: [&str; 14] = [
    "type",
    "text",
    "thinking",
    "signature",
    "data",
    "source",
    "title",
    "id",
    "name",
    "input",
    "tool_use_id",
    "content",
    "is_error",
    "role",
];

pub(super) fn read(value: &Value) -> Result<Conversation, MessageError> {
    let (items, request) = list(value, "messages", "an array of messages")?;
    let mut messages = Vec::new();
    if let Some(system) = request
        .and_then(|it| it.get("system"))
        .filter(|it| !it.is_null())
    {
        let parts = contents(Some(system), &Path::root("system"))?;
        messages.push(Message {
            role: Role::System,
            parts,
            name: None,
            source_form: Some(SourceForm::nothing(DIALECT).at(Some(Position::Beside))),
        });
    }
    let root = Path::root("messages");
    for (index, item) in items.iter().enumerate() {
        let before = messages.last().and_then(last_piece);
        let added = message(item, before, &root.index(index))?;
        messages.extend(added);
    }
    let mut conversation = Conversation {
        messages,
        source_form: None,
    };
    conversation.source_form = request.map(|request| {
        let would_be = request_of(&conversation, &mut Losses::new(DIALECT));
        SourceForm::of(DIALECT, &would_be, request, &["system", "messages"])
    });
    Ok(conversation)
}

pub(super) fn write(conversation: &Conversation, losses: &mut Losses) -> Value {
    let mut request = request_of(conversation, losses);
    match &conversation.source_form {
        Some(source_form) if source_form.is_of(DIALECT) => {
            losses.restored(request, Some(source_form)).into()
        }
        source_form => {
            source_form
                .iter()
                .for_each(|source_form| losses.foreign(source_form));
            match request.contains_key("system") {
                true => request.into(),
                false => request
                    .get_mut("messages")
                    .map(Value::take)
                    .unwrap_or_default(),
            }
        }
    }
}

/// The end of the last message.
#[derive(Clone, Copy, PartialEq)]
enum LastPiece {
    Turn,
    Result,
}

fn last_piece(message: &Message) -> Option<(Role, LastPiece)> {
    let last = match message.parts.last().map(|part| &part.content) {
        Some(Content::Result(_)) => LastPiece::Result,
        _ => LastPiece::Turn,
    };
    Some((message.role, last))
}

/// Reads a message, which is several in the common form where it has results.
fn message(
    value: &Value,
    before: Option<(Role, LastPiece)>,
    at: &Path<'_>,
) -> Result<Vec<Message>, MessageError> {
    let was = at.object(value, "a message: an object with `role` and `content`")?;
    let role = match was.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => {
            let expected = "one of user, assistant and system";
            return Err(at.member("role").unexpected(expected, was.get("role")));
        }
    };
    let content = at.member("content");
    let parts = contents(was.get("content"), &content)?;
    let is_result = |part: &Part| matches!(part.content, Content::Result(_));
    if role != Role::User && parts.iter().any(is_result) {
        let expected = "no results, which stand in messages of the user";
        return Err(content.unexpected(expected, was.get("content")));
    }
    let mut messages: Vec<Message> = Vec::new();
    let mut last = None;
    for part in parts {
        let now = match part.content {
            Content::Result(_) => LastPiece::Result,
            _ => LastPiece::Turn,
        };
        match messages.last_mut() {
            Some(message) if now == LastPiece::Turn && last == Some(LastPiece::Turn) => {
                message.parts.push(part)
            }
            _ => {
                let would_join = last == Some(LastPiece::Result);
                let place = (last.is_some() && !would_join).then_some(Position::WithPrevious);
                messages.push(Message {
                    role: if now == LastPiece::Result {
                        Role::Tool
                    } else {
                        role
                    },
                    parts: vec![part],
                    name: None,
                    source_form: Some(SourceForm::nothing(DIALECT).at(place)),
                });
            }
        }
        last = Some(now);
    }
    if messages.is_empty() {
        messages.push(Message::new(role, []));
    }
    let mut writer = Writer::new(DIALECT);
    for message in &messages {
        writer.message(message, &mut Losses::new(DIALECT));
    }
    let would_be = writer.finished().into_iter().next();
    let would_be = would_be.as_ref().and_then(Value::as_object).cloned();
    let follows_results =
        before.is_some_and(|(_, last)| last == LastPiece::Result) && role == Role::User;
    let place = match role {
        Role::System => Some(Position::InList),
        _ if follows_results => Some(Position::Alone),
        _ => None,
    };
    let source_form = SourceForm::of(DIALECT, &would_be.unwrap_or_default(), was, &FORM).at(place);
    if let Some(first) = messages.first_mut() {
        first.source_form = Some(source_form);
    }
    Ok(messages)
}

fn contents(value: Option<&Value>, at: &Path<'_>) -> Result<Vec<Part>, MessageError> {
    at.contents(value, "a string or an array of blocks", block)
}

fn block(value: &Value, at: &Path<'_>) -> Result<Part, MessageError> {
    let was = at.object(value, "a block: an object with `type`")?;
    let sealed = |text: &str| {
        Some(OpaqueReasoning {
            by: DIALECT,
            text: text.to_owned(),
        })
    };
    let foreign = || {
        Content::Foreign(Foreign {
            of: DIALECT,
            value: value.clone(),
            is_call: false,
        })
    };
    let content = match at.text(was, "type")? {
        "text" => Content::Text(at.text(was, "text")?.to_owned()),
        "thinking" => Content::Reasoning(Reasoning {
            text: at.text(was, "thinking")?.to_owned(),
            summary: Vec::new(),
            sealed: at
                .text_if_any(was, "signature")?
                .and_then(|text| sealed(&text)),
        }),
        "redacted_thinking" => Content::Reasoning(Reasoning {
            sealed: sealed(at.text(was, "data")?),
            ..Reasoning::default()
        }),
        "tool_use" => Content::Call(ToolCall {
            id: at.text_if_any(was, "id")?,
            name: at.text(was, "name")?.to_owned(),
            arguments: match was.get("input") {
                Some(Value::Object(input)) => input.clone(),
                other => {
                    return Err(at
                        .member("input")
                        .unexpected("the arguments as an object", other));
                }
            },
        }),
        "tool_result" => Content::Result(ToolResult {
            call_id: at.text_if_any(was, "tool_use_id")?,
            name: None,
            content: contents(was.get("content"), &at.member("content"))?,
            is_error: was.get("is_error") == Some(&json!(true)),
        }),
        kind @ ("image" | "document") => match media(kind, was, at)? {
            Some(media) => Content::Media(media),
            None => return Ok(foreign().into()),
        },
        _ => return Ok(foreign().into()),
    };
    let would_be = written_block(&content, &mut Losses::new(DIALECT));
    let would_be = would_be.as_ref().and_then(Value::as_object).cloned();
    let source_form = SourceForm::of(DIALECT, &would_be.unwrap_or_default(), was, &FORM);
    Ok(Part {
        content,
        source_form: source_form.if_any(),
    })
}

/// A picture or a document. Absent where its source is of another kind.
fn media(
    kind: &str,
    block: &Map<String, Value>,
    at: &Path<'_>,
) -> Result<Option<Media>, MessageError> {
    let at_source = at.member("source");
    let Some(Value::Object(source)) = block.get("source") else {
        return Err(at_source.unexpected("an object with `type`", block.get("source")));
    };
    let text = |name| at_source.text(source, name).map(str::to_owned);
    let found = match at_source.text(source, "type")? {
        "base64" => MediaSource::Data(text("data")?),
        "text" => MediaSource::Text(text("data")?),
        "url" => MediaSource::Url(text("url")?),
        "file" => MediaSource::Stored {
            id: text("file_id")?,
            by: DIALECT,
        },
        _ => return Ok(None),
    };
    let kind = match kind {
        "image" => MediaKind::Image,
        _ => MediaKind::File,
    };
    Ok(Some(Media {
        media_type: at_source.text_if_any(source, "media_type")?,
        name: at.text_if_any(block, "title")?,
        ..Media::new(kind, found)
    }))
}

fn request_of(conversation: &Conversation, losses: &mut Losses) -> Map<String, Value> {
    let mut request = Map::new();
    let first = conversation.messages.iter().take_while(|message| {
        matches!(message.role, Role::System | Role::Developer)
            && message.place(DIALECT) != Some(Position::InList)
    });
    let first = first.count();
    let mut system = Vec::new();
    for (index, message) in conversation.messages[..first].iter().enumerate() {
        losses.message = Some(index);
        if index > 0 {
            losses.report(MessageLossKind::Joined);
        }
        report_losses(message, losses);
        message
            .source_form
            .iter()
            .filter(|source_form| !source_form.is_of(DIALECT))
            .for_each(|source_form| losses.foreign(source_form));
        system.extend(
            message
                .parts
                .iter()
                .filter_map(|part| whole_text(part, losses)),
        );
    }
    if first > 0 {
        request.insert("system".to_owned(), text_or_list(system, json!("")));
    }
    let mut writer = Writer::new(DIALECT);
    for (index, message) in conversation.messages.iter().enumerate().skip(first) {
        losses.message = Some(index);
        report_losses(message, losses);
        writer.message(message, losses);
    }
    losses.message = None;
    request.insert("messages".to_owned(), writer.finished().into());
    request
}

/// Reports the parts of the message itself that the dialect cannot express.
fn report_losses(message: &Message, losses: &mut Losses) {
    if message.name.is_some() {
        losses.report(MessageLossKind::Name);
    }
    if message.role == Role::Developer {
        losses.report(MessageLossKind::Role {
            from: Role::Developer,
            to: Role::System,
        });
    }
}

/// Messages that are put together.
struct Writer<'a> {
    dialect: MessageDialect,
    done: Vec<Value>,
    role: &'static str,
    blocks: Vec<Value>,
    source_form: Option<&'a SourceForm>,
    last: Option<LastPiece>,
}

impl<'a> Writer<'a> {
    fn new(dialect: MessageDialect) -> Self {
        Self {
            dialect,
            done: Vec::new(),
            role: "",
            blocks: Vec::new(),
            source_form: None,
            last: None,
        }
    }

    fn message(&mut self, message: &'a Message, losses: &mut Losses) {
        let mut place = message.place(self.dialect);
        let mut source_form = message.source_form.as_ref();
        for piece in pieces(message) {
            let (role, last, parts) = match piece {
                Piece::Result(part, _) => ("user", LastPiece::Result, vec![part]),
                Piece::Turn(Role::User | Role::Tool, parts) => ("user", LastPiece::Turn, parts),
                Piece::Turn(Role::Assistant, parts) => ("assistant", LastPiece::Turn, parts),
                Piece::Turn(_, parts) => ("system", LastPiece::Turn, parts),
            };
            let is_text = role == "system";
            let blocks = parts.iter().filter_map(|part| match is_text {
                true => whole_text(part, losses),
                false => whole_block(part, losses),
            });
            let blocks: Vec<Value> = blocks.collect();
            if blocks.is_empty() && !parts.is_empty() {
                losses.report(MessageLossKind::Emptied);
                continue;
            }
            let follows = self.last == Some(LastPiece::Result) && role == "user";
            let joins = match place.take() {
                Some(Position::WithPrevious) => self.last.is_some() && self.role == role,
                Some(Position::Alone) => false,
                _ => follows,
            };
            if !joins {
                self.close();
                (self.role, self.source_form) =
                    (role, source_form.take().filter(|it| it.is_of(self.dialect)));
            }
            self.blocks.extend(blocks);
            self.last = Some(last);
        }
        let foreign = message
            .source_form
            .iter()
            .filter(|it| !it.is_of(self.dialect));
        foreign.for_each(|source_form| losses.foreign(source_form));
    }

    fn close(&mut self) {
        if self.last.take().is_none() {
            return;
        }
        let blocks = std::mem::take(&mut self.blocks);
        let mut written = Map::from_iter([
            ("role".to_owned(), json!(self.role)),
            ("content".to_owned(), text_or_list(blocks, json!(""))),
        ]);
        if let Some(source_form) = self.source_form.take() {
            source_form.restore(&mut written);
        }
        self.done.push(written.into());
    }

    fn finished(mut self) -> Vec<Value> {
        self.close();
        self.done
    }
}
