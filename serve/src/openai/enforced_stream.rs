//! Turns the streamed JSON of a grammar-constrained model into chunks of its answer or its call.
//! The model writes `{"answer": "…"}` or a call: the text of an answer is shown as it comes, a call
//! when it is whole.

use serde_json::{Value, json};

use super::grammar_enforcement::EnforcedReply;
use super::refusal::Refusal;
use super::reply_memory::ReplyReservation;
use crate::budget::Share;

/// The beginning of an answer, token by token. Spaces may stand before each.
const ANSWER: [&str; 4] = ["{", "\"answer\"", ":", "\""];
/// The number of bytes in which an answer has to begin. Of others the text is shown at the end.
const BEGINNING_BYTES_MAX: usize = 256;

/// A reply that comes in chunks.
pub(super) struct EnforcedStream {
    reply: EnforcedReply,
    /// The text that the model wrote so far.
    written: String,
    memory: ReplyReservation,
    answer: AnswerText,
    /// The length of the text that was shown.
    shown_bytes: usize,
}

impl EnforcedStream {
    pub(super) fn new(reply: EnforcedReply, share: &Share) -> Self {
        Self {
            reply,
            written: String::new(),
            memory: ReplyReservation::of(share),
            answer: AnswerText::Ahead,
            shown_bytes: 0,
        }
    }

    /// Takes a chunk, and returns it with the words of the answer in place of the JSON.
    pub(super) fn chunk(&mut self, mut chunk: Value) -> Result<Value, Refusal> {
        if let Some(Value::Object(choice)) = chunk.pointer_mut("/choices/0") {
            // They would be those of the JSON.
            choice.shift_remove("logprobs");
        }
        if let Some(Value::String(text)) = chunk.pointer_mut("/choices/0/delta/content") {
            self.written.push_str(text);
            self.memory.hold(self.written.len())?;
            *text = self.answer.next(&self.written);
            self.shown_bytes += text.len();
        }
        Ok(chunk)
    }

    /// The last chunk, when the model has written everything: its call, or what was not shown of
    /// its answer.
    pub(super) fn finish(self) -> Result<Value, Refusal> {
        let mut whole = json!({"choices": [{"message": {"content": self.written}}]});
        self.reply.read(&mut whole)?;
        let mut choice = whole["choices"][0].take();
        let mut delta = choice["message"].take();
        if let Some(Value::String(text)) = delta.get_mut("content") {
            *text = text.get(self.shown_bytes..).unwrap_or_default().to_owned();
        }
        let calls = delta.get_mut("tool_calls").and_then(Value::as_array_mut);
        for (index, call) in calls.into_iter().flatten().enumerate() {
            call["index"] = index.into();
        }
        let reason = choice["finish_reason"].take();
        Ok(json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}))
    }
}

/// A reader of the text in `{"answer": "…"}`.
#[derive(Clone, Copy)]
enum AnswerText {
    /// The text has not begun.
    Ahead,
    /// The text is read up to this byte.
    At(usize),
    /// Nothing more is read.
    Over,
}

impl AnswerText {
    /// The text that was added since the last time, of all that was `written` so far.
    fn next(&mut self, written: &str) -> String {
        let begin = match self {
            Self::Ahead => begin(written),
            Self::At(at) => Some(*at),
            Self::Over => None,
        };
        let Some(begin) = begin else {
            return String::new();
        };
        let rest = &written[begin..];
        let (length, is_over) = readable(rest.as_bytes());
        let read = rest.get(..length);
        let read = read.and_then(|read| serde_json::from_str(&format!("\"{read}\"")).ok());
        *self = match read.is_none() || is_over {
            true => Self::Over,
            false => Self::At(begin + length),
        };
        read.unwrap_or_default()
    }
}

/// The place where the text begins.
fn begin(written: &str) -> Option<usize> {
    let beginning = &written[..written.floor_char_boundary(BEGINNING_BYTES_MAX)];
    let mut rest = beginning;
    for token in ANSWER {
        rest = rest.trim_start().strip_prefix(token)?;
    }
    Some(beginning.len() - rest.len())
}

/// The length of the inside of a string without an escape that is not complete, and whether the
/// string ends there.
fn readable(rest: &[u8]) -> (usize, bool) {
    let mut length = 0;
    while let Some(byte) = rest.get(length) {
        match byte {
            b'"' => return (length, true),
            b'\\' => match escape_length(&rest[length..]) {
                Some(escape) => length += escape,
                None => break,
            },
            _ => length += 1,
        }
    }
    (length, false)
}

/// The length of the escape that `rest` begins with, if it is complete. Some characters are two
/// escapes.
fn escape_length(rest: &[u8]) -> Option<usize> {
    let length = match rest.get(1)? {
        b'u' => match rest.get(2..4)? {
            [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B'] => 12,
            _ => 6,
        },
        _ => 2,
    };
    (rest.len() >= length).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that is read after each of the pieces.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let (mut answer, mut written) = (AnswerText::Ahead, String::new());
        let read = pieces.into_iter().map(|piece| {
            written.push_str(piece);
            answer.next(&written)
        });
        read.collect()
    }

    #[test]
    fn the_text_of_an_answer_is_read_as_it_comes() {
        let pieces = ["{\"ans", "wer\" : \n\"It", " is", " 42.", "\"", "}"];
        assert_eq!(read(pieces), ["", "It", " is", " 42.", "", ""]);
    }

    #[test]
    fn every_way_to_cut_an_answer_gives_the_same_text() {
        let text = "a\"b\\ \n é € 🦀 {\"answer\": \"x\"}\u{1}";
        let plain = json!({ "answer": text }).to_string();
        let escaped =
            r#"{ "answer":"a\"b\\ \n \u00e9 \u20AC \ud83e\udd80 {\"answer\": \"x\"}\u0001" }"#;
        for written in [plain.as_str(), escaped] {
            for (at, _) in written.char_indices() {
                let (one, other) = written.split_at(at);
                assert_eq!(read([one, other]).concat(), text, "{one}|{other}");
            }
            let characters = written.char_indices();
            let one_by_one = characters.map(|(at, c)| &written[at..at + c.len_utf8()]);
            assert_eq!(read(one_by_one).concat(), text);
        }
    }

    #[test]
    fn nothing_is_read_of_anything_else() {
        let spaces = " ".repeat(BEGINNING_BYTES_MAX);
        for written in [
            r#"{"name": "answer", "arguments": {"answer": "x"}}"#,
            r#"["answer", "x"]"#,
            r#"{"answer": 42}"#,
            "It is 42.",
            &format!("{spaces}{{\"answer\": \"x\"}}"),
        ] {
            let (one, other) = written.split_at(written.len() / 2);
            assert_eq!(read([one, other]).concat(), "", "{written}");
        }
        // A half of a character, and an escape that is none: nothing breaks, the end refuses it.
        for written in [
            r#"{"answer": "a\ud83ebcdefghi"}"#,
            "{\"answer\": \"a\\ué€é\"}",
        ] {
            for (at, _) in written.char_indices() {
                let (one, other) = written.split_at(at);
                let read = read([one, other]).concat();
                assert!(["", "a"].contains(&&*read), "{read}");
            }
        }
    }
}
