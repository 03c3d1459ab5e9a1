//! Resolves options, environment and `config.toml` once into `Config`: directories, registry,
//! tokens, and clients made with them.

mod tokens;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use etcetera::BaseStrategy as _;
use serde::Deserialize;
use tool_hub_host::Storage;
use tool_hub_manifest::{Digest, RepoId, Source, VariableName};
use tool_hub_registry_client::{Client, ClientConfig, Datasets, Store, Token};
use tool_hub_registry_server::{AddressError, DatabaseAddress, S3Storage};
use tool_hub_serve::{EndpointKey, GatewayError};
use url::Url;

use crate::files;
use crate::log::{self, Logging, TracingGuard};
use crate::settings::clear_text::{self, ClearText};
use crate::settings::credentials::Credentials;
use crate::settings::environment::{search_path, variable};
use crate::settings::options::GlobalOptions;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::sizes::ByteSize;
use tokens::Tokens;

const DEFAULT_ENDPOINT: &str = "https://huggingface.co";
const CONFIG_FILE: &str = "config.toml";
/// The largest file that holds the value of a variable.
const VALUE_BYTES_MAX: u64 = 64 << 10;

/// Everything a command needs to know about its surroundings.
#[derive(Debug)]
pub(crate) struct Config {
    /// The registry that is meant where nothing else names one.
    pub(crate) endpoint: Url,
    /// The directory of packages.
    pub(crate) store: PathBuf,
    /// The directory of compiled code.
    pub(crate) compiled: PathBuf,
    /// The most compiled code that is kept, if `config.toml` says so.
    pub(crate) compiled_max: Option<ByteSize>,
    /// True if `tool update` may take newer versions of which only the code changed.
    pub(crate) accept_code: bool,
    /// The directory of tools' storage.
    pub(crate) storage: PathBuf,
    /// The directory of build tools of other languages.
    pub(crate) toolchains: PathBuf,
    /// The directory of the embedded registry.
    pub(crate) registry: PathBuf,
    /// The user's own toolbox, credentials and configuration.
    pub(crate) user: PathBuf,
    /// The directory in which the command was started.
    pub(crate) working: PathBuf,
    /// The user's active Python virtual environment.
    pub(crate) virtual_environment: Option<PathBuf>,
    home: PathBuf,
    tokens: Tokens,
    search_path: Vec<PathBuf>,
    log: Option<String>,
    clear_text: ClearText,
}

/// The database and the storage of a registry outside its directory, as the environment says: a
/// container is told once, and every command in it means the same registry.
#[derive(Debug)]
pub(crate) struct RegistryPlaces {
    pub(crate) database: Option<DatabaseAddress>,
    pub(crate) storage: Option<S3Storage>,
}

/// `config.toml`, which people write.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    endpoint: Option<Url>,
    compiled_max: Option<ByteSize>,
    #[serde(default)]
    accept_code: bool,
}

impl Config {
    /// Resolves the options and the environment, once.
    pub(crate) fn read(global: &GlobalOptions) -> anyhow::Result<Self> {
        let places = Places::find()?;
        let file = read_config_file(&places.user.join(CONFIG_FILE))?;
        let from_environment = match variable("HF_ENDPOINT") {
            Some(text) => Some(Url::parse(&text).context("HF_ENDPOINT is not a URL")?),
            None => None,
        };
        let default = Url::parse(DEFAULT_ENDPOINT)?;
        let hub = from_environment.clone().unwrap_or_else(|| default.clone());
        let endpoint = global
            .endpoint
            .clone()
            .or(from_environment)
            .or(file.endpoint)
            .unwrap_or(default);
        let env_token = match variable("HF_TOKEN") {
            Some(text) => Some(text.trim().parse::<Token>().map_err(|error| {
                Problem::user("HF_TOKEN cannot be used as a token")
                    .caused_by(error)
                    .hint("set it to the whole token and nothing else, or unset it")
            })?),
            None => None,
        };
        let tokens = Tokens {
            env_token,
            hub_endpoint: hub,
            hub_file: places.hub_token_file,
            stored_file: places.user.join("credentials.toml"),
        };
        Ok(Self {
            endpoint,
            store: places.data.join("store"),
            storage: places.data.join("storage"),
            registry: variable("TOOL_HUB_REGISTRY_DATA")
                .map_or_else(|| places.data.join("registry"), PathBuf::from),
            compiled: places.cache.join("compiled"),
            compiled_max: file.compiled_max,
            accept_code: file.accept_code,
            toolchains: places.cache.join("toolchains"),
            user: places.user,
            working: std::env::current_dir().context("the working directory cannot be found")?,
            virtual_environment: variable("VIRTUAL_ENV").map(PathBuf::from),
            home: places.home,
            tokens,
            search_path: search_path(),
            log: variable("TOOL_HUB_LOG"),
            clear_text: ClearText::default(),
        })
    }

