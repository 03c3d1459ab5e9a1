//! The command-line flags that grant rights to a tool, one by one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use tool_hub_manifest::{
    Access, Capabilities, DirectoryName, GrantError, Grants, Method, Methods, Origin, VariableName,
};
use tool_hub_toolbox::sensitive;
use tool_hub_toolbox::{Error, Settings};

use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// The `--allow-…` flags: rights for one tool.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RightsFlags {
    /// Allow requests to an origin that the tool asks for, with the methods that it asks for
    /// or, with ORIGIN=GET,HEAD, only with some of them (repeatable)
    #[arg(long = "allow-network", alias = "network", value_name = "ORIGIN",
          value_parser = origin_with_methods)]
    pub(crate) network: Vec<(Origin, Option<Methods>)>,

    /// Have a credential that the tool asks for put into its requests to the origin that it names;
    /// the tool does not see the value (repeatable)
    #[arg(long = "allow-credential", alias = "credential", value_name = "NAME")]
    pub(crate) credentials: Vec<VariableName>,

    /// Allow the use of a directory that the tool asks for, with the access that it asks for or,
    /// with NAME:read=PATH or NAME:read-write=PATH, with that access (repeatable)
    #[arg(long = "allow-dir", alias = "dir", value_name = "NAME=PATH",
          value_parser = named_directory)]
    pub(crate) directories: Vec<(DirectoryName, Option<Access>, PathBuf)>,

    /// Allow a directory despite this dangerous place, which the refusal named (repeatable)
    #[arg(long = "insist", value_name = "PATH")]
    pub(crate) insisted: Vec<PathBuf>,

    /// Allow a variable that the tool asks for to be read (repeatable)
    #[arg(long = "allow-var", alias = "var", value_name = "NAME")]
    pub(crate) variables: Vec<VariableName>,

    /// Allow a variable whose value is not secret to be read, without masking the value in what
    /// the tool outputs (repeatable)
    #[arg(long = "allow-plain-var", alias = "plain-var", value_name = "NAME")]
    pub(crate) plain_variables: Vec<VariableName>,

    /// Allow it to keep things from call to call, in a storage of its own
    #[arg(long = "allow-storage", alias = "storage")]
    pub(crate) storage: bool,
}

impl RightsFlags {
    /// True if a flag says what to grant.
    pub(crate) fn grants_something(&self) -> bool {
        let Self {
            network,
            credentials,
            directories,
            insisted,
            variables,
            plain_variables,
            storage,
        } = self;
        let lists_are_empty = network.is_empty()
            && credentials.is_empty()
            && directories.is_empty()
            && insisted.is_empty()
            && variables.is_empty()
            && plain_variables.is_empty();
        !lists_are_empty || *storage
    }

    /// `grants`, and what the flags grant beyond them: an origin with the methods and a
    /// directory with the access that the tool asks for, where nothing else is said.
    ///
    /// # Errors
    /// If the flags grant more than the tool asks for, or a directory is too dangerous to grant.
    pub(crate) fn grants(
        &self,
        asked: &Capabilities,
        mut grants: Grants,
        config: &Config,
    ) -> anyhow::Result<Grants> {
        for (origin, methods) in &self.network {
            let all = || asked.network.methods(origin).cloned();
            let methods = methods.clone().or_else(all).unwrap_or(Methods::Any);
            let more = match grants.network.methods(origin) {
                Some(before) => before.merged(&methods),
                None => methods,
            };
            grants = grants.network(origin.clone(), more);
        }
        for name in &self.credentials {
            let request = asked.credential(name);
            let request = request.ok_or_else(|| GrantError::Credential(name.clone()))?;
            grants = grants.credential(name.clone(), request.origin.clone());
        }
        for (at, (name, access, path)) in self.directories.iter().enumerate() {
            if self.directories[..at]
                .iter()
                .any(|(earlier, ..)| earlier == name)
            {
                return Err(Problem::user(format!("--allow-dir names `{name}` twice"))
                    .hint("name each directory of the tool once")
                    .into());
            }
            let as_asked = || asked.directory(name).map(|request| request.access);
            let access = access.or_else(as_asked).unwrap_or(Access::Read);
            grants = grants.directory(name.clone(), real(path, config), access);
        }
        if let Some(both) = self
            .variables
            .iter()
            .find(|it| self.plain_variables.contains(it))
        {
            return Err(Problem::user(format!(
                "{both} was given with --allow-var, as a secret, and with --allow-plain-var"
            ))
            .hint("give it once")
            .into());
        }
        for name in &self.variables {
            grants = grants.variable(name.clone());
        }
        for name in &self.plain_variables {
            grants = grants.plain_variable(name.clone());
        }
        if self.storage {
            grants = grants.storage();
        }
        grants.check_within(asked)?;
        insist(&mut grants, &self.insisted, &config.settings)?;
        sensitive::check(&grants, &config.settings)?;
        Ok(grants)
    }
}

pub(crate) fn named_directory(
    text: &str,
) -> Result<(DirectoryName, Option<Access>, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or("write it as NAME=PATH")?;
    let (name, access) = match name.split_once(':') {
        None => (name, None),
        Some((name, "read")) => (name, Some(Access::Read)),
        Some((name, "read-write")) => (name, Some(Access::ReadWrite)),
        Some(_) => return Err("write it as NAME:read=PATH or NAME:read-write=PATH".to_owned()),
    };
    let name = name.parse().map_err(|error| format!("{error}"))?;
    if path.is_empty() {
        return Err("the path is missing: write it as NAME=PATH".to_owned());
    }
    Ok((name, access, PathBuf::from(path)))
}

pub(crate) fn origin_with_methods(text: &str) -> Result<(Origin, Option<Methods>), String> {
    let (origin, methods) = match text.split_once('=') {
        Some((origin, methods)) => (origin, Some(methods)),
        None => (text, None),
    };
    let origin = origin.parse().map_err(|error| format!("{error}"))?;
    let methods = methods.map(|list| list.split(',').map(str::parse).collect());
    let methods: Option<BTreeSet<Method>> =
        methods.transpose().map_err(|error| format!("{error}"))?;
    Ok((origin, methods.map(Methods::Only)))
}

/// Records in `grants` the dangers that the flags `--insist` accept.
fn insist(grants: &mut Grants, insisted: &[PathBuf], settings: &Settings) -> anyhow::Result<()> {
    sensitive::insist(grants, insisted, settings).map_err(|error| match error {
        Error::InsistedInVain { place } => Problem::user(format!(
            "--insist {} has no effect: no granted directory is refused because of it",
            place.display()
        ))
        .hint("omit --insist, or give the path that the refusal names")
        .into(),
        other => other.into(),
    })
}

/// The real path of a directory: a link that is changed later must not lead elsewhere. A path that
/// does not exist stays as it was written, for the host to refuse.
pub(crate) fn real(path: &Path, config: &Config) -> PathBuf {
    let path = config.settings.place(path);
    path.canonicalize().unwrap_or(path)
}
