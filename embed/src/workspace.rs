//! The `Workspace`: registry, token and directories, as the caller's variables name them.

use std::path::{Path, PathBuf};

use tool_hub_manifest::{Digest, Source};
use tool_hub_registry_client::{Client, ClientConfig, Store, Token};
use url::Url;

use crate::error::Error;

const DEFAULT_ENDPOINT: &str = "https://huggingface.co";
const USER_AGENT: &str = concat!("tool-hub-embed/", env!("CARGO_PKG_VERSION"));

/// Registry, token and directories of whoever embeds tools.
#[derive(Debug, Clone)]
pub struct Workspace {
    endpoint: Url,
    token: Option<Token>,
    data: PathBuf,
    cache: PathBuf,
    user: PathBuf,
    home: Option<PathBuf>,
    working: PathBuf,
    compiler: Option<CompilerProgram>,
}

/// The command `tool` of this very version, which compiles components in a process of its own.
/// The embedder trusts it as itself, so it is never looked up by name.
#[derive(Debug, Clone)]
pub struct CompilerProgram {
    /// The path of the executable.
    pub path: PathBuf,
}

impl Workspace {
    /// The workspace that `variable` describes, with relative paths below `working`.
    ///
    /// The variables are those of the command: `TOOL_HUB_HOME`, or `XDG_DATA_HOME`,
    /// `XDG_CACHE_HOME`, `XDG_CONFIG_HOME` and `HOME`; `HF_ENDPOINT` and `HF_TOKEN`. An empty
    /// variable counts as one that is not set.
    ///
    /// # Errors
    /// When a variable cannot be used, or no directory can be found.
    pub fn new(
        variable: impl Fn(&str) -> Option<String>,
        working: impl Into<PathBuf>,
    ) -> Result<Self, Error> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let working = working.into();
        let endpoint = variable("HF_ENDPOINT").unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        let endpoint = endpoint.parse().map_err(|error: url::ParseError| {
            let reason = error.to_string();
            Error::variable("HF_ENDPOINT", reason)
        })?;
        let token = variable("HF_TOKEN").map(|text| text.trim().parse::<Token>());
        let token = token.transpose();
        let token = token.map_err(|error| Error::variable("HF_TOKEN", error.to_string()))?;
        let home = variable("HOME").map(PathBuf::from);
        let base = |name: &str, below: &str| {
            let named = variable(name).map(PathBuf::from);
            let named = named.filter(|path| path.is_absolute());
            let base = named.or_else(|| Some(home.as_ref()?.join(below)));
            base.map(|base| base.join("tool-hub"))
        };
        let (data, cache, user) = match variable("TOOL_HUB_HOME") {
            Some(one) => {
                let one = working.join(one);
                (Some(one.clone()), Some(one.join("cache")), Some(one))
            }
            None => (
                base("XDG_DATA_HOME", ".local/share"),
                base("XDG_CACHE_HOME", ".cache"),
                base("XDG_CONFIG_HOME", ".config"),
            ),
        };
        let unset = || Error::variable("HOME", "it is not set".to_owned());
        Ok(Self {
            endpoint,
            token,
            data: data.ok_or_else(unset)?,
            cache: cache.ok_or_else(unset)?,
            user: user.ok_or_else(unset)?,
            home,
            working,
            compiler: None,
        })
    }

    /// The same, with components compiled by `program`. Without one they are compiled in this
    /// process.
    #[must_use]
    pub fn with_compiler(mut self, program: Option<CompilerProgram>) -> Self {
        self.compiler = program;
        self
    }

    /// The same, with `endpoint` as its registry. The token goes along only to the registry that
    /// it was given for.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: Url) -> Self {
        if endpoint.origin() != self.endpoint.origin() {
            self.token = None;
        }
        self.endpoint = endpoint;
        self
    }

    pub(crate) fn client(&self) -> Result<Client, Error> {
        let config = ClientConfig::new(self.endpoint.clone(), USER_AGENT);
        Ok(Client::new(config.with_token(self.token.clone()))?)
    }

    pub(crate) fn endpoint(&self) -> &Url {
        &self.endpoint
    }

    pub(crate) fn store(&self) -> Result<Store, Error> {
        Ok(Store::open(self.data.join("store"))?)
    }

    pub(crate) fn compiled(&self) -> PathBuf {
        self.cache.join("compiled")
    }

    /// The directory with the user's approvals.
    pub(crate) fn user(&self) -> &Path {
        &self.user
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(crate) fn compiler(&self) -> Option<&CompilerProgram> {
        self.compiler.as_ref()
    }

    /// The directories in which the command keeps its own files: no tool is given one of them.
    pub(crate) fn own_directories(&self) -> Vec<PathBuf> {
        let below = ["store", "storage", "registry"].map(|name| self.data.join(name));
        let mut own = Vec::from(below);
        own.extend([self.user.clone(), self.cache.clone()]);
        own
    }

    /// The database with the storage of the tool from `source`: the same as the command's.
    pub(crate) fn storage(&self, source: &Source) -> PathBuf {
        let owner = match source {
            Source::Registry { endpoint, repo, .. } => format!("registry\0{endpoint}\0{repo}"),
            Source::File { path } => format!("file\0{}", path.display()),
        };
        let name = format!("{}.sqlite3", Digest::of(owner.as_bytes()).hex());
        self.data.join("storage").join(name)
    }

    /// `path` as a person writes it: below their home after `~/`, else below the working directory.
    pub(crate) fn place(&self, path: &Path) -> PathBuf {
        let home = self.home.as_ref();
        match (path.strip_prefix("~"), home) {
            (Ok(below), Some(home)) => home.join(below),
            // Without the `.` of `./x`.
            _ => self.working.join(path).components().collect(),
        }
    }
}
