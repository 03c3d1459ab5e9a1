//! `tool registry serve`: the registry over HTTP, until it is told to stop.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_registry_server::{Registry, RegistryConfig};
use url::Url;

use crate::diagnosis::Problem;
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
            .map_err(|error| cannot_listen(self.listen, error))?;
        let url = format!("http://{}", listener.local_addr()?);
        if printer.wants_json() {
            printer.json(&json!({ "url": url, "data": directory }))?;
        } else {
            printer.data(&url)?;
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

fn cannot_listen(address: SocketAddr, error: io::Error) -> Problem {
    let free = SocketAddr::new(address.ip(), 0);
    let hint = match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("another program listens there; take a free port with: --listen {free}")
        }
        io::ErrorKind::AddrNotAvailable => {
            "this machine has no such address; for itself alone: --listen 127.0.0.1:8080, for others too: --listen 0.0.0.0:8080"
                .to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            format!("low ports belong to the system; take a free one with: --listen {free}")
        }
        _ => format!("take another address, such as: --listen {free}"),
    };
    Problem::user(format!("cannot listen on {address}"))
        .caused_by(error)
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Global;
    use crate::diagnosis::{Exit, of};

    #[tokio::test]
    async fn a_port_in_use_names_the_way_out() {
        let scratch = tempfile::tempdir().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let serve = Serve {
            listen: taken.local_addr().unwrap(),
            public_url: None,
        };
        let settings = RegistryConfig::new(scratch.path());
        let printer = Printer::new(&Global {
            endpoint: None,
            json: false,
            quiet: true,
        });
        let error = serve.execute(settings, &printer).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot listen on {}", serve.listen)
        );
        let diagnosis = of(&error);
        assert_eq!(diagnosis.exit, Exit::User);
        assert_eq!(
            diagnosis.hints,
            ["another program listens there; take a free port with: --listen 127.0.0.1:0"]
        );
    }
}
