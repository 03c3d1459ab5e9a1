//! `tool registry serve`: serves the registry over HTTP until it is told to stop.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use ipnet::{AddrParseError, IpNet};
use serde_json::json;
use tool_hub_registry_server::{
    DatabaseAddress, Downloads, IssuerKeys, Registry, RegistryConfig, StorageAddress,
    TrustedIssuer, serve, serve_metrics,
};
use url::{Host, Url};

use crate::log::{LogFormat, Logging};
use crate::serving::listener::listen;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::signals::stop_requested;

/// Arguments of `tool registry serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// The URL by which clients reach the registry [default: what their requests say]
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,

    /// An additional host name of the registry, beside those of the public URL and of this machine;
    /// may be given again
    #[arg(long = "allow-host", value_name = "HOST", value_parser = Host::parse)]
    hosts: Vec<Host>,

    /// A proxy whose X-Forwarded-For is believed, as an address or network such as 10.0.0.0/8; may
    /// be given again
    #[arg(long = "trusted-proxy", value_name = "NETWORK", value_parser = network)]
    trusted_proxies: Vec<IpNet>,

    /// A build service whose jobs may publish, as its owners allow: github, gitlab, or one of your
    /// own as github=URL or gitlab=URL; may be given again; takes --public-url
    #[arg(
        long = "trusted-issuer",
        value_name = "ISSUER",
        requires = "public_url"
    )]
    trusted_issuers: Vec<TrustedIssuer>,

    /// The public keys of such an issuer, as URL=FILE with a JSON Web Key Set, in place of asking
    /// the issuer; may be given again
    #[arg(long = "issuer-keys", value_name = "URL=FILE", value_parser = issuer_keys)]
    issuer_keys: Vec<(String, PathBuf)>,

    /// A file with a root that vouches for publishers: attestations then have to be by a trusted
    /// publisher of their repo; may be given again
    #[arg(long = "attestation-root", value_name = "FILE")]
    attestation_roots: Vec<PathBuf>,

    /// Have files from this size on sent over LFS, for clients that can: the JavaScript one, git,
    /// and the Python one without Xet
    #[arg(long, value_name = "BYTES")]
    lfs_from_bytes: Option<u64>,

    /// Have the files that a repo's .gitattributes selects sent over LFS, as on the Hub, for
    /// clients that can
    #[arg(long)]
    lfs: bool,

    /// Send files out of a bucket through the registry, where clients cannot reach the bucket
    #[arg(long)]
    proxy_downloads: bool,

    /// Where to serve /metrics for Prometheus, and the health of the registry; not for everybody
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,

    /// The form of events on standard error; TOOL_HUB_LOG=info adds to the warnings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: LogFormat,
}

impl Serve {
    /// The warnings of a server, which are logged unasked.
    pub(super) fn logging(&self) -> Logging {
        Logging {
            format: self.log_format,
            events: Some("warn"),
        }
    }

    pub(crate) async fn execute(
        &self,
        mut settings: RegistryConfig,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        settings.public_url.clone_from(&self.public_url);
        settings.hosts.clone_from(&self.hosts);
        settings.lfs_by_attributes = self.lfs;
        settings.lfs_from_bytes = self.lfs_from_bytes;
        settings.trusted_proxies.clone_from(&self.trusted_proxies);
        settings.trusted_issuers = self.trusted_issuers()?;
        settings
            .attestation_roots
            .clone_from(&self.attestation_roots);
        if let StorageAddress::S3(storage) = &mut settings.storage
            && self.proxy_downloads
        {
            storage.downloads = Downloads::Proxy;
        }
        let directory = settings.directory.clone();
        let places = places(&settings);
        let registry = Registry::open(settings).await?;
        let listener = listen(self.listen).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let metrics = match self.metrics {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let metrics_url = match &metrics {
            Some(listener) => Some(format!("http://{}/metrics", listener.local_addr()?)),
            None => None,
        };
        if printer.wants_json() {
            printer.json(&json!({ "url": url, "data": directory, "metrics": metrics_url }))?;
        } else {
            printer.data(&url)?;
        }
        // With JSON a program reads standard error, and expects nothing but events.
        if !printer.wants_json() && self.log_format == LogFormat::Text {
            printer.note(&format!("serving {places}; stop it with Ctrl-C"));
            if let Some(url) = metrics_url {
                printer.note(&format!("metrics are at {url}"));
            }
        }
        let counted = async {
            if let Some(listener) = metrics {
                serve_metrics(listener, registry.clone(), stop_requested()).await;
            }
        };
        let (served, ()) =
            tokio::join!(serve(listener, registry.clone(), stop_requested()), counted);
        served?;
        registry.close().await;
        Ok(ExitCode::SUCCESS)
    }
}

impl Serve {
    /// The issuers, each with the file of its keys where one is named.
    fn trusted_issuers(&self) -> anyhow::Result<Vec<TrustedIssuer>> {
        let mut issuers = self.trusted_issuers.clone();
        for (url, file) in &self.issuer_keys {
            let issuer = issuers.iter_mut().find(|issuer| issuer.as_str() == url);
            let issuer = issuer.ok_or_else(|| {
                Problem::user(format!("--issuer-keys names {url}, which is not trusted")).hint(
                    "name the issuer too, by the same URL: --trusted-issuer github=URL or gitlab=URL",
                )
            })?;
            issuer.keys = IssuerKeys::File(std::path::absolute(file)?);
        }
        Ok(issuers)
    }
}

fn issuer_keys(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((url, file)) if !file.is_empty() => Ok((url.to_owned(), file.into())),
        _ => Err("write the issuer's URL, `=` and the file with its keys".to_owned()),
    }
}

/// An address alone is a network of one.
fn network(text: &str) -> Result<IpNet, AddrParseError> {
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(address.into()),
        Err(_) => text.parse(),
    }
}

/// The addresses of the registry's data, without passwords and keys.
fn places(settings: &RegistryConfig) -> String {
    let directory = settings.directory.display().to_string();
    let database = match &settings.database {
        DatabaseAddress::Postgres(url) => url.to_string(),
        _ => directory.clone(),
    };
    let storage = match &settings.storage {
        StorageAddress::S3(storage) => storage.to_string(),
        _ => directory,
    };
    if database == storage {
        return database;
    }
    format!("{database} and {storage}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served_is_named_without_secrets() {
        let mut settings = RegistryConfig::new("dir");
        assert_eq!(places(&settings), "dir");
        settings.database = "postgres://hub:s3cret@db/hub".parse().unwrap();
        assert_eq!(places(&settings), "postgres://db/hub and dir");
        settings.storage = "s3://bucket/a".parse().unwrap();
        assert_eq!(places(&settings), "postgres://db/hub and s3://bucket/a");
    }
}
