//! Flags of `tool serve` for an OpenAI-compatible endpoint, and the gateway to it that they set up.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;
use tool_hub_agent::constraint::Backend;
use tool_hub_serve::Gateway;
use url::Url;

use crate::session::Session;
use crate::settings::model_endpoint;

/// Flags for the endpoint and its use.
#[derive(Debug, Args)]
pub(super) struct OpenAi {
    /// Put the toolbox before this OpenAI-compatible endpoint, with --http: its models call the
    /// tools, and clients get the answers
    #[arg(long = "openai", value_name = "URL", requires = "http")]
    url: Option<Url>,

    /// A file that holds the endpoint's key [default: the variable TOOL_HUB_OPENAI_KEY]
    #[arg(long = "openai-key-file", value_name = "FILE", requires = "url")]
    key_file: Option<PathBuf>,

    /// How often a model is asked for one answer; in the last round it has to give it
    #[arg(
        long = "openai-rounds",
        value_name = "COUNT",
        default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(2..=64),
        requires = "url"
    )]
    rounds: u32,

    /// Write the tools so that models are held to their schemas, where the endpoint can do that
    #[arg(long = "openai-strict", requires = "url")]
    strict: bool,

    /// The endpoint knows no tools: hold its models to calls by a grammar, in the form that this
    /// server takes: tgi, vllm, llama.cpp or sglang
    #[arg(
        long = "openai-hold-by",
        value_name = "SERVER",
        requires = "url",
        conflicts_with = "strict",
        value_parser = model_endpoint::grammar_backend
    )]
    hold_by: Option<Backend>,
}

impl OpenAi {
    /// The gateway, where one is asked for.
    pub(super) fn gateway(&self, session: &Session) -> anyhow::Result<Option<Gateway>> {
        let Some(url) = &self.url else {
            return Ok(None);
        };
        let mut gateway = Gateway::new(url.clone())?;
        let key_file = self.key_file.as_deref();
        if let Some(key) = model_endpoint::key(url, key_file, session)? {
            gateway = gateway.with_key(key);
        }
        if let Some(rounds) = NonZeroU32::new(self.rounds) {
            gateway = gateway.with_rounds_max(rounds);
        }
        if self.strict {
            gateway = gateway.strict();
        }
        if let Some(backend) = self.hold_by {
            gateway = gateway.held_by(backend);
        }
        Ok(Some(gateway))
    }
}
