//! `tool chat`: reads tasks line by line, and has a model do each, knowing the chat so far.

use std::io::{self, BufRead as _};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::agent::{AgentFlags, Purpose};
use crate::consent::approval::Terminal;
use crate::session::Session;
use crate::terminal::diagnosis;
use crate::terminal::problem::Problem;

/// The longest line, in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Arguments of `tool chat`.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// Only these tools of the toolbox [default: all that you approved]
    names: Vec<String>,

    #[command(flatten)]
    agent: AgentFlags,
}

impl Chat {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let printer = &session.printer;
        let agent = self.agent.open(Purpose::Chat, &self.names, session);
        let mut agent = agent.await?;
        if Terminal::open().is_some() {
            printer.note("say what is to be done, a line each; an empty line ends the chat");
        }
        let mut code = ExitCode::SUCCESS;
        while let Some(task) = next_task().await? {
            // One task that fails is no reason to forget the others.
            if let Err(error) = agent.run(&task).await {
                if diagnosis::is_closed_pipe(&error) {
                    return Err(error);
                }
                if printer.wants_json() {
                    printer.json(&json!({"error": error.to_string()}))?;
                }
                let diagnosis = diagnosis::of(&error);
                printer.error(&error, &diagnosis.hints);
                code = diagnosis.exit.into();
            }
        }
        Ok(code)
    }
}

/// The next line of standard input; nothing at its end, or when it is empty.
async fn next_task() -> anyhow::Result<Option<String>> {
    let read = tokio::task::spawn_blocking(|| match Terminal::open() {
        Some(mut terminal) => terminal.ask("> "),
        None => {
            let mut line = String::new();
            let mut input = io::Read::take(io::stdin().lock(), LINE_BYTES_MAX);
            input.read_line(&mut line)?;
            if line.len() as u64 == LINE_BYTES_MAX {
                let message = format!("a line has more than {LINE_BYTES_MAX} bytes");
                return Err(Problem::user(message).into());
            }
            Ok(line)
        }
    });
    let line = read.await??;
    let task = line.trim();
    Ok((!task.is_empty()).then(|| task.to_owned()))
}
