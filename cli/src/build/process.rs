//! Runs other programs: starts them, waits for their end, and reports what a failed one printed.
//! None of them outlives the command.

pub(super) mod conversation;
mod group;

use std::process::{ExitStatus, Output, Stdio};

use anyhow::Context as _;
use tokio::process::{Child, Command};

use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Spinner;
use group::ProcessGroup;

/// The first and the last lines that are shown of a failed program's output: compilers name the
/// cause at its beginning, other programs at its end.
const LINES_SHOWN_FIRST: usize = 60;
const LINES_SHOWN_LAST: usize = 20;
/// The most characters that are shown of one line.
const LINE_CHARS_SHOWN: usize = 500;

/// Runs `command` to its end while a spinner says `doing`, and returns its output.
///
/// # Errors
/// When it cannot be started, when it fails, with what it complained of as the cause, and
/// when the user asks to stop; the program and all that it started are ended then.
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
    Err(Problem::user(format!(
        "{doing} failed: `{}` ended with {}",
        name(command),
        output.status
    ))
    .caused_by(complaint(&output))
    .into())
}

/// Runs `command` to its end with no input and returns its output, whatever it says.
///
/// # Errors
/// When it cannot be started, and when the user asks to stop. The program and all that it
/// started are ended then, and when the returned future is dropped.
pub(crate) async fn output_of(command: &mut Command) -> anyhow::Result<Output> {
    start(command)?.output().await
}

/// A program that runs beside this one. It and all that it started are ended when this is dropped.
pub(crate) struct RunningProgram {
    // Dropped first: nobody may wait for the program before its group is signalled.
    group: ProcessGroup,
    child: Child,
    name: String,
}

/// Starts `command` with no input.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn start(command: &mut Command) -> anyhow::Result<RunningProgram> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ProcessGroup::separate(command);
    let child = spawn(command)?;
    Ok(RunningProgram {
        group: ProcessGroup::with_descendants(&child),
        child,
        name: name(command),
    })
}

impl RunningProgram {
    /// Waits for the program's end and returns its output, whatever it says.
    ///
    /// # Errors
    /// When the user asks to stop. The program and all that it started are ended then, and when the
    /// returned future is dropped.
    pub(crate) async fn output(self) -> anyhow::Result<Output> {
        let Self {
            mut group,
            child,
            name,
        } = self;
        // The pipes end when everybody who holds them does: all that the program started.
        let output = group.or_stopped(child.wait_with_output()).await?;
        output.with_context(|| format!("`{name}` cannot be waited for"))
    }
}

/// Waits for a program that shares the terminal with this one.
///
/// # Errors
/// When the user asks to stop; the program is told to as well.
pub(crate) async fn status_of(child: &mut Child) -> anyhow::Result<ExitStatus> {
    let mut group = ProcessGroup::alone(child);
    Ok(group.or_stopped(child.wait()).await??)
}

/// Starts `command`. It does not go on running when a signal ends this process.
pub(crate) fn spawn(command: &mut Command) -> anyhow::Result<Child> {
    crate::terminal::signals::listen();
    command
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("`{}` cannot be started", name(command)))
}

/// The error output of a failed program: its standard error, or, where it wrote nothing there, its
/// standard output.
fn complaint(output: &Output) -> String {
    let said = [&output.stderr, &output.stdout]
        .into_iter()
        .find(|said| !said.trim_ascii().is_empty());
    let said = said.map_or_else(Default::default, |said| String::from_utf8_lossy(said));
    shown(&said)
}

/// The beginning and the end of what a program said.
fn shown(said: &str) -> String {
    let lines: Vec<String> = said.trim_end().lines().map(shortened).collect();
    let left_out = lines
        .len()
        .saturating_sub(LINES_SHOWN_FIRST + LINES_SHOWN_LAST);
    if left_out == 0 {
        return lines.join("\n");
    }
    let first = lines[..LINES_SHOWN_FIRST].join("\n");
    let last = lines[LINES_SHOWN_FIRST + left_out..].join("\n");
    format!("{first}\n[{left_out} lines left out]\n{last}")
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn name(command: &Command) -> String {
    command
        .as_std()
        .get_program()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(stdout: &str, stderr: &str) -> Output {
        Output {
            status: ExitStatus::default(),
            stdout: stdout.into(),
            stderr: stderr.into(),
        }
    }

    #[test]
    fn what_is_meant_for_programs_is_not_shown() {
        assert_eq!(
            complaint(&output("{}\n", "error: no\n\n")),
            "error: no",
            "standard error goes before standard output"
        );
        assert_eq!(complaint(&output("only here\n", " \n")), "only here");
        assert_eq!(complaint(&output("", "")), "");
    }

    #[test]
    fn a_long_complaint_keeps_its_beginning_and_its_end() {
        let lines: Vec<String> = (1..=100).map(|line| format!("line {line}")).collect();
        let shown = complaint(&output("", &lines.join("\n")));
        let shown: Vec<&str> = shown.lines().collect();
        assert_eq!(shown.len(), LINES_SHOWN_FIRST + 1 + LINES_SHOWN_LAST);
        assert_eq!(shown[59..62], ["line 60", "[20 lines left out]", "line 81"]);
        assert_eq!(shown.last(), Some(&"line 100"));
        let long = complaint(&output("", &"é".repeat(10_000)));
        assert_eq!(long.chars().count(), LINE_CHARS_SHOWN + 1);
    }
}
