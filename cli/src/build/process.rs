//! Running other people's build tools.

use std::process::{Output, Stdio};

use anyhow::Context as _;
use tokio::process::Command;

use crate::diagnosis::Problem;
use crate::printer::Printer;
use crate::progress::Spinner;

/// How much of a failed build is shown.
const LINES_SHOWN: usize = 60;

/// Runs `command` to its end while a spinner says `doing`, and returns its output.
///
/// # Errors
/// When it cannot be started, or when it fails: the end of what it printed is the cause.
pub(crate) async fn run(
    doing: &str,
    command: &mut Command,
    printer: &Printer,
) -> anyhow::Result<Output> {
    let spinner = Spinner::start(doing.to_owned(), printer);
    let output = output_of(command).await;
    spinner.finish();
    let output = output?;
    if output.status.success() {
        return Ok(output);
    }
    let printed = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
    let printed = String::from_utf8_lossy(&printed);
    let lines: Vec<&str> = printed.lines().collect();
    let end = lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n");
    Err(Problem::user(format!(
        "{doing} failed: `{}` ended with {}",
        name(command),
        output.status
    ))
    .caused_by(end)
    .into())
}

/// Runs `command` to its end with no input and returns its output, whatever it says. The
/// process ends when the returned future is dropped.
pub(crate) async fn output_of(command: &mut Command) -> anyhow::Result<Output> {
    command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .with_context(|| format!("`{}` cannot be started", name(command)))
}

fn name(command: &Command) -> String {
    command
        .as_std()
        .get_program()
        .to_string_lossy()
        .into_owned()
}
