//! The confirmation that a person gives before a call runs, where the manifest asks for one.
//! It is asked for by the host, of the values that the guest would get.

use serde_json::{Map, Value};
use tool_hub_manifest::Confirmation;
use tool_hub_manifest::contract::{Failure, FailureKind, Question};
use wasmtime::component::Val;

use crate::call::audit;
use crate::call::record::Record;
use crate::call::stop::Stop;
use crate::interaction::{ANSWER_TIME_MAX, Answer};
use crate::values::json::write::{Json, write};
use crate::values::types::Field;

/// The key of the [`Question`] by which the host asks for a confirmation. No guest can ask
/// under it.
pub const CONFIRMATION_KEY: &str = "host.confirm";
/// The member of the answer that is true if the person confirms.
pub const CONFIRMED: &str = "run";
/// The part of the arguments, in characters, that a person is shown.
const SHOWN_CHARACTERS_MAX: usize = 2_000;
/// The longest argument that is compared; a longer one needs a confirmation.
const COMPARED_BYTES_MAX: u64 = 64 << 10;

/// A call that may need a confirmation.
pub(crate) struct ConfirmedCall<'a> {
    /// The tool and the function, as the person knows them.
    pub(crate) tool: &'a str,
    pub(crate) function: &'a str,
    pub(crate) needed: &'a Confirmation,
    pub(crate) arguments: WrittenArguments<'a>,
}

/// Each argument of a call as JSON, as it is passed on; `None` where it is too long to be written.
pub(crate) type WrittenArguments<'a> = Vec<(&'a str, Option<String>)>;

/// The arguments of a component's function, as the guest gets them.
pub(crate) fn of_values<'a>(parameters: &'a [Field], values: &[Val]) -> WrittenArguments<'a> {
    let arguments = parameters.iter().zip(values);
    let written = arguments.map(|(field, value)| {
        let mut json = Json::new(COMPARED_BYTES_MAX);
        let written = write(&field.ty, value, &mut json);
        let json = written.ok().and_then(|()| json.finish());
        (field.label.json.as_str(), json)
    });
    written.collect()
}

/// The arguments of a server's function.
pub(crate) fn of_json(arguments: &Map<String, Value>) -> WrittenArguments<'_> {
    let written = arguments.iter().map(|(name, value)| {
        let json = value.to_string();
        let is_short = json.len() as u64 <= COMPARED_BYTES_MAX;
        (name.as_str(), is_short.then_some(json))
    });
    written.collect()
}

impl ConfirmedCall<'_> {
    /// Returns once a person has confirmed the call, or if it needs no confirmation.
    ///
    /// # Errors
    /// The failure of the call.
    pub(crate) async fn confirm(self, record: &Record) -> Result<(), Failure> {
        let arguments = &self.arguments;
        if !self.is_needed(arguments) {
            return Ok(());
        }
        let question = record.secrets.mask_question(self.question(arguments));
        let asked = record.interaction.ask(&question);
        let answer = tokio::time::timeout(ANSWER_TIME_MAX, asked).await;
        let answer = answer.unwrap_or(Answer::Cancelled);
        let is_confirmed = matches!(&answer, Answer::Given(given) if given[CONFIRMED] == true);
        let word = match (&answer, is_confirmed) {
            (Answer::Given(_), false) => "declined",
            _ => answer.word(),
        };
        audit::asked(self.tool, CONFIRMATION_KEY, word);
        let function = self.function;
        let (message, fix) = match answer {
            _ if is_confirmed => return Ok(()),
            Answer::Postponed => {
                let stop = Stop::Question(Box::new(question));
                return Err(crate::call::failure::of_stop(&stop, &record.limits));
            }
            Answer::Unavailable => (
                format!(
                    "a person has to confirm this call of `{function}`, and nobody can be asked here"
                ),
                "have the person make the call at a terminal, or through a client that can ask them",
            ),
            _ => (
                format!("the person did not confirm this call of `{function}`"),
                "ask them what to do instead; do not make the same call again unasked",
            ),
        };
        let kind = FailureKind::Denied {
            capability: "confirmation".to_owned(),
        };
        Err(Failure::new(kind, message).with_fix(fix))
    }

    fn is_needed(&self, arguments: &[(&str, Option<String>)]) -> bool {
        let Confirmation::Values(listed) = self.needed else {
            return true;
        };
        listed.iter().any(|(name, values)| {
            let argument = arguments.iter().find(|(other, _)| *other == name.as_str());
            let Some((_, Some(json))) = argument else {
                // What cannot be compared is asked about.
                return true;
            };
            let Ok(given) = serde_json::from_str::<Value>(json) else {
                return true;
            };
            values.iter().any(|value| is_equal(value, &given))
        })
    }

    fn question(&self, arguments: &[(&str, Option<String>)]) -> Question {
        let written = arguments.iter().map(|(name, json)| {
            let json = json.as_deref().unwrap_or("(too long to be shown)");
            format!("{name}: {json}")
        });
        let written = written.collect::<Vec<_>>().join(", ");
        let mut characters = written.chars();
        let shown = characters.by_ref().take(SHOWN_CHARACTERS_MAX);
        let mut shown: String = shown.flat_map(visible).collect();
        let more = characters.count();
        if more > 0 {
            shown.push_str(&format!(" … and {more} more characters"));
        }
        let call = match shown.is_empty() {
            true => "without arguments".to_owned(),
            false => format!("with {shown}"),
        };
        Question {
            key: CONFIRMATION_KEY.to_owned(),
            text: format!(
                "May `{}` of the tool `{}` run {call}? It does so only with your confirmation.",
                self.function, self.tool
            ),
            schema: serde_json::json!({
                "type": "object",
                "properties": { CONFIRMED: { "type": "boolean", "title": "Run it" } },
                "required": [CONFIRMED],
            }),
        }
    }
}

/// A character as a person sees it: what is not printed is escaped.
fn visible(character: char) -> impl Iterator<Item = char> {
    let quoted = matches!(character, '"' | '\'' | '\\');
    let plain = quoted.then_some(character);
    let escaped = (!quoted).then(|| character.escape_debug());
    plain.into_iter().chain(escaped.into_iter().flatten())
}

/// True if `value` of a manifest is the argument `given`. Numbers are compared by value.
fn is_equal(value: &Value, given: &Value) -> bool {
    match (value.as_f64(), given.as_f64()) {
        (Some(value), Some(given)) => value == given,
        _ => value == given,
    }
}
