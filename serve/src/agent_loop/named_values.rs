//! Keeps a conversation's named values, mostly pictures and sounds, and fills them into arguments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tool_hub_manifest::contract::{Content, ContentBody, Reply};

use super::error::LoopError;

/// The prefix of a picture's or sound's name where a model writes it as an argument.
const PREFIX: &str = "media:";
const NAME_LENGTH_MAX: usize = 64;
/// The most names that are listed for a model that used an unknown one; the newest are listed.
const NAMES_TOLD_MAX: usize = 16;
/// The most bytes of pictures and sounds that are kept; later ones have no name.
const MEDIA_BYTES_MAX: usize = 256 << 20;

/// A picture or a sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedMedia {
    /// The media type, a stranger's text where a function made it.
    pub media_type: String,
    /// The bytes of its file.
    pub data: Vec<u8>,
}

/// A picture or a sound that a function made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMedia {
    /// The name that the model uses.
    pub name: String,
    /// The picture or the sound.
    pub media: std::sync::Arc<NamedMedia>,
}

#[derive(Default)]
pub(super) struct NamedValues {
    /// The values that the person gave, in order, and the number of them that the model was told
    /// of.
    given: Vec<(String, Value)>,
    taken: usize,
    media: Vec<KeptMedia>,
    bytes: usize,
}

impl NamedValues {
    pub(super) fn give(&mut self, name: &str, value: Value) -> Result<(), LoopError> {
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.len() <= NAME_LENGTH_MAX
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name {
            return Err(LoopError::Name { name: name.into() });
        }
        self.given.push((name.to_owned(), value));
        Ok(())
    }

    pub(super) fn media(&self) -> &[KeptMedia] {
        &self.media
    }

    /// Takes the values that were given and not taken yet.
    pub(super) fn take_given(&mut self) -> Vec<(String, Value)> {
        let new = self.given[self.taken..].to_vec();
        self.taken = self.given.len();
        new
    }

    /// The number of values that were taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Has what comes after the first `taken` values taken once more.
    pub(super) fn take_again(&mut self, taken: usize) {
        self.taken = taken;
    }

