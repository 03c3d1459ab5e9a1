//! A user's directories, registry and tokens, resolved once from variables and `config.toml`.
//!
//! Clients of the registry are made of them.

pub(crate) mod by_registry;
mod config_file;
mod directories;
pub mod kept_variables;
pub mod log_dataset;
pub mod tokens;
mod told_registries;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tool_hub_host::{CredentialSource, CredentialValue, Storage};
use tool_hub_manifest::{Digest, Grants, Origin, RepoId, Source, VariableName};
use tool_hub_registry_client::{Client, ClientConfig, DatasetLog, Datasets, Store, Token};
use tool_hub_transparency::WitnessPolicy;
use url::Url;

use crate::advisories::source::AdvisorySource;
use crate::byte_size::ByteSize;
use crate::clients::ClientPlaces;
use crate::credentials::Credentials;
use crate::error::Error;
use crate::files;
use crate::notices::{Notice, Notices};
use crate::renewed_token::RenewedToken;
use crate::variables::Variables;
use by_registry::ByRegistry;
use config_file::ConfigFile;
use directories::Directories;
use kept_variables::KeptVariables;
use log_dataset::LogDataset;
use tokens::{TokenOrigin, Tokens};
use told_registries::ToldRegistries;

/// The interval of questions for yanked versions unless `config.toml` says another.
const RELEASE_AGE_DAYS: i64 = 3;

const REFRESH_EVERY: Duration = Duration::from_secs(15 * 60);

const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

/// Everything that a toolbox needs to know about its surroundings.
///
/// | variable | meaning |
/// | --- | --- |
/// | `TOOL_HUB_HOME` | one directory for everything, in place of the XDG directories |
/// | `TOOL_HUB_REGISTRY_DATA` | the directory of the embedded registry, which no tool is given |
/// | `HF_ENDPOINT` | the registry's URL |
/// | `HF_TOKEN` | the token for the registry of `HF_ENDPOINT`, huggingface.co where that is unset |
/// | `HF_TOKEN_PATH`, `HF_HOME` | where the `hf` command keeps its token file |
/// | `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `COPILOT_HOME` | where these MCP clients keep their configuration |
/// | `PATH` | where programs are looked for: directories that no tool may change unasked |
/// | `XDG_DATA_HOME`, `XDG_CACHE_HOME`, `XDG_CONFIG_HOME`, `HOME` | the usual directories; on Windows `APPDATA`, `LOCALAPPDATA` and `USERPROFILE` |
///
/// A tool's own variables are looked up too, and only those that were granted.
#[derive(Debug)]
pub struct Settings {
    /// The registry that is meant where nothing else names one.
    pub endpoint: Url,
    /// The directory of packages.
    pub store: PathBuf,
    /// The directory of compiled code.
    pub compiled: PathBuf,
    /// The most compiled code that is kept, if `config.toml` says so.
    pub compiled_max: Option<ByteSize>,
    /// True if an update may take newer versions of which only the code changed.
    pub accept_code: bool,
    /// The interval at which a server asks whether its tools were yanked; none if it never does.
    pub refresh_every: Option<Duration>,
    /// The age from which a version is taken that nobody named exactly.
    pub release_age: time::Duration,
    /// The sources of advisories.
    pub advisories: Vec<AdvisorySource>,
    /// Registries, each with the mirror that is asked in its place.
    mirrors: ByRegistry<Url>,
    /// Registries that keep no log, each with the data set that is its log.
    logs: ByRegistry<LogDataset>,
    /// Registries, each with the witnesses of its log.
    witnesses: ByRegistry<WitnessPolicy>,
    /// The directory of tools' storage.
    pub storage: PathBuf,
    /// The directory of build tools of other languages.
    pub toolchains: PathBuf,
    /// The directory in which builds work.
    pub builds: PathBuf,
    /// The directory of the packages of MCP servers, which a caged one reads.
    pub servers: PathBuf,
    /// The directory of the embedded registry.
    pub registry: PathBuf,
    /// The user's own toolbox, credentials and configuration.
    pub user: PathBuf,
    /// The directory below which paths are meant, and upwards of which a toolbox is looked for.
    pub working: PathBuf,
    /// The user's home directory.
    pub home: PathBuf,
    /// The absolute directories of `PATH`. A relative one would depend on the working directory of
    /// each program.
    pub search_path: Vec<PathBuf>,
    /// The directories of MCP clients.
    pub clients: ClientPlaces,
    variables: Variables,
    tokens: Tokens,
    unencrypted_tokens: ToldRegistries,
    without_log: ToldRegistries,
}