    /// Resolves `path` as a person writes it: below their home after `~/`, which no shell expands
    /// in an answer to a question and only some in `NAME=~/path`, else below the working directory.
    pub(crate) fn place(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("~") {
            Ok(below) => self.home.join(below),
            Err(_) => self.working.join(path),
        }
    }

    /// The token to show to `endpoint`, where there is one.
    ///
    /// A token belongs to one registry: `HF_TOKEN` and the `hf` command's token file to the one
    /// that the `hf` command would use, any other to the one for which `tool login` stored it. So
    /// an endpoint that an option, a configuration or a toolbox names can never collect another
    /// one's token.
    pub(crate) fn token_for(&self, endpoint: &Url) -> anyhow::Result<Option<Token>> {
        self.tokens.of(endpoint)
    }

    /// Hints for a user whom the registry at `endpoint` did not let in.
    pub(crate) fn token_advice(&self, endpoint: &Url) -> Vec<String> {
        self.tokens.advice(endpoint)
    }

    /// A client of the registry at `endpoint`, with the token that belongs to it.
    pub(crate) fn client(&self, endpoint: &Url, printer: &Printer) -> anyhow::Result<Client> {
        self.client_with(endpoint, self.token_for(endpoint)?, printer)
    }

    /// A client of the registry at `endpoint`, with `token`.
    pub(crate) fn client_with(
        &self,
        endpoint: &Url,
        token: Option<Token>,
        printer: &Printer,
    ) -> anyhow::Result<Client> {
        Ok(Client::new(self.asking(endpoint, token, printer))?)
    }

    /// A client of the data sets of the user's registry, with the user's token.
    pub(crate) fn datasets(&self, printer: &Printer) -> anyhow::Result<Datasets> {
        let token = self.token_for(&self.endpoint)?;
        Ok(Datasets::new(self.asking(&self.endpoint, token, printer))?)
    }

