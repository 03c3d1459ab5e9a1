//! Shortens outcomes that are too long: stores the whole text and leaves its beginning.
//! It says how to read the rest.

use tool_hub_agent::definition::stored_result::kept_value;
use tool_hub_manifest::contract::{
    Content, ContentBody, Failure, Outcome, Reply, ResourceContents, ResourceLink,
};

use super::{StoredResult, StoredResults};
use crate::built_in::READ_ANSWER;
use crate::cache::LIFETIME;

impl StoredResults {
    /// Returns the outcome of `function` with at most `bytes_max` bytes of text; a longer one is
    /// stored.
    pub(crate) fn shorten(&self, function: &str, outcome: Outcome, bytes_max: usize) -> Outcome {
        match outcome {
            Outcome::Reply(reply) if is_long(&reply, bytes_max) => {
                Outcome::Reply(self.shorten_reply(function, reply, bytes_max))
            }
            Outcome::Failure(failure) if failure.message.len() > bytes_max => {
                self.shorten_failure(function, failure, bytes_max).into()
            }
            short => short,
        }
    }

    fn shorten_reply(&self, function: &str, reply: Reply, bytes_max: usize) -> Reply {
        let text = joined(&reply.content);
        let is_json = reply.structured.as_deref() == Some(&text);
        // The text of a plain answer repeats its structured result.
        let is_same = is_json
            || reply
                .structured
                .as_deref()
                .is_some_and(|json| says(json, &text));
        let is_long = text_bytes(&reply.content) > bytes_max;
        if is_same && !is_long {
            return reply;
        }
        let Reply {
            mut content,
            structured,
            next,
        } = reply;
        let mut shown = Vec::new();
        let mut place = None;
        if is_long {
            content.retain(|part| text_of(part).is_none());
            let media_type = if is_json {
                "application/json"
            } else {
                "text/plain"
            };
            let kept = self.keep(function, media_type, text, bytes_max);
            place = kept.as_ref().map(|kept| kept.uri());
            shown.extend(tell(function, kept.as_deref()));
        }
        let structured = match structured {
            Some(json) if json.len() > bytes_max => {
                if !is_same {
                    let kept = self.keep(function, "application/json", json, bytes_max);
                    place = kept.as_ref().map(|kept| kept.uri());
                    shown.extend(tell(function, kept.as_deref()));
                }
                place.map(|place| kept_value(&place).to_string())
            }
            short => short,
        };
        shown.extend(content);
        Reply {
            content: shown,
            structured,
            next,
        }
    }

    fn shorten_failure(&self, function: &str, mut failure: Failure, bytes_max: usize) -> Failure {
        let message = std::mem::take(&mut failure.message);
        let length = message.len();
        let kept = self.keep(function, "text/plain", message, bytes_max);
        failure.message = match kept {
            Some(kept) => format!(
                "{} … ({length} bytes; {})",
                kept.passages.first(&kept.text).trim_end(),
                how_to_go_on(&kept)
            ),
            None => format!("the failure has {length} bytes, which is too long to be kept"),
        };
        failure
    }
}

fn is_long(reply: &Reply, bytes_max: usize) -> bool {
    let structured = reply.structured.as_ref().map_or(0, String::len);
    structured > bytes_max || text_bytes(&reply.content) > bytes_max
}

fn text_bytes(content: &[Content]) -> usize {
    content.iter().filter_map(text_of).map(str::len).sum()
}

/// All texts of an answer, as one.
fn joined(content: &[Content]) -> String {
    let texts = content.iter().filter_map(|part| match &part.body {
        ContentBody::Resource(resource) => {
            let text = text_of(part)?;
            Some(format!("{}\n{text}", resource.uri))
        }
        _ => text_of(part).map(str::to_owned),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The text of a part that is one. Pictures and sounds are handed over whole.
fn text_of(part: &Content) -> Option<&str> {
    match &part.body {
        ContentBody::Text(text) => Some(text),
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Text(text) => Some(text),
            ResourceContents::Blob(_) => None,
        },
        _ => None,
    }
}

/// Returns true if `json` is the JSON of the string `text`.
fn says(json: &str, text: &str) -> bool {
    json.starts_with('"') && serde_json::from_str::<String>(json).is_ok_and(|string| string == text)
}

/// The text about a stored answer: its length, the way to read it, its beginning and its address.
fn tell(function: &str, kept: Option<&StoredResult>) -> Vec<Content> {
    let Some(kept) = kept else {
        let told = format!("The answer of `{function}` is too long to be kept. Ask for less.");
        return vec![Content::text(told)];
    };
    let told = format!(
        "The answer of `{function}` has {} bytes, too many to be handed over at once: {}. \
         It begins as follows.",
        kept.text.len(),
        how_to_go_on(kept)
    );
    let link = ContentBody::Link(ResourceLink {
        uri: kept.uri(),
        name: kept.id.clone(),
        title: None,
        description: Some(format!("The whole answer of `{function}`")),
        media_type: Some(kept.media_type.to_owned()),
        size: Some(kept.text.len() as u64),
    });
    vec![
        Content::text(told),
        Content::text(kept.passages.first(&kept.text)),
        link.into(),
    ]
}

fn how_to_go_on(kept: &StoredResult) -> String {
    let StoredResult { id, passages, .. } = kept;
    format!(
        "it is kept for up to {} minutes; read its {} pages with {READ_ANSWER} {{\"id\":\"{id}\",\
         \"page\":1}}, or what concerns you with {READ_ANSWER} {{\"id\":\"{id}\",\"query\":\"…\"}}",
        LIFETIME.as_secs() / 60,
        passages.pages()
    )
}