impl Settings {
    /// Resolves `variables` and `config.toml`, once, for a process that works in `working`.
    /// `endpoint` goes before the registry that either of them names.
    ///
    /// # Errors
    /// [`Error::NoHome`], [`Error::NotAUrl`], [`Error::NotAToken`], and [`Error::Settings`] or
    /// [`Error::Read`] of `config.toml`.
    pub fn resolve(
        variables: Variables,
        working: PathBuf,
        endpoint: Option<Url>,
    ) -> Result<Self, Error> {
        let directories = Directories::find(&variables, &working)?;
        let file = ConfigFile::read(&directories.user)?;
        let from_variables: Option<Url> = match variables.text("HF_ENDPOINT") {
            Some(text) => Some(text.parse().map_err(|source| Error::NotAUrl {
                variable: "HF_ENDPOINT",
                source,
            })?),
            None => None,
        };
        let default = Url::parse(DEFAULT_ENDPOINT).expect("the Hub's address is a URL");
        let hub_endpoint = from_variables.clone().unwrap_or_else(|| default.clone());
        let endpoint = endpoint.or(from_variables).or(file.endpoint);
        let env_token = match variables.text("HF_TOKEN") {
            Some(text) => Some(text.trim().parse().map_err(|source| Error::NotAToken {
                variable: "HF_TOKEN",
                source,
            })?),
            None => None,
        };
        let path = variables.text("PATH").unwrap_or_default();
        let searched = std::env::split_paths(&path);
        Ok(Self {
            endpoint: endpoint.unwrap_or(default),
            store: directories.data.join("store"),
            storage: directories.data.join("storage"),
            registry: variables
                .text("TOOL_HUB_REGISTRY_DATA")
                .map_or_else(|| directories.data.join("registry"), PathBuf::from),
            compiled: directories.cache.join("compiled"),
            compiled_max: file.compiled_max,
            accept_code: file.accept_code,
            refresh_every: match file.refresh_seconds {
                Some(0) => None,
                Some(seconds) => Some(Duration::from_secs(seconds)),
                None => Some(REFRESH_EVERY),
            },
            release_age: time::Duration::days(
                file.release_age_days.map_or(RELEASE_AGE_DAYS, i64::from),
            ),
            advisories: file.advisories,
            mirrors: file.mirrors,
            logs: file.logs,
            witnesses: file.witnesses,
            toolchains: directories.cache.join("toolchains"),
            builds: directories.cache.join("builds"),
            servers: directories.data.join("servers"),
            tokens: Tokens {
                env_token,
                hub_endpoint,
                hub_file: directories.hub_token_file,
                stored_file: directories.user.join("credentials.toml"),
            },
            user: directories.user,
            search_path: searched.filter(|path| path.is_absolute()).collect(),
            clients: ClientPlaces::find(
                &variables,
                &working,
                directories.home.clone(),
                directories.config,
            ),
            home: directories.home,
            working,
            variables,
            unencrypted_tokens: ToldRegistries::default(),
            without_log: ToldRegistries::default(),
        })
    }

    /// Resolves `path` as a person writes it: below their home after `~/`, which no shell expands
    /// in an answer to a question and only some in `NAME=~/path`, else below the working directory.
    pub fn place(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("~") {
            Ok(below) => self.home.join(below),
            Err(_) => self.working.join(path),
        }
    }

    /// The token to show to `endpoint`, where there is one.
    ///
    /// A token belongs to one registry: `HF_TOKEN` and the `hf` command's token file to the one
    /// that the `hf` command would use, any other to the one for which the user stored it. So an
    /// endpoint that a caller, a configuration or a toolbox names can never collect another one's
    /// token.
    ///
    /// # Errors
    /// If a file of tokens cannot be read, or holds something else.
    pub fn token_for(&self, endpoint: &Url) -> Result<Option<Token>, Error> {
        Ok(self.tokens.find(endpoint)?.map(|(token, _)| token))
    }

    /// The place that [`token_for`](Self::token_for) takes the token for `endpoint` from.
    ///
    /// # Errors
    /// As [`token_for`](Self::token_for).
    pub fn token_origin(&self, endpoint: &Url) -> Result<Option<TokenOrigin>, Error> {
        Ok(self.tokens.find(endpoint)?.map(|(_, origin)| origin))
    }

    /// The registry that `HF_TOKEN` is for, if that is set.
    pub fn token_variable_is_for(&self) -> Option<&Url> {
        let is_set = self.tokens.env_token.is_some();
        is_set.then_some(&self.tokens.hub_endpoint)
    }

