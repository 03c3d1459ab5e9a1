//! Reads the environment's variables. Nothing else of the command reads the environment.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TOOL_HUB_HOME` | one directory for everything that `tool` keeps, in place of the XDG directories |
//! | `TOOL_HUB_OPENAI_KEY` | the key for the endpoint of `--openai`, where no file holds it |
//! | `TOOL_HUB_OPENAI_URL`, `TOOL_HUB_OPENAI_MODEL` | the endpoint and the model of `tool run` and `tool chat`, where no option names them |
//! | `TOOL_HUB_LOG` | which events to log to standard error, such as `debug` or `tool_hub_host=trace` |
//! | `HF_ENDPOINT` | the registry's URL |
//! | `HF_TOKEN` | the token for the registry of `HF_ENDPOINT`, huggingface.co where that is unset |
//! | `HF_TOKEN_PATH`, `HF_HOME` | where the `hf` command keeps its token file |
//! | `TOOL_HUB_REGISTRY_DATA`, `TOOL_HUB_REGISTRY_DATABASE`, `TOOL_HUB_REGISTRY_STORAGE` | `--data`, `--database` and `--storage` of `tool registry`, where those are not given |
//! | `AWS_…` | keys, region and endpoint of the bucket of `tool registry … --storage s3://…` |
//! | `TOOL_HUB_ID_TOKEN` | the identity token of a job of GitLab, for `tool push` |
//! | `SIGSTORE_ID_TOKEN` | the same for a Sigstore, for `tool push --keyless` |
//! | `ACTIONS_ID_TOKEN_REQUEST_URL` | where a job of GitHub asks for either identity token |
//! | `ACTIONS_ID_TOKEN_REQUEST_TOKEN` | the token with which it asks |
//! | `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `COPILOT_HOME` | where these MCP clients keep their configuration |
//! | `VIRTUAL_ENV` | the environment of Python whose packages `tool build` takes |
//! | `CARGO_HOME` | the sources that cargo keeps; no component names them |
//! | `PATH` | where programs are looked for: directories that no tool may change unasked |
//! | `XDG_DATA_HOME`, `XDG_CACHE_HOME`, `XDG_CONFIG_HOME`, `HOME` | the usual directories |
//!
//! A tool's own variables are read from it too, and only those that were granted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tool_hub_toolbox::Settings;
use tool_hub_toolbox::variables::{HOME, Variables};

/// The value of a variable; none if it is unset or empty.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The directory of cargo, by its own rules.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    let usual = || Some(std::env::home_dir()?.join(".cargo"));
    variable("CARGO_HOME").map(PathBuf::from).or_else(usual)
}

/// The environment's variables, for the toolbox. Where the home directory is not among them, the
/// system knows it.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
pub(crate) fn variables() -> Variables {
    Variables::new(|name| match name {
        HOME => std::env::home_dir().map(PathBuf::into_os_string),
        name => std::env::var_os(name),
    })
}

/// True if a variable is set whose value a library reads by itself.
#[cfg(feature = "opentelemetry")]
pub(crate) fn is_set(name: &str) -> bool {
    variable(name).is_some()
}

/// The `AWS_…` variables: how a registry reaches the bucket with its content.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
pub(crate) fn storage_variables() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| name.starts_with("AWS_") && !value.is_empty())
        .collect()
}

/// The variables by which a `tool` that another program starts uses the same directories as this
/// one.
pub(crate) fn own_variables(settings: &Settings) -> BTreeMap<&'static str, PathBuf> {
    if variable("TOOL_HUB_HOME").is_some() {
        return BTreeMap::from([("TOOL_HUB_HOME", settings.user.clone())]);
    }
    let usual = [
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
    ];
    let told = usual.into_iter().filter_map(|(name, usual)| {
        let path = PathBuf::from(variable(name)?);
        // No program uses a relative path here.
        (path.is_absolute() && path != settings.home.join(usual)).then_some((name, path))
    });
    if cfg!(windows) {
        BTreeMap::new()
    } else {
        told.collect()
    }
}
