//! Shows at the terminal what an agent does, and asks the user to allow each call and code.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::Outcome;
use tool_hub_serve::{Act, Verdict, Watcher};

use crate::consent::approval::Terminal;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::text::media;

/// The most characters shown of a text among the arguments, and of an answer.
const SHOWN_CHARACTERS_MAX: usize = 2_000;

/// Shows on standard error, and asks at the terminal.
pub(super) struct TerminalWatcher {
    printer: Printer,
    /// Everything is allowed.
    yes: bool,
    /// Functions whose calls the person allows from now on.
    always: Mutex<HashSet<String>>,
}

/// The subject of a question.
enum Question {
    Call(String),
    Code,
}

impl TerminalWatcher {
    /// # Errors
    /// When nobody is there to ask, and nobody said yes beforehand.
    pub(super) fn new(printer: Printer, yes: bool) -> anyhow::Result<Self> {
        if !yes && Terminal::open().is_none() {
            return Err(Problem::user(
                "an agent asks before it calls a tool, and nobody can answer here",
            )
            .hint("start it in a terminal, or allow everything with --yes")
            .into());
        }
        Ok(Self {
            printer,
            yes,
            always: Mutex::default(),
        })
    }

    fn is_allowed(&self, question: &Question) -> bool {
        let always = self.always.lock().unwrap_or_else(PoisonError::into_inner);
        self.yes || matches!(question, Question::Call(name) if always.contains(name))
    }

    /// Asks, unless it is allowed already. `whole` is the full text where it was shown cut.
    async fn decide(&self, question: Question, whole: Option<String>) -> Verdict {
        if self.is_allowed(&question) {
            return Verdict::Allowed;
        }
        let all = if whole.is_some() { "[s]how all, " } else { "" };
        let text = match &question {
            Question::Call(_) => {
                format!("Call it? [y]es, [a]lways this function, {all}or why not: ")
            }
            Question::Code => "Run it? [y]es, or why not: ".to_owned(),
        };
        let mut answer = typed_answer(text.clone()).await;
        if let (Some(whole), "s" | "S" | "show") = (&whole, answer.trim()) {
            self.printer.before_a_question(whole);
            answer = typed_answer(text).await;
        }
        match (answer.trim(), question) {
            ("y" | "Y" | "yes", _) => Verdict::Allowed,
            ("a" | "A" | "always", Question::Call(name)) => {
                let mut always = self.always.lock().unwrap_or_else(PoisonError::into_inner);
                always.insert(name);
                Verdict::Allowed
            }
            ("" | "n" | "N" | "no", _) => Verdict::Refused { why: None },
            (why, _) => Verdict::Refused {
                why: Some(why.to_owned()),
            },
        }
    }
}

/// Waits for what the person types; empty where nobody is there. Other things go on meanwhile.
async fn typed_answer(question: String) -> String {
    let answer = tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::open()?;
        terminal.ask(&question).ok()
    });
    answer.await.ok().flatten().unwrap_or_default()
}

impl Watcher for TerminalWatcher {
    fn model_said(&self, text: &str) {
        self.printer.note(text);
    }

    fn misread(&self, told: &str) {
        self.printer
            .note(&format!("the model is told:\n{}", indented(told)));
    }

    fn allows<'a>(&'a self, act: Act<'a>) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>> {
        let (shown, whole, question) = match act {
            Act::Call {
                function,
                arguments,
            } => {
                let name = &function.name;
                let (all, shown) = (in_words(arguments), shown(arguments));
                let whole = (all != shown).then_some(all);
                (
                    format!("call {name} {shown}"),
                    whole,
                    Question::Call(name.clone()),
                )
            }
            Act::Code { code, .. } => (format!("code\n{}", indented(code)), None, Question::Code),
        };
        if self.is_allowed(&question) {
            self.printer.note(&shown);
        } else {
            self.printer.before_a_question(&shown);
        }
        Box::pin(self.decide(question, whole))
    }

    fn call_ended(&self, function: &FunctionSpec, outcome: &Outcome) {
        let text = match outcome {
            Outcome::Reply(reply) => reply.text(),
            Outcome::Failure(failure) => format!("failed: {failure}"),
        };
        let text = shortened(text.trim_end());
        self.printer.note(&format!("{} → {text}", function.name));
    }

    fn code_printed(&self, printed: &str) {
        if !printed.is_empty() {
            self.printer.note(&indented(&shortened(printed.trim_end())));
        }
    }
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Arguments with words in place of pictures and sounds.
fn in_words(arguments: &str) -> String {
    changed(arguments, &|text| text.to_owned())
}

/// The same with long texts cut.
fn shown(arguments: &str) -> String {
    changed(arguments, &shortened)
}

fn changed(arguments: &str, change: &impl Fn(&str) -> String) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(mut value) => {
            change_texts(&mut value, change);
            value.to_string()
        }
        Err(_) => change(arguments),
    }
}

fn change_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    if let Some(about) = media::about_media(value) {
        *value = about.into();
    }
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|it| change_texts(it, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|it| change_texts(it, change));
        }
        _ => {}
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
