//! Collects a model's chat templates and special tokens; finds its template and answer format.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::chat::{Chat, ControlTokens};
use crate::conversation::answer::{AnswerFormat, FormatError};

/// The name of the only template of most models.
const DEFAULT: &str = "default";
/// The one that conversations with tools take, where there is one.
const TOOL_USE: &str = "tool_use";

/// A model's chat templates by name, and its special tokens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelTemplates {
    templates: BTreeMap<String, String>,
    special_tokens: Map<String, Value>,
    response_template: Option<Value>,
    control_tokens: Vec<String>,
}

/// A model has no such template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The configuration is not what Transformers writes.
    #[error("the tokenizer's configuration cannot be read: {0}")]
    Configuration(#[source] serde_json::Error),
    /// There is no chat template.
    #[error("the model has no chat template")]
    None,
    /// There are several, none of them by that name.
    #[error("the model has no chat template `{name}`: expected one of {}", .known.join(", "))]
    Unknown {
        /// The requested name.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
}

/// The members of `tokenizer_config.json` that are used.
#[derive(Deserialize)]
struct Configuration {
    chat_template: Option<Templates>,
    response_template: Option<Value>,
    #[serde(default)]
    added_tokens_decoder: Map<String, Value>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "`chat_template` must be a string, or an array of objects with `name` and `template`"
)]
enum Templates {
    One(String),
    Several(Vec<NamedTemplate>),
}

#[derive(Deserialize)]
struct NamedTemplate {
    name: String,
    template: String,
}

impl ModelTemplates {
    /// Reads the templates and the special tokens of a `tokenizer_config.json`.
    ///
    /// # Errors
    /// When it is not such a file.
    pub fn from_tokenizer_config(json: &str) -> Result<Self, ModelError> {
        let read: Configuration = serde_json::from_str(json).map_err(ModelError::Configuration)?;
        let control_tokens = control_tokens(&read);
        let templates = match read.chat_template {
            None => BTreeMap::new(),
            Some(Templates::One(template)) => BTreeMap::from([(DEFAULT.to_owned(), template)]),
            Some(Templates::Several(named)) => {
                let named = named.into_iter();
                named.map(|named| (named.name, named.template)).collect()
            }
        };
        let tokens = read.others.into_iter().filter_map(|(name, value)| {
            let text = token(&value)?;
            name.ends_with("_token").then_some((name, text))
        });
        Ok(Self {
            templates,
            special_tokens: tokens.collect(),
            response_template: read.response_template,
            control_tokens,
        })
    }

    /// Adds the template of a `chat_template.jinja`, which replaces any other of its name, or of a
    /// file in `additional_chat_templates`, named after the file.
    pub fn with_template(mut self, name: Option<&str>, template: impl Into<String>) -> Self {
        let name = name.unwrap_or(DEFAULT).to_owned();
        self.templates.insert(name, template.into());
        self
    }

    /// The template called `name`; without a name, the one for such conversations.
    ///
    /// # Errors
    /// When there is no such template.
    pub fn choose(&self, name: Option<&str>, has_tools: bool) -> Result<&str, ModelError> {
        let tool_use = has_tools.then_some(TOOL_USE);
        let wanted = match name {
            Some(name) => vec![name],
            None => tool_use.into_iter().chain([DEFAULT]).collect(),
        };
        let found = wanted.iter().find_map(|name| self.templates.get(*name));
        found
            .map(String::as_str)
            .ok_or_else(|| match self.templates.is_empty() {
                true => ModelError::None,
                false => ModelError::Unknown {
                    name: name.unwrap_or(DEFAULT).to_owned(),
                    known: self.templates.keys().cloned().collect(),
                },
            })
    }

    /// The model's own format of answers, read from its `response_template` if it has one.
    ///
    /// # Errors
    /// When it is invalid; [`ModelTemplates::answer_family`] may still recognise the model.
    pub fn answer_template(&self) -> Result<Option<AnswerFormat>, FormatError> {
        let template = self.response_template.as_ref();
        template
            .map(AnswerFormat::from_response_template)
            .transpose()
    }

    /// The answer format of models with these chat templates; `None` if the family is unknown.
    pub fn answer_family(&self) -> Option<AnswerFormat> {
        let chosen = self.choose(None, true).into_iter();
        let mut templates = chosen.chain(self.templates.values().map(String::as_str));
        templates.find_map(AnswerFormat::of_chat_template)
    }

    /// A conversation without messages yet, as it is safe to print: with the special tokens, and
    /// with those of others [broken](ControlTokens::Broken).
    pub fn chat(&self) -> Chat {
        Chat {
            variables: self.special_tokens.clone(),
            control_tokens: ControlTokens::Broken(self.control_tokens.clone()),
            ..Chat::default()
        }
    }

    /// The tokenizer's special tokens: those for which templates have names, and all others.
    pub fn control_tokens(&self) -> &[String] {
        &self.control_tokens
    }

    /// The special tokens that templates see: `bos_token` and others.
    pub fn special_tokens(&self) -> &Map<String, Value> {
        &self.special_tokens
    }
}

/// The special tokens that the configuration names. Other added tokens may be white space or words,
/// so only those of them count that stand as marks in the template.
fn control_tokens(read: &Configuration) -> Vec<String> {
    let named = read.others.iter().filter_map(|(name, value)| {
        let is_list = name.ends_with("_special_tokens") || name == "chat_control_tokens";
        match value {
            Value::Array(tokens) if is_list => Some(tokens.iter().collect::<Vec<_>>()),
            Value::Object(tokens) if is_list => Some(tokens.values().collect()),
            value if name.ends_with("_token") => Some(vec![value]),
            _ => None,
        }
    });
    let added = read.added_tokens_decoder.values();
    let added = added.filter(|token| token["special"] == Value::Bool(true));
    let tokens = added.chain(named.flatten()).filter_map(token);
    let mut tokens: Vec<String> = tokens
        .filter_map(|token| token.as_str().map(str::to_owned))
        .collect();
    tokens.sort();
    tokens.dedup();
    tokens
}

/// A token is a text, or an object that has one.
fn token(value: &Value) -> Option<Value> {
    let text = match value {
        Value::Object(token) => token.get("content")?,
        other => other,
    };
    text.is_string().then(|| text.clone())
}
