//! Reads options and environment into `Config`, and a registry's addresses into `RegistryPlaces`.
//!
//! `Config` holds the toolbox's settings, and what only the command needs.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use tool_hub_registry_server::{AddressError, DatabaseAddress, S3Storage};
use tool_hub_serve::{EndpointKey, GatewayError};
use tool_hub_toolbox::Settings;
use url::Url;

use crate::log::{self, Logging, TracingGuard};
use crate::settings::environment::{self, variable};
use crate::settings::options::GlobalOptions;
use crate::terminal::problem::Problem;

/// Everything a command needs to know about its surroundings.
#[derive(Debug)]
pub(crate) struct Config {
    /// All that the toolbox needs of them.
    pub(crate) settings: Settings,
    /// The user's active Python virtual environment.
    pub(crate) virtual_environment: Option<PathBuf>,
    /// The directory in which cargo keeps the sources of packages.
    pub(crate) cargo_home: Option<PathBuf>,
    log: Option<String>,
}

/// The database and the storage of a registry outside its directory, as the environment says: a
/// container is told once, and every command in it means the same registry.
#[derive(Debug)]
pub(crate) struct RegistryPlaces {
    pub(crate) database: Option<DatabaseAddress>,
    pub(crate) storage: Option<S3Storage>,
}

impl Config {
    /// Resolves the options and the environment, once.
    pub(crate) fn read(global: &GlobalOptions) -> anyhow::Result<Self> {
        let working = std::env::current_dir().context("the working directory cannot be found")?;
        let endpoint = global.endpoint.clone();
        Ok(Self {
            settings: Settings::resolve(environment::variables(), working, endpoint)?,
            virtual_environment: variable("VIRTUAL_ENV").map(PathBuf::from),
            cargo_home: environment::cargo_home(),
            log: variable("TOOL_HUB_LOG"),
        })
    }

    /// The same, as for a command that is started in the directory of a toolbox.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub(crate) fn in_toolbox(&self, directory: &Path) -> anyhow::Result<Self> {
        let (working, endpoint) = (
            self.settings.working.clone(),
            self.settings.endpoint.clone(),
        );
        let mut settings = Settings::resolve(environment::variables(), working, Some(endpoint))?;
        settings.working = directory.to_owned();
        Ok(Self {
            settings,
            virtual_environment: self.virtual_environment.clone(),
            cargo_home: self.cargo_home.clone(),
            log: self.log.clone(),
        })
    }

    /// The endpoint whose model does what `tool run` and `tool chat` are told.
    pub(crate) fn model_endpoint(&self) -> anyhow::Result<Option<Url>> {
        let url = variable("TOOL_HUB_OPENAI_URL").map(|text| text.parse());
        url.transpose().context("TOOL_HUB_OPENAI_URL is not a URL")
    }

    /// The name of that model.
    pub(crate) fn model(&self) -> Option<String> {
        variable("TOOL_HUB_OPENAI_MODEL")
    }

    /// The key for the endpoint of `--openai`. It has a variable of its own: the one that OpenAI's
    /// clients read belongs to OpenAI, and the endpoint may be anybody's.
    pub(crate) fn endpoint_key(&self) -> anyhow::Result<Option<EndpointKey>> {
        let key = variable("TOOL_HUB_OPENAI_KEY").map(|text| text.trim().parse());
        key.transpose().map_err(|error: GatewayError| {
            Problem::user("TOOL_HUB_OPENAI_KEY cannot be used as a key")
                .caused_by(error)
                .hint("set it to the whole key and nothing else, or unset it")
                .into()
        })
    }

    /// Sends events to standard error: those that `TOOL_HUB_LOG` asks for, else the command's.
    ///
    /// # Errors
    /// As [`log::start`].
    pub(crate) fn start_tracing(&self, logging: Logging) -> anyhow::Result<TracingGuard> {
        log::start(self.log.as_deref(), logging)
    }
}

impl RegistryPlaces {
    /// Reads the environment.
    pub(crate) fn read() -> anyhow::Result<Self> {
        Ok(Self {
            database: address(
                "TOOL_HUB_REGISTRY_DATABASE",
                variable("TOOL_HUB_REGISTRY_DATABASE"),
            )?,
            storage: address(
                "TOOL_HUB_REGISTRY_STORAGE",
                variable("TOOL_HUB_REGISTRY_STORAGE"),
            )?,
        })
    }
}

/// The text may hold a password, so no error repeats it.
fn address<T: FromStr<Err = AddressError>>(
    name: &str,
    text: Option<String>,
) -> anyhow::Result<Option<T>> {
    let parsed = text.map(|text| text.parse()).transpose();
    parsed.map_err(|error: AddressError| {
        Problem::user(format!("{name} cannot be used"))
            .caused_by(error)
            .hint("write postgres://USER@HOST/NAME for a database and s3://BUCKET/PREFIX for a storage, or unset it")
            .into()
    })
}
