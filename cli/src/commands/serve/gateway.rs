//! The part of `tool serve` that puts the toolbox before an OpenAI-compatible endpoint.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use tool_hub_serve::{EndpointKey, Gateway};
use url::{Host, Url};

use crate::config::{self, Config};
use crate::diagnosis::Problem;
use crate::printer::Printer;

/// Which endpoint, and how it is asked.
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
}

impl OpenAi {
    /// The gateway, where one is asked for.
    pub(super) fn gateway(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<Option<Gateway>> {
        let Some(url) = &self.url else {
            return Ok(None);
        };
        let mut gateway = Gateway::new(url.clone())?;
        if let Some(key) = self.key(config)? {
            if goes_in_clear(url) {
                printer.warning("the endpoint's key goes over the network unencrypted: whoever is on the way can use it");
                printer.hint(
                    "name the endpoint by an https URL; where it has none, put TLS in front of it",
                );
            }
            gateway = gateway.with_key(key);
        }
        if let Some(rounds) = NonZeroU32::new(self.rounds) {
            gateway = gateway.with_rounds_max(rounds);
        }
        Ok(Some(if self.strict {
            gateway.strict()
        } else {
            gateway
        }))
    }

    fn key(&self, config: &Config) -> anyhow::Result<Option<EndpointKey>> {
        let Some(file) = &self.key_file else {
            return config.endpoint_key();
        };
        let text = config::read_bounded(file)
            .with_context(|| format!("the key file {} cannot be read", file.display()))?;
        let key: Result<EndpointKey, _> = text.trim().parse();
        key.map(Some).map_err(|error| {
            Problem::user(format!("{} holds no key", file.display()))
                .caused_by(error)
                .into()
        })
    }
}

/// Whether what is sent to `url` leaves this machine unencrypted.
fn goes_in_clear(url: &Url) -> bool {
    let is_near = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !is_near
}
