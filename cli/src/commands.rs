//! The commands, a file each: what can be written after the verb, and what it does.

pub(crate) mod approvals;
pub(crate) mod build;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod connect;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod gc;
pub(crate) mod grammar;
pub(crate) mod grant;
pub(crate) mod inspect;
pub(crate) mod lint;
pub(crate) mod list;
pub(crate) mod load;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod messages;
pub(crate) mod new;
pub(crate) mod parse;
pub(crate) mod prompt;
pub(crate) mod push;
pub(crate) mod registry;
pub(crate) mod remove;
pub(crate) mod revoke;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod update;
pub(crate) mod verify;
pub(crate) mod whoami;

use std::process::ExitCode;

use crate::args::Command;
use crate::config::Config;
use crate::printer::Printer;

/// Runs one command.
pub(crate) async fn execute(
    command: Command,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<ExitCode> {
    match command {
        Command::New(command) => command.execute(config, printer).await,
        Command::Build(command) => command.execute(config, printer).await,
        Command::Check(command) => command.execute(config, printer),
        Command::Push(command) => command.execute(config, printer).await,
        Command::Search(command) => command.execute(config, printer).await,
        Command::Inspect(command) => command.execute(config, printer).await,
        Command::Load(command) => command.execute(config, printer).await,
        Command::Grant(command) => command.execute(config, printer).await,
        Command::Revoke(command) => command.execute(config, printer),
        Command::Approvals(command) => command.execute(config, printer),
        Command::List(command) => command.execute(config, printer),
        Command::Call(command) => command.execute(config, printer).await,
        Command::Run(command) => command.execute(config, printer).await,
        Command::Chat(command) => command.execute(config, printer).await,
        Command::Serve(command) => command.execute(config, printer).await,
        Command::Connect(command) => command.execute(config, printer),
        Command::Update(command) => command.execute(config, printer).await,
        Command::Remove(command) => command.execute(config, printer),
        Command::Verify(command) => command.execute(config, printer).await,
        Command::Explain(command) => command.execute(config, printer).await,
        Command::Lint(command) => command.execute(config, printer).await,
        Command::Parse(command) => command.execute(config, printer).await,
        Command::Export(command) => command.execute(config, printer).await,
        Command::Grammar(command) => command.execute(config, printer).await,
        Command::Schema(command) => command.execute(config, printer),
        Command::Messages(command) => command.execute(config, printer),
        Command::Prompt(command) => command.execute(config, printer).await,
        Command::Login(command) => command.execute(config, printer).await,
        Command::Logout(command) => command.execute(config, printer),
        Command::Whoami(command) => command.execute(config, printer).await,
        Command::Registry(command) => command.execute(config, printer).await,
        Command::Gc(command) => command.execute(config, printer),
        Command::Doctor(command) => command.execute(config, printer).await,
        Command::Completions(command) => command.execute(printer),
        Command::Demo(command) => command.execute(config, printer).await,
    }
}
