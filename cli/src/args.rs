//! The command line of `tool`: parses the global options and a subcommand, and runs that one.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands;
use crate::log::Logging;
use crate::session::Session;
use crate::settings::options::GlobalOptions;

/// The package manager for agents' tools: sandboxed WebAssembly components on Hugging Face
/// Hub repos or your own registry.
#[derive(Debug, Parser)]
#[command(
    name = "tool",
    version,
    propagate_version = false,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Scaffold a tool that builds at once
    New(commands::new::New),
    /// Build a tool project into a package: component, manifest and card
    Build(commands::build::Build),
    /// Work on a tool project: build, show, call and serve it anew at each change
    Dev(commands::dev::Dev),
    /// Hold a built package against its claims and lint its descriptions
    Check(commands::check::Check),
    /// Run a project's tests in the sandbox: cases, examples and random calls
    Test(commands::test::Test),
    /// Publish a package to a registry
    Push(commands::push::Push),
    /// Take a published version back, so that nobody else begins to use it
    Yank(commands::yank::Yank),
    /// Say of a published tool that nobody should begin to use it
    Deprecate(commands::yank::Deprecate),
    /// Make and keep the keys that sign your packages, and name those of others
    Key(commands::key::Key),
    /// Find tools on a registry
    Search(commands::search::Search),
    /// Show what a tool claims next to what its bytes really import and export
    Inspect(commands::inspect::Inspect),
    /// Pull a tool, verify it, ask for approval and add it to the toolbox
    Load(commands::load::Load),
    /// Allow a tool of the toolbox more, with the same consent as at loading
    Grant(commands::grant::Grant),
    /// Take rights away from a tool of the toolbox
    Revoke(commands::revoke::Revoke),
    /// Keep the values of credentials, which tools have sent and do not see
    Credential(commands::credential::Credential),
    /// Have approvals signed by a key that agents cannot use
    Approvals(commands::approvals::Approvals),
    /// List the toolbox
    List(commands::list::List),
    /// Call a function of a loaded tool
    Call(commands::call::Call),
    /// Have a model do a task with the toolbox
    Run(commands::run::Run),
    /// Talk with a model that has the toolbox
    Chat(commands::chat::Chat),
    /// Serve the toolbox to agents: MCP over standard input and output, or over HTTP
    Serve(Box<commands::serve::Serve>),
    /// Have an MCP client start `tool serve`, by its own configuration
    Connect(commands::connect::Connect),
    /// Take over the MCP servers in clients' configurations, or give them back
    Adopt(Box<commands::adopt::Adopt>),
    /// Look for newer versions; anything a tool asks for beyond today asks again
    Update(commands::update::Update),
    /// Write tools, with all that proves them, into one file for a machine without a network
    Bundle(commands::bundle::Bundle),
    /// Take a tool out of the toolbox
    Remove(commands::remove::Remove),
    /// Hash everything again and hold it against the lock
    Verify(commands::verify::Verify),
    /// Explain the policies that are in force on this machine
    Policy(commands::policy::Policy),
    /// Hold the toolbox against security advisories
    Audit(commands::audit::Audit),
    /// Print the toolbox's functions as a model reads them, by its own chat template
    Explain(commands::explain::Explain),
    /// Judge descriptions as a model reads them: of the toolbox, or of a project
    Lint(commands::lint::Lint),
    /// Read a model's answer: its text, its reasoning and the calls in it
    Parse(commands::parse::Parse),
    /// Print the toolbox's functions as an agent's API wants them
    Export(commands::export::Export),
    /// Print what holds a model to calls of the toolbox's functions: a grammar, or for a server
    Grammar(commands::grammar::Grammar),
    /// Print what a model is told of the functions in a file of source code
    Schema(commands::schema::Schema),
    /// Write a conversation in the form of another API
    Messages(commands::messages::Messages),
    /// Get, publish and fill in prompt templates for agents that answer with code
    Prompt(commands::prompt::Prompt),
    /// Keep a token for a registry
    Login(commands::login::Login),
    /// Forget the token for a registry
    Logout(commands::logout::Logout),
    /// Show who the registry says you are
    Whoami(commands::whoami::Whoami),
    /// Run and administer your own registry
    Registry(commands::registry::Registry),
    /// Free the disk of what no toolbox needs
    Gc(commands::gc::Gc),
    /// Look whether everything that `tool` needs is there
    Doctor(commands::doctor::Doctor),
    /// Print a completion script for a shell
    Completions(commands::completions::Completions),
    /// Try every step once in a temporary directory, from `tool new` to `tool serve`
    Demo(commands::demo::Demo),
}

impl Command {
    /// True if the command serves clients, for which the runtime needs one thread only.
    pub(crate) fn serves(&self) -> bool {
        matches!(self, Self::Serve(_))
    }

    /// The events that the command logs unless it is told otherwise.
    pub(crate) fn logging(&self) -> Logging {
        match self {
            Self::Registry(command) => command.logging(),
            _ => Logging::default(),
        }
    }

    /// Runs the command.
    pub(crate) async fn execute(self, session: &Session) -> anyhow::Result<ExitCode> {
        match self {
            Self::New(command) => command.execute(session).await,
            Self::Build(command) => command.execute(session).await,
            Self::Dev(command) => command.execute(session).await,
            Self::Check(command) => command.execute(session).await,
            Self::Test(command) => command.execute(session).await,
            Self::Push(command) => command.execute(session).await,
            Self::Yank(command) => command.execute(session).await,
            Self::Deprecate(command) => command.execute(session).await,
            Self::Key(command) => command.execute(session),
            Self::Search(command) => command.execute(session).await,
            Self::Inspect(command) => command.execute(session).await,
            Self::Load(command) => command.execute(session).await,
            Self::Grant(command) => command.execute(session).await,
            Self::Revoke(command) => command.execute(session),
            Self::Credential(command) => command.execute(session).await,
            Self::Approvals(command) => command.execute(session),
            Self::List(command) => command.execute(session),
            Self::Call(command) => command.execute(session).await,
            Self::Run(command) => command.execute(session).await,
            Self::Chat(command) => command.execute(session).await,
            Self::Serve(command) => command.execute(session).await,
            Self::Connect(command) => command.execute(session),
            Self::Adopt(command) => command.execute(session).await,
            Self::Update(command) => command.execute(session).await,
            Self::Bundle(command) => command.execute(session).await,
            Self::Remove(command) => command.execute(session),
            Self::Verify(command) => command.execute(session).await,
            Self::Policy(command) => command.execute(session),
            Self::Audit(command) => command.execute(session).await,
            Self::Explain(command) => command.execute(session).await,
            Self::Lint(command) => command.execute(session).await,
            Self::Parse(command) => command.execute(session).await,
            Self::Export(command) => command.execute(session).await,
            Self::Grammar(command) => command.execute(session).await,
            Self::Schema(command) => command.execute(session),
            Self::Messages(command) => command.execute(session),
            Self::Prompt(command) => command.execute(session).await,
            Self::Login(command) => command.execute(session).await,
            Self::Logout(command) => command.execute(session),
            Self::Whoami(command) => command.execute(session).await,
            Self::Registry(command) => command.execute(session).await,
            Self::Gc(command) => command.execute(session),
            Self::Doctor(command) => command.execute(session).await,
            Self::Completions(command) => command.execute(Cli::command(), &session.printer),
            Self::Demo(command) => command.execute(session).await,
        }
    }
}
