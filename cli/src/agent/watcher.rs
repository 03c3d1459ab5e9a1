//! The person at the terminal, who sees what an agent does and may refuse it.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tool_hub_host::Outcome;
use tool_hub_manifest::FunctionSpec;
use tool_hub_serve::{Act, Verdict, Watcher};

use crate::approval::Terminal;
use crate::diagnosis::Problem;
use crate::printer::Printer;

/// How much of a text among the arguments is shown, and of what comes back.
const SHOWN_CHARACTERS_MAX: usize = 2_000;

/// Shows on standard error, and asks at the terminal.
pub(super) struct AtTerminal {
    printer: Printer,
    /// Everything is allowed.
    yes: bool,
    /// Functions whose calls the person allows from now on.
    always: Mutex<HashSet<String>>,
}

/// What is asked about.
enum About {
    Call(String),
    Code,
}

impl AtTerminal {
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

    fn is_allowed(&self, about: &About) -> bool {
        let always = self.always.lock().unwrap_or_else(PoisonError::into_inner);
        self.yes || matches!(about, About::Call(name) if always.contains(name))
    }

    async fn decide(&self, about: About) -> Verdict {
        if self.is_allowed(&about) {
            return Verdict::Allowed;
        }
        let question = match &about {
            About::Call(_) => "Call it? [y]es, [a]lways this function, or why not: ",
            About::Code => "Run it? [y]es, or why not: ",
        };
        // A person may take long, and other things go on meanwhile.
        let asked = tokio::task::spawn_blocking(move || {
            let mut terminal = Terminal::open()?;
            terminal.ask(question).ok()
        });
        let answer = asked.await.ok().flatten().unwrap_or_default();
        match (answer.trim(), about) {
            ("y" | "Y" | "yes", _) => Verdict::Allowed,
            ("a" | "A" | "always", About::Call(name)) => {
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

impl Watcher for AtTerminal {
    fn said(&self, text: &str) {
        self.printer.note(text);
    }

    fn allows<'a>(&'a self, act: Act<'a>) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>> {
        let (shown, about) = match act {
            Act::Call {
                function,
                arguments,
            } => (
                format!("call {} {}", function.name, shown(arguments)),
                About::Call(function.name.clone()),
            ),
            Act::Code { code, .. } => (format!("code\n{}", indented(code)), About::Code),
        };
        if self.is_allowed(&about) {
            self.printer.note(&shown);
        } else {
            self.printer.before_a_question(&shown);
        }
        Box::pin(self.decide(about))
    }

    fn came(&self, function: &FunctionSpec, outcome: &Outcome) {
        let text = match outcome {
            Outcome::Reply(reply) => reply.text(),
            Outcome::Failure(failure) => format!("failed: {failure}"),
        };
        let text = shortened(text.trim_end());
        self.printer.note(&format!("{} → {text}", function.name));
    }

    fn ran(&self, printed: &str) {
        if !printed.is_empty() {
            self.printer.note(&indented(&shortened(printed.trim_end())));
        }
    }
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Arguments with long texts, such as pictures, cut: what a person would not read.
fn shown(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(mut value) => {
            shorten(&mut value);
            value.to_string()
        }
        Err(_) => shortened(arguments),
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = shortened(text),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
