//! Reads the settings of an OpenAI-compatible endpoint: its key, and the kind of server behind it.
//!
//! The key comes from a file or the environment, the server from `--hold-by`. Warns if the key
//! would go over the network unencrypted.

use std::path::Path;

use anyhow::Context as _;
use tool_hub_agent::constraint::Backend;
use tool_hub_manifest::is_this_machine;
use tool_hub_serve::EndpointKey;
use url::Url;

use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;

/// The key for the endpoint at `url`, from `file` or the environment, where there is one. Warns
/// where it goes over the network unencrypted.
///
/// # Errors
/// When the file cannot be read, or holds no key.
pub(crate) fn key(
    url: &Url,
    file: Option<&Path>,
    session: &Session,
) -> anyhow::Result<Option<EndpointKey>> {
    let key = match file {
        Some(file) => Some(read(file)?),
        None => session.config.endpoint_key()?,
    };
    if key.is_some() && goes_in_clear(url) {
        session.printer.warning("the endpoint's key goes over the network unencrypted: whoever is on the way can use it");
        session
            .printer
            .hint("name the endpoint by an https URL; where it has none, put TLS in front of it");
    }
    Ok(key)
}

/// The server that `--hold-by` names: one whose grammars have room for a call.
///
/// # Errors
/// When no such server is known.
pub(crate) fn grammar_backend(name: &str) -> Result<Backend, String> {
    match name.parse() {
        Ok(Backend::OpenAi) | Err(_) => {
            Err("use tgi, vllm, llama.cpp or sglang; OpenAI's own know tools".to_owned())
        }
        Ok(backend) => Ok(backend),
    }
}

fn read(file: &Path) -> anyhow::Result<EndpointKey> {
    let text = files::read_value(file)
        .with_context(|| format!("the key file {} cannot be read", file.display()))?;
    let key: Result<EndpointKey, _> = text.trim().parse();
    key.map_err(|error| {
        Problem::user(format!("{} holds no key", file.display()))
            .caused_by(error)
            .into()
    })
}

/// True if everything sent to `url` leaves this machine unencrypted.
fn goes_in_clear(url: &Url) -> bool {
    let is_near = is_this_machine(url);
    url.scheme() == "http" && !is_near
}
