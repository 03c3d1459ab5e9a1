//! `tool registry serve`: the registry over HTTP, until it is told to stop.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_registry_server::{Registry, RegistryConfig};
use url::Url;

use crate::printer::Printer;
use crate::signals::stop_requested;

/// Arguments of `tool registry serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// The URL by which clients reach the registry [default: what their requests say]
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,
}

impl Serve {
    pub(crate) async fn execute(
        &self,
        mut settings: RegistryConfig,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        settings.public_url.clone_from(&self.public_url);
        let directory = settings.directory.clone();
        let registry = Registry::open(settings).await?;
        let listener = TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("cannot listen on {}", self.listen))?;
        let url = format!("http://{}", listener.local_addr()?);
        if printer.wants_json() {
            printer.json(&json!({ "url": url, "data": directory }))?;
        } else {
            printer.data(&url);
            printer.note(&format!(
                "serving {}; stop it with Ctrl-C",
                directory.display()
            ));
        }
        tool_hub_registry_server::serve(listener, registry.clone(), stop_requested()).await?;
        registry.close().await;
        Ok(ExitCode::SUCCESS)
    }
}