    /// The configuration of every client, so that no token goes to another machine in clear without
    /// a warning.
    fn asking(&self, endpoint: &Url, token: Option<Token>, printer: &Printer) -> ClientConfig {
        let agent = concat!("tool-hub/", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(endpoint.clone(), agent).with_token(token);
        if let Some(warning) = self.clear_text.warning(&config) {
            printer.warning(&warning);
            printer.hint(clear_text::HINT);
        }
        config
    }

    /// The store of packages.
    pub(crate) fn open_store(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&self.store)?)
    }

    /// The directories in which `tool` keeps its own files.
    pub(crate) fn own_directories(&self) -> [PathBuf; 6] {
        [
            self.store.clone(),
            self.storage.clone(),
            self.user.clone(),
            self.compiled.clone(),
            self.toolchains.clone(),
            self.registry.clone(),
        ]
    }

    /// The user's home directory.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The directories of `PATH`.
    pub(crate) fn search_path(&self) -> Vec<PathBuf> {
        self.search_path.clone()
    }

    /// The tokens that `tool login` keeps.
    pub(crate) fn credentials(&self) -> anyhow::Result<Credentials> {
        Credentials::read(self.tokens.stored_file.clone())
    }

    /// The file in which the `hf` command keeps its token.
    pub(crate) fn hub_token_file(&self) -> &Path {
        &self.tokens.hub_file
    }

    /// True if `HF_TOKEN` is the token for `endpoint`, whatever `tool login` stored.
    pub(crate) fn token_is_in_the_environment(&self, endpoint: &Url) -> bool {
        self.tokens.env_token.is_some() && endpoint.origin() == self.tokens.hub_endpoint.origin()
    }

    /// The value of a variable that a tool was granted: the environment's `NAME`, else the
    /// contents of the file that `NAME_FILE` names, without the line break at its end.
    pub(crate) fn granted_variable(&self, name: &VariableName) -> anyhow::Result<Option<String>> {
        if let Some(value) = variable(name.as_str()) {
            return Ok(Some(value));
        }
        let Some(file) = variable(&format!("{name}_FILE")) else {
            return Ok(None);
        };
        let path = self.place(Path::new(&file));
        let failed = || format!("{name}_FILE cannot be read: {}", path.display());
        let text = read_bounded(&path).with_context(failed)?;
        let value = text.strip_suffix('\n').unwrap_or(&text);
        let value = value.strip_suffix('\r').unwrap_or(value);
        Ok(Some(value.to_owned()).filter(|value| !value.is_empty()))
    }

    /// The storage of the tool from `source`. It belongs to the repo of a registry, or to the
    /// path, so that every version and every toolbox finds it, and no other tool does.
    pub(crate) fn storage(&self, source: &Source) -> Storage {
        match source {
            Source::Registry { endpoint, repo, .. } => self.storage_of_repo(endpoint, repo),
            Source::File { path } => self.storage_of(&format!("file\0{}", path.display())),
        }
    }

    /// The storage of every version of the tool in `repo` of the registry at `endpoint`.
    pub(crate) fn storage_of_repo(&self, endpoint: &Url, repo: &RepoId) -> Storage {
        self.storage_of(&format!("registry\0{endpoint}\0{repo}"))
    }

    fn storage_of(&self, owner: &str) -> Storage {
        let digest = Digest::of(owner.as_bytes());
        Storage::in_file(self.storage.join(format!("{}.sqlite3", digest.hex())))
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

    /// The key for the endpoint of `tool serve --openai`. It has a variable of its own: the one
    /// that OpenAI's clients read belongs to OpenAI, and the endpoint may be anybody's.
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

/// The directories in which `tool` keeps things.
struct Places {
    home: PathBuf,
    data: PathBuf,
    cache: PathBuf,
    user: PathBuf,
    hub_token_file: PathBuf,
}

impl Places {
    fn find() -> anyhow::Result<Self> {
        let base =
            etcetera::choose_base_strategy().context("the home directory cannot be found")?;
        let hub_home =
            variable("HF_HOME").map_or_else(|| base.cache_dir().join("huggingface"), PathBuf::from);
        let hub_token_file =
            variable("HF_TOKEN_PATH").map_or_else(|| hub_home.join("token"), PathBuf::from);
        let (data, cache, user) = match variable("TOOL_HUB_HOME") {
            Some(home) => {
                let home = std::path::absolute(home).context("TOOL_HUB_HOME is not a path")?;
                (home.clone(), home.join("cache"), home)
            }
            None => (
                base.data_dir().join("tool-hub"),
                base.cache_dir().join("tool-hub"),
                base.config_dir().join("tool-hub"),
            ),
        };
        Ok(Self {
            home: base.home_dir().to_owned(),
            data,
            cache,
            user,
            hub_token_file,
        })
    }
}

/// Reads a short file that holds a value, such as a secret, a key or tokens.
pub(crate) fn read_bounded(path: &Path) -> std::io::Result<String> {
    files::read_text(path, VALUE_BYTES_MAX)
}

fn read_config_file(path: &Path) -> anyhow::Result<ConfigFile> {
    match files::read_if_present(path)? {
        Some(text) => toml_edit::de::from_str(&text)
            .with_context(|| format!("{} cannot be read", path.display())),
        None => Ok(ConfigFile::default()),
    }
}
