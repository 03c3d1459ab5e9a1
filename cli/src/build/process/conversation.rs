//! Starts a program and talks to it over its standard input and output, within a time limit.
//! The program is ended afterwards.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::group::{GRACE, ProcessGroup};
use super::{name, shown, spawn};
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Spinner;
use crate::terminal::signals::stop_requested;

/// The longest a conversation takes. Some servers are downloaded by the program that starts them.
const CONVERSATION: Duration = Duration::from_secs(120);
/// The most that is kept of a program's standard error.
const COMPLAINT_BYTES_MAX: usize = 64 << 10;

/// Starts `command` and has `talk` speak with it over its standard input and output, while a
/// spinner says `doing`. The program and all that it started are gone afterwards, whatever came
/// of it.
///
/// # Errors
/// When it cannot be started, when `talk` fails or takes too long, with what the program
/// complained of as the cause, and when the user asks to stop.
pub(crate) async fn converse<T, F>(
    doing: &str,
    command: &mut Command,
    talk: impl FnOnce(ChildStdout, ChildStdin) -> F,
    printer: &Printer,
) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<T>>,
{
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ProcessGroup::separate(command);
    let mut child = spawn(command)?;
    let group = ProcessGroup::with_descendants(&child);
    let (Some(input), Some(output), Some(complaints)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(anyhow::anyhow!("`{}` has no streams", name(command)));
    };
    // Standard error is read all the time, so that the program never waits for its reader.
    let mut complaints = tokio::spawn(beginning_of(complaints));
    let spinner = Spinner::start(doing.to_owned(), printer);
    let talked = tokio::select! {
        talked = timeout(CONVERSATION, talk(output, input)) => Some(talked),
        () = stop_requested() => None,
    };
    spinner.finish();
    group.ask_to_end();
    // The stream ends when everybody who holds it does: all that the program started.
    let complained = timeout(GRACE, &mut complaints).await;
    drop(group);
    child
        .wait()
        .await
        .context("the program cannot be waited for")?;
    let complained = match complained {
        Ok(complained) => complained,
        Err(_) => complaints.await,
    };
    let why = match talked {
        None => return Err(Problem::interrupted().into()),
        Some(Ok(Ok(value))) => return Ok(value),
        Some(Ok(Err(error))) => format!("{error:#}"),
        Some(Err(_)) => format!("it took longer than {CONVERSATION:?}"),
    };
    let failed = Problem::user(format!("{doing} failed: `{}`: {why}", name(command)));
    let complained = complained.unwrap_or_default();
    let complained = String::from_utf8_lossy(&complained);
    Err(match complained.trim().is_empty() {
        true => failed.into(),
        false => failed.caused_by(shown(&complained)).into(),
    })
}

/// Reads a stream to its end and keeps its beginning.
async fn beginning_of(mut stream: impl AsyncRead + Unpin) -> Vec<u8> {
    let (mut kept, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        let room = COMPLAINT_BYTES_MAX - kept.len();
        kept.extend_from_slice(&chunk[..read.min(room)]);
    }
    kept
}
