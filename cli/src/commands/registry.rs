//! `tool registry`: runs and administers a registry of one's own.

mod backup;
mod gc;
mod log;
mod mirror;
mod monitor;
mod no_data;
mod org;
mod publisher;
mod quota;
mod scrub;
mod serve;
mod token;
mod user;
mod witness;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use tool_hub_registry_server::{
    DatabaseAddress, Registry as OpenRegistry, RegistryConfig, S3Storage, StorageAddress,
};

use crate::log::Logging;
use crate::session::Session;
use crate::settings::config::RegistryPlaces;
use crate::settings::environment::storage_variables;
use crate::terminal::problem::Problem;

/// The file by which a registry's directory is known.
const DATABASE_FILE: &str = "registry.sqlite";

/// Arguments of `tool registry`.
#[derive(Debug, Args)]
pub(crate) struct Registry {
    /// The directory with everything the registry keeps [env: TOOL_HUB_REGISTRY_DATA] [default: the
    /// user's data directory]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,

    /// The PostgreSQL database for accounts and history, as postgres://USER@HOST/NAME [env: TOOL_HUB_REGISTRY_DATABASE] [default: a file in DIR]
    #[arg(long, global = true, value_name = "URL")]
    database: Option<DatabaseAddress>,

    /// The bucket for the content of files, as s3://BUCKET/PREFIX; AWS_… variables say how to reach it [env: TOOL_HUB_REGISTRY_STORAGE] [default: in DIR]
    #[arg(long, global = true, value_name = "URL")]
    storage: Option<S3Storage>,

    #[command(subcommand)]
    command: RegistryCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    /// Serve the registry over HTTP
    Serve(serve::Serve),
    /// Copy what another registry published, with its log, to serve both unchanged
    Mirror(mirror::Mirror),
    /// Read all of a registry's log, tell of what is new in it, and hold the toolbox against it
    Monitor(monitor::Monitor),
    /// Keep the log of a registry that keeps none, as the Hub, in a data set
    Log(log::Log),
    /// Add and list users, and set their quotas
    User(user::User),
    /// Add organisations and their members, and set their quotas
    Org(org::Org),
    /// Make, list and revoke tokens
    Token(token::Token),
    /// Let workflows of build services publish to a repo, by the API of the registry that serves it
    Publisher(publisher::Publisher),
    /// Have witnesses cosign the log, so that it cannot show different histories to different users
    Witness(witness::Witness),
    /// Free the space of content that no commit refers to
    Gc(gc::Gc),
    /// Hash everything that is stored again, and say what is not as it was
    Scrub(scrub::Scrub),
    /// Copy the registry into a directory, while it is in use
    Backup(backup::Backup),
    /// Bring a backup into an empty registry
    Restore(backup::Restore),
}

impl Registry {
    /// The events that the command logs unless it is told otherwise.
    pub(crate) fn logging(&self) -> Logging {
        match &self.command {
            RegistryCommand::Serve(command) => command.logging(),
            RegistryCommand::Mirror(command) => command.logging(),
            _ => Logging::default(),
        }
    }

    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        // These are for whoever uses a registry, who need not be where it is.
        match &self.command {
            RegistryCommand::Publisher(command) => return command.execute(session).await,
            RegistryCommand::Log(command) => return command.execute(session).await,
            RegistryCommand::Monitor(command) => return command.execute(session).await,
            _ => {}
        }
        let Session { config, printer } = session;
        let directory = match &self.data {
            Some(directory) => config.settings.working.join(directory),
            None => config.settings.working.join(&config.settings.registry),
        };
        let places = RegistryPlaces::read()?;
        let database = self.database.as_ref().or(places.database.as_ref());
        let is_local = database.is_none();
        if is_local && !self.command.makes_a_registry() {
            check_registry(&directory)?;
        }
        let mut settings = RegistryConfig::new(directory);
        if let Some(database) = database {
            settings.database = database.clone();
        }
        if let Some(storage) = self.storage.as_ref().or(places.storage.as_ref()) {
            let mut storage = storage.clone();
            storage.options = storage_variables();
            settings.storage = StorageAddress::S3(storage);
        }
        match &self.command {
            RegistryCommand::Serve(command) => command.execute(settings, printer).await,
            RegistryCommand::Mirror(command) => {
                command.execute(open(settings).await?, printer).await
            }
            RegistryCommand::User(command) => command.execute(open(settings).await?, printer).await,
            RegistryCommand::Org(command) => command.execute(open(settings).await?, printer).await,
            RegistryCommand::Token(command) => {
                command.execute(open(settings).await?, printer).await
            }
            RegistryCommand::Publisher(command) => command.execute(session).await,
            RegistryCommand::Log(command) => command.execute(session).await,
            RegistryCommand::Monitor(command) => command.execute(session).await,
            RegistryCommand::Witness(command) => {
                command.execute(open(settings).await?, printer).await
            }
            RegistryCommand::Gc(command) => command.execute(open(settings).await?, printer).await,
            RegistryCommand::Scrub(command) => {
                command.execute(open(settings).await?, printer).await
            }
            RegistryCommand::Backup(command) => {
                let registry = open(settings).await?;
                command.execute(registry, session).await
            }
            RegistryCommand::Restore(command) => command.execute(settings, session).await,
        }
    }
}

impl RegistryCommand {
    /// True if a registry is made where there is none: by serving it, mirroring or restoring one,
    /// or adding the first owner. Everything else is about one that exists, so that a mistyped
    /// directory does not pass for an empty registry.
    fn makes_a_registry(&self) -> bool {
        match self {
            Self::Serve(_) | Self::Mirror(_) | Self::Restore(_) => true,
            Self::User(command) => command.adds(),
            Self::Org(command) => command.adds(),
            Self::Token(_)
            | Self::Publisher(_)
            | Self::Log(_)
            | Self::Monitor(_)
            | Self::Witness(_)
            | Self::Gc(_)
            | Self::Scrub(_)
            | Self::Backup(_) => false,
        }
    }
}

/// Refuses a directory that has no registry, or whose registry this user cannot read.
fn check_registry(directory: &Path) -> Result<(), Problem> {
    match directory.join(DATABASE_FILE).try_exists() {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let what = format!("the registry in {} cannot be read", directory.display());
            Err(Problem::user(what)
                .caused_by(error)
                .hint("run this as the user that its server runs as"))
        }
        _ => Err(no_registry(directory)),
    }
}

fn no_registry(directory: &Path) -> Problem {
    let problem = if directory.is_dir() || !directory.exists() {
        Problem::user(format!("there is no registry in {}", directory.display()))
    } else {
        Problem::user(format!("{} is not a directory", directory.display()))
    };
    problem
        .hint("name the registry's directory with --data DIR")
        .hint("start a new one with: tool registry serve, or with: tool registry user add NAME")
}

async fn open(settings: RegistryConfig) -> anyhow::Result<OpenRegistry> {
    Ok(OpenRegistry::open(settings).await?)
}
