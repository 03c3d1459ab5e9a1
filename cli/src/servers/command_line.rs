//! Reads which MCP server a command line names: `mcp:PROGRAM ARGUMENTS…` or `mcp+https://…`.

use std::ffi::OsString;
use std::path::Path;

use tool_hub_manifest::{ServerAddress, ServerCommand};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::subject::Subject;

use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// The commands that take a server.
const COMMANDS: [&str; 2] = ["load", "inspect"];
/// The prefix of the command of a local server.
const LOCAL: &str = "mcp:";

/// `arguments` with `--` before the first that names a local server: what follows belongs to the
/// server, flags included.
pub(crate) fn with_server_apart(arguments: Vec<OsString>) -> Vec<OsString> {
    let text = |at: usize| arguments.get(at).and_then(|it| it.to_str());
    let words = 1..arguments.len();
    let takes_one = words
        .clone()
        .find_map(|at| text(at).filter(|word| !word.starts_with('-')))
        .is_some_and(|command| COMMANDS.contains(&command));
    let mut places = words.take_while(|at| text(*at) != Some("--"));
    match places.find(|at| text(*at).is_some_and(|word| word.starts_with(LOCAL))) {
        Some(at) if takes_one => {
            let mut arguments = arguments;
            arguments.insert(at, "--".into());
            arguments
        }
        _ => arguments,
    }
}

/// The server that `subject` and the `words` after it name; `None` if that is another kind of tool.
///
/// # Errors
/// When it is no server that can be started, or words follow something else.
pub(crate) fn server_named(
    subject: &Subject,
    words: &[String],
    config: &Config,
) -> anyhow::Result<Option<ServerAddress>> {
    match subject {
        Subject::Server(address) => {
            let address = address.clone().map_err(Error::from)?;
            server_with(address, words, config).map(Some)
        }
        _ if words.is_empty() => Ok(None),
        _ => Err(
            Problem::user(format!("`{}` was not expected here", words[0]))
                .hint("arguments follow the command of an MCP server only: mcp:PROGRAM ARGUMENTS…")
                .into(),
        ),
    }
}

fn server_with(
    address: ServerAddress,
    words: &[String],
    config: &Config,
) -> anyhow::Result<ServerAddress> {
    let command = match address {
        ServerAddress::Remote(_) if words.is_empty() => return Ok(address),
        ServerAddress::Remote(_) => {
            return Err(Problem::user("a remote server takes no arguments")
                .hint("flags of `tool` stand before mcp+https://…")
                .into());
        }
        ServerAddress::Command(command) => command,
    };
    let program = command.program();
    let all: Vec<String> = match words {
        // The whole command was given as one argument, in quotes.
        [] if program.contains(char::is_whitespace) => split(program)?,
        words => command.words().iter().chain(words).cloned().collect(),
    };
    command_of(all, config)
}

/// The server that is started by `words`, as somebody types them below the working directory.
///
/// # Errors
/// When they are no command.
pub(crate) fn command_of(words: Vec<String>, config: &Config) -> anyhow::Result<ServerAddress> {
    let mut words = words.into_iter();
    let program = words.next().map(|program| match program.contains('/') {
        true => placed(&program, config),
        false => program,
    });
    let arguments = words.map(|word| match is_a_place(&word, config) {
        true => placed(&word, config),
        false => word,
    });
    let all = program.into_iter().chain(arguments).collect();
    let command = ServerCommand::new(all).map_err(Error::from)?;
    Ok(ServerAddress::Command(command))
}

fn split(line: &str) -> anyhow::Result<Vec<String>> {
    let words = shell_words::split(line);
    words.map_err(|error| {
        Problem::user("the command of the server is not one that a shell would take")
            .caused_by(error)
            .into()
    })
}

/// True if `word` is meant below the working directory, which a caged server does not have.
fn is_a_place(word: &str, config: &Config) -> bool {
    let is_relative = ["./", "../", "~/"].iter().any(|it| word.starts_with(it));
    let is_here = || config.settings.working.join(word).is_file();
    is_relative || [".", "..", "~"].contains(&word) || (!word.starts_with('-') && is_here())
}

fn placed(word: &str, config: &Config) -> String {
    let path = config.settings.place(Path::new(word));
    // Without the `.` of `./x`.
    let path: std::path::PathBuf = path.components().collect();
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_server_s_program_is_its_own() {
        let apart = |line: &str| {
            let words = line.split_whitespace().map(OsString::from).collect();
            let words = with_server_apart(words).into_iter();
            let words: Vec<String> = words.filter_map(|it| it.into_string().ok()).collect();
            words.join(" ")
        };
        for (line, expect) in [
            (
                "tool load --as x mcp:npx -y a --approve",
                "tool load --as x -- mcp:npx -y a --approve",
            ),
            ("tool --json inspect mcp:a", "tool --json inspect -- mcp:a"),
            ("tool load -- mcp:a -x", "tool load -- mcp:a -x"),
            ("tool call mcp:a", "tool call mcp:a"),
            (
                "tool load mcp+https://a.example",
                "tool load mcp+https://a.example",
            ),
            ("tool", "tool"),
        ] {
            assert_eq!(apart(line), expect);
        }
    }
}