    /// Takes the values that were given and not taken yet, as text for a model that calls
    /// functions.
    pub(super) fn take_given_text(&mut self) -> String {
        let lines = self
            .take_given()
            .into_iter()
            .map(|(name, value)| match media_of(&value) {
                Some((media_type, _)) => format!(
                    "`{PREFIX}{name}` is {}: pass that text where a function takes one.",
                    about(media_type)
                ),
                None => format!("`{name}` is {value}"),
            });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The arguments with pictures and sounds where the model wrote their names.
    pub(super) fn filled_in(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let members = arguments.iter();
        members
            .map(|(name, value)| (name.clone(), self.filled(value)))
            .collect()
    }

    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix(PREFIX).and_then(|it| self.find(it)) {
                Some(found) => found,
                None => value.clone(),
            },
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(members) => Value::Object(self.filled_in(members)),
            _ => value.clone(),
        }
    }

    fn find(&self, name: &str) -> Option<Value> {
        if let Some(kept) = self.media.iter().find(|kept| kept.name == name) {
            return Some(json!({
                "media_type": kept.media.media_type,
                "data": STANDARD.encode(&kept.media.data),
            }));
        }
        let given = self.given.iter().rev();
        let given = given.filter(|(_, value)| media_of(value).is_some());
        let (_, value) = given.into_iter().find(|(given, _)| given == name)?;
        Some(value.clone())
    }

    /// A hint for a model whose `arguments` were refused, if one of them looks like the name of a
    /// picture or sound that does not exist.
    pub(super) fn unknown_in(&self, arguments: &Map<String, Value>) -> Option<String> {
        let unknown = arguments.values().find_map(|value| self.unknown(value))?;
        let given = self.given.iter();
        let given = given.filter_map(|(name, value)| Some((name, media_of(value)?.0)));
        let made = self.media.iter();
        let made = made.map(|kept| (&kept.name, kept.media.media_type.as_str()));
        let mut there: Vec<String> = given
            .chain(made)
            .map(|(name, media_type)| format!("`{PREFIX}{name}` ({})", about(media_type)))
            .collect();
        there.drain(..there.len().saturating_sub(NAMES_TOLD_MAX));
        let there = match there.is_empty() {
            true => "there is no picture and no sound yet".to_owned(),
            false => format!("there are {}", there.join(", ")),
        };
        Some(format!("`{PREFIX}{unknown}` does not exist; {there}"))
    }

    fn unknown<'a>(&self, value: &'a Value) -> Option<&'a str> {
        match value {
            Value::String(text) => text.strip_prefix(PREFIX).filter(|name| {
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
                (1..=2 * NAME_LENGTH_MAX).contains(&name.len())
                    && name.bytes().all(is_plain)
                    && self.find(name).is_none()
            }),
            Value::Array(items) => items.iter().find_map(|item| self.unknown(item)),
            Value::Object(members) => members.values().find_map(|value| self.unknown(value)),
            _ => None,
        }
    }

    /// The reply of `function` with words in place of pictures and sounds, which are kept.
    pub(super) fn keep_media(&mut self, function: &str, reply: Reply) -> Reply {
        let content = reply.content.into_iter().map(|content| {
            let (ContentBody::Image { media_type, data } | ContentBody::Audio { media_type, data }) =
                content.body
            else {
                return content;
            };
            let (media_type, bytes) = (media_type.clone(), data.len());
            match self.keep(function, media_type.clone(), data) {
                Some(name) => Content::text(format!(
                    "[{}, {bytes} bytes. It is `{PREFIX}{name}`: pass that text where a function \
                     takes one. The person sees it.]",
                    about(&media_type)
                )),
                None => Content::text(format!(
                    "[{}, {bytes} bytes, which is too much to keep]",
                    about(&media_type)
                )),
            }
        });
        Reply {
            content: content.collect(),
            ..reply
        }
    }

    /// Keeps a picture or a sound; tells its name.
    pub(super) fn keep(&mut self, from: &str, media_type: String, data: Vec<u8>) -> Option<String> {
        self.bytes += data.len();
        if self.bytes > MEDIA_BYTES_MAX {
            self.bytes -= data.len();
            return None;
        }
        let name = format!("{from}_{}", self.media.len() + 1);
        self.media.push(KeptMedia {
            name: name.clone(),
            media: std::sync::Arc::new(NamedMedia { media_type, data }),
        });
        Some(name)
    }
}

/// The media type and the data of a value that is a picture or a sound.
pub(super) fn media_of(value: &Value) -> Option<(&str, &str)> {
    let members = value.as_object().filter(|members| members.len() == 2)?;
    Some((
        members.get("media_type")?.as_str()?,
        members.get("data")?.as_str()?,
    ))
}

/// The description of something that a model cannot see.
pub(super) fn about(media_type: &str) -> String {
    let kind = match media_type.split('/').next() {
        Some("image") => "a picture",
        Some("audio") => "a sound",
        _ => "a file",
    };
    format!("{kind}, {media_type}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_name_that_nothing_has_is_told_what_there_is() {
        let mut kept = NamedValues::default();
        let wrong = members(json!({"size": 3, "of": [{"picture": "media:image_1"}]}));
        assert_eq!(
            kept.unknown_in(&wrong).as_deref(),
            Some("`media:image_1` does not exist; there is no picture and no sound yet")
        );
        let photo = json!({"media_type": "image/png", "data": "AQID"});
        kept.give("photo", photo).unwrap();
        kept.give("text", json!("media:image_1")).unwrap();
        kept.keep("speak", "audio/wav".into(), vec![1]).unwrap();
        assert_eq!(
            kept.unknown_in(&wrong).as_deref(),
            Some(
                "`media:image_1` does not exist; there are `media:photo` (a picture, image/png), \
                 `media:speak_1` (a sound, audio/wav)"
            )
        );
        for fine in [
            json!({"picture": "media:photo", "sound": ["media:speak_1"]}),
            json!({"text": "media: a word", "other": "image_1"}),
        ] {
            assert_eq!(kept.unknown_in(&members(fine)), None);
        }
        for number in 2..40 {
            kept.keep("speak", "audio/wav".into(), vec![1]).unwrap();
            assert!(kept.find(&format!("speak_{number}")).is_some());
        }
        let told = kept.unknown_in(&wrong).unwrap();
        assert_eq!(told.matches("(a sound").count(), NAMES_TOLD_MAX);
        assert!(told.contains("media:speak_39"), "{told}");
    }
}
