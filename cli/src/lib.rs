//! The command `tool`: parses the command line, runs the command and reports its error.

mod adopt;
mod agent;
mod allocator;
mod args;
mod build;
mod cage_process;
mod commands;
mod compiler_process;
mod connect;
mod consent;
mod files;
mod installable;
mod log;
mod scaffold;
mod servers;
mod serving;
mod session;
mod settings;
mod terminal;
mod testing;
mod text;
mod toolbox;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};

use crate::args::Cli;
use crate::servers::command_line;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::diagnosis;
use crate::terminal::exit;
use crate::terminal::printer::{self, Printer};
use crate::terminal::token_advice;

/// Runs the command that this process was started with, and says how it ended.
pub fn main() -> ExitCode {
    if compiler_process::is_wanted() {
        return tool_hub_host::compile_for_parent();
    }
    if cage_process::is_wanted() {
        return tool_hub_cage::launch_for_parent();
    }
    let arguments = command_line::with_server_apart(std::env::args_os().collect());
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(mut error) => {
            suggest(&mut error);
            // Help and version are answers, not errors, and go to standard output.
            if error.use_stderr() {
                printer::usage_error(&error.render().to_string());
                return ExitCode::from(1);
            }
            return match error.print() {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::from(1),
            };
        }
    };
    let printer = Printer::new(&cli.global);
    let config = match Config::read(&cli.global) {
        Ok(config) => config,
        Err(error) => return failed(&error, None, &printer),
    };
    let session = Session { config, printer };
    match run(cli, &session) {
        Ok(code) => code,
        Err(error) if diagnosis::is_closed_pipe(&error) => ExitCode::from(exit::CLOSED_PIPE),
        Err(error) => failed(&error, Some(&session.config), &session.printer),
    }
}

/// Suggests our command to a user who typed the name that other package managers give it.
fn suggest(error: &mut clap::Error) {
    let ours = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => match word.as_str() {
            "publish" | "upload" | "release" => "push",
            "install" | "add" | "pull" | "get" => "load",
            "validate" => "check",
            "uninstall" | "unload" | "rm" | "delete" => "remove",
            "init" | "create" => "new",
            "watch" => "dev",
            "upgrade" => "update",
            "info" | "show" => "inspect",
            "ls" => "list",
            _ => return,
        },
        _ => return,
    };
    let ours = ContextValue::Strings(vec![ours.to_owned()]);
    error.insert(ContextKind::SuggestedSubcommand, ours);
}

/// Prints the error and hints on what to do next.
fn failed(error: &anyhow::Error, config: Option<&Config>, printer: &Printer) -> ExitCode {
    let mut diagnosis = diagnosis::of(error);
    if let (Some(config), Some(endpoint)) = (config, diagnosis::unauthorized_registry(error)) {
        diagnosis
            .hints
            .extend(token_advice::of(endpoint, &config.settings));
    }
    printer.error(error, &diagnosis.hints);
    diagnosis.exit.into()
}

/// Raises the soft limit on open files to the hard one: each loaded tool and each connection holds
/// a descriptor. The soft limit is low for the sake of programs that use `select`, which none of
/// ours does. Where it cannot be raised, it stays.
#[cfg(unix)]
fn use_all_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

#[cfg(not(unix))]
fn use_all_descriptors() {}

fn run(cli: Cli, session: &Session) -> anyhow::Result<ExitCode> {
    let _tracing = session.config.start_tracing(cli.command.logging())?;
    use_all_descriptors();
    let mut runtime = match cli.command.serves() {
        // The steps of a request follow each other; on one thread none of them has to wake
        // another. Tools that take long have threads of their own, and so has HTTP.
        true => tokio::runtime::Builder::new_current_thread(),
        false => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime.enable_all().build()?;
    let outcome = runtime.block_on(cli.command.execute(session));
    // A blocking task that is still compiling or waiting for a terminal must not hold the
    // process back once its answer is no longer wanted.
    runtime.shutdown_background();
    outcome
}