    /// The tokens and values that the user stored, each for its origin.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn credentials(&self) -> Result<Credentials, Error> {
        Credentials::read(self.tokens.stored_file.clone())
    }

    /// The file in which the `hf` command keeps its token.
    pub(crate) fn hub_token_file(&self) -> &Path {
        &self.tokens.hub_file
    }

    /// A client that reads from the registry at `endpoint`, or from the mirror of it that
    /// `config.toml` names, and its log where that is a data set. It has the token that belongs to
    /// the one that is asked: a mirror is shown none of the registry's. What is read counts as the
    /// registry's either way.
    ///
    /// # Errors
    /// As [`token_for`](Self::token_for), and [`Error::Client`].
    pub fn client(&self, endpoint: &Url, notices: &dyn Notices) -> Result<Client, Error> {
        let asked = self.mirror_of(endpoint).unwrap_or(endpoint);
        let mut config = self.client_config(asked, self.token_for(asked)?, notices);
        if asked != endpoint {
            config = config.as_mirror_of(endpoint.clone());
        }
        let client = Client::new(config)?;
        let Some(log) = self.log_dataset(endpoint) else {
            return Ok(client);
        };
        let place = log.endpoint.as_ref().unwrap_or(endpoint);
        Ok(client.with_log(&DatasetLog {
            client: self.client_config(place, self.token_for(place)?, notices),
            repo: log.dataset.clone(),
            key: log.key.clone(),
        })?)
    }

    /// The data set that is the log of the registry at `endpoint`.
    pub(crate) fn log_dataset(&self, endpoint: &Url) -> Option<&LogDataset> {
        self.logs.of(endpoint)
    }

    /// A client that changes what is in the registry at `endpoint`, with the token that belongs to
    /// it.
    ///
    /// # Errors
    /// The errors of [`client`](Self::client).
    pub fn writing_client(&self, endpoint: &Url, notices: &dyn Notices) -> Result<Client, Error> {
        self.client_with(endpoint, self.token_for(endpoint)?, notices)
    }

    /// The mirror that is asked in place of the registry at `endpoint`.
    pub(crate) fn mirror_of(&self, endpoint: &Url) -> Option<&Url> {
        self.mirrors.of(endpoint)
    }

    /// The mirrors that are asked, by their registries.
    pub(crate) fn mirrors(&self) -> &ByRegistry<Url> {
        &self.mirrors
    }

    /// The witnesses that have to cosign the log of the registry at `endpoint`.
    pub fn witnesses_of(&self, endpoint: &Url) -> Option<&WitnessPolicy> {
        self.witnesses.of(endpoint)
    }

    /// A client of the registry at `endpoint`, with `token`.
    ///
    /// # Errors
    /// [`Error::Client`].
    pub fn client_with(
        &self,
        endpoint: &Url,
        token: Option<Token>,
        notices: &dyn Notices,
    ) -> Result<Client, Error> {
        Ok(Client::new(self.client_config(endpoint, token, notices))?)
    }

    /// A client of the data sets of the user's registry, with the user's token.
    ///
    /// # Errors
    /// As [`client`](Self::client).
    pub fn datasets(&self, notices: &dyn Notices) -> Result<Datasets, Error> {
        let token = self.token_for(&self.endpoint)?;
        let config = self.client_config(&self.endpoint, token, notices);
        Ok(Datasets::new(config)?)
    }

    /// The configuration of every client, so that no token goes to another machine in clear without
    /// a notice.
    fn client_config(
        &self,
        endpoint: &Url,
        token: Option<Token>,
        notices: &dyn Notices,
    ) -> ClientConfig {
        let agent = concat!("tool-hub/", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(endpoint.clone(), agent).with_token(token);
        if let Some(registry) = &self.unencrypted_tokens.untold(&config) {
            notices.notice(&Notice::TokenInClear { registry });
        }
        config
    }

    /// True if nobody was told before that the registry at `endpoint` keeps no log.
    pub(crate) fn is_told_first_of_no_log(&self, endpoint: &Url) -> bool {
        self.without_log.is_first(endpoint.origin())
    }

    /// The store of packages.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub fn open_store(&self) -> Result<Store, Error> {
        Ok(Store::open(&self.store)?)
    }

    /// The directories that hold files of tool-hub itself. No tool is ever given one.
    pub fn own_directories(&self) -> [PathBuf; 8] {
        [
            self.store.clone(),
            self.storage.clone(),
            self.user.clone(),
            self.compiled.clone(),
            self.toolchains.clone(),
            self.builds.clone(),
            self.servers.clone(),
            self.registry.clone(),
        ]
    }

    /// The values of variables that the user moved out of other programs' configurations.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub fn kept_variables(&self) -> Result<KeptVariables, Error> {
        KeptVariables::read(self.user.join("variables.toml"))
    }

    /// The values of the variables that were granted, as far as the user has them: the variable
    /// `NAME`, else the contents of the file that `NAME_FILE` names, without the line break at its
    /// end, else what [`kept_variables`](Self::kept_variables) has.
    ///
    /// # Errors
    /// [`Error::VariableFile`], [`Error::Read`], [`Error::Settings`].
    pub fn granted_variables(
        &self,
        grants: &Grants,
    ) -> Result<BTreeMap<VariableName, String>, Error> {
        let mut values = BTreeMap::new();
        if grants.variables.is_empty() {
            return Ok(values);
        }
        let kept = self.kept_variables()?;
        for name in &grants.variables {
            let value = self.value_of_variable(name)?;
            let value = value.or_else(|| kept.value(name).map(str::to_owned));
            values.extend(value.map(|value| (name.clone(), value)));
        }
        Ok(values)
    }

    /// The values of the credentials that were granted, as far as the user has them: as
    /// [`granted_variables`](Self::granted_variables), else the value or the sign-in that is kept.
    ///
    /// # Errors
    /// [`Error::VariableFile`], [`Error::Read`], [`Error::Settings`].
    pub fn granted_credentials(
        &self,
        grants: &Grants,
    ) -> Result<BTreeMap<VariableName, CredentialValue>, Error> {
        let mut values = BTreeMap::new();
        if grants.credentials.is_empty() {
            return Ok(values);
        }
        let kept = self.credentials()?;
        for (name, origin) in &grants.credentials {
            let value = self.value_of_variable(name)?;
            let value = value.or_else(|| kept.value(name, origin).map(str::to_owned));
            let value = value.map(CredentialValue::from);
            let value = value.or_else(|| self.renewed_token(&kept, name, origin));
            values.extend(value.map(|value| (name.clone(), value)));
        }
        Ok(values)
    }

    fn renewed_token(
        &self,
        kept: &Credentials,
        name: &VariableName,
        origin: &Origin,
    ) -> Option<CredentialValue> {
        let sign_in = kept.sign_in(name, origin)?.clone();
        let file = self.tokens.stored_file.clone();
        let token = RenewedToken::new(file, name.clone(), origin.clone(), sign_in);
        let source: Arc<dyn CredentialSource> = Arc::new(token);
        Some(source.into())
    }

    /// True if the variable `name`, or the one that names its file, is set.
    pub fn has_variable(&self, name: &VariableName) -> bool {
        let set = |name: &str| self.variables.text(name).is_some();
        set(name.as_str()) || set(&format!("{name}_FILE"))
    }

    fn value_of_variable(&self, name: &VariableName) -> Result<Option<String>, Error> {
        if let Some(value) = self.variables.text(name.as_str()) {
            return Ok(Some(value));
        }
        let Some(file) = self.variables.text(&format!("{name}_FILE")) else {
            return Ok(None);
        };
        let path = self.place(Path::new(&file));
        let text = files::read_value(&path).map_err(|source| Error::VariableFile {
            name: name.clone(),
            path,
            source,
        })?;
        let value = text.strip_suffix('\n').unwrap_or(&text);
        let value = value.strip_suffix('\r').unwrap_or(value);
        Ok(Some(value.to_owned()).filter(|value| !value.is_empty()))
    }

    /// The storage of the tool from `source`. It belongs to the repo of a registry, or to the
    /// path, so that every version and every toolbox finds it, and no other tool does.
    pub fn storage(&self, source: &Source) -> Storage {
        match source {
            Source::Registry { endpoint, repo, .. } => self.storage_of_repo(endpoint, repo),
            Source::File { path } => self.storage_of(&format!("file\0{}", path.display())),
            Source::Server { address } => self.storage_of(&format!("server\0{address}")),
        }
    }

    /// The storage of every version of the tool in `repo` of the registry at `endpoint`.
    pub fn storage_of_repo(&self, endpoint: &Url, repo: &RepoId) -> Storage {
        self.storage_of(&format!("registry\0{endpoint}\0{repo}"))
    }

    fn storage_of(&self, owner: &str) -> Storage {
        let digest = Digest::of(owner.as_bytes());
        Storage::in_file(self.storage.join(format!("{}.sqlite3", digest.hex())))
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test writes files as users leave them"
)]
mod tests;
