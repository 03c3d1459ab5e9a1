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
//! | `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `COPILOT_HOME` | where these MCP clients keep their configuration |
//! | `VIRTUAL_ENV` | the environment of Python whose packages `tool build` takes |
//! | `PATH` | where programs are looked for: directories that no tool may change unasked |
//! | `XDG_DATA_HOME`, `XDG_CACHE_HOME`, `XDG_CONFIG_HOME`, `HOME` | the usual directories |
//!
//! A tool's own variables are read from it too, and only those that were granted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use etcetera::BaseStrategy as _;

/// The value of a variable; none if it is unset or empty.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The absolute directories of `PATH`. A relative one would depend on the working directory of each
/// program.
pub(crate) fn search_path() -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path);
    directories.filter(|path| path.is_absolute()).collect()
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
pub(crate) fn own_variables() -> anyhow::Result<BTreeMap<&'static str, PathBuf>> {
    if let Some(home) = variable("TOOL_HUB_HOME") {
        let home = std::path::absolute(home).context("TOOL_HUB_HOME is not a path")?;
        return Ok(BTreeMap::from([("TOOL_HUB_HOME", home)]));
    }
    let base = etcetera::choose_base_strategy().context("the home directory cannot be found")?;
    let usual = [
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
    ];
    let told = usual.into_iter().filter_map(|(name, usual)| {
        let path = PathBuf::from(variable(name)?);
        // No program uses a relative path here.
        (path.is_absolute() && path != base.home_dir().join(usual)).then_some((name, path))
    });
    Ok(if cfg!(windows) {
        BTreeMap::new()
    } else {
        told.collect()
    })
}
