//! Runs an empty registry with the named accounts, for the client tests of `tests/conformance`.
//!
//! `cargo run -p tool-hub-registry-server --example conformance -- [--lfs] ACCOUNT…`
//!
//! With `--lfs` every file that is not empty is to be sent over LFS. An account is a user's name,
//! or `organisation=user`, where the user becomes its administrator. The registry is new and lies
//! in a temporary directory, or in PostgreSQL and a bucket when `TOOL_HUB_TEST_PLACE` says
//! `shared`. Prints one line of JSON, `{"endpoint": URL, "tokens": {USER: SECRET}}`, and serves
//! until standard input ends.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example talks to whoever runs it, and is part of a test"
)]

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/backends/backends.rs"]
mod backends;

use serde_json::{Map, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tool_hub_registry_server::{
    Downloads, MemberRole, Registry, RegistryConfig, RegistryError, TokenRole, serve,
};

use crate::backends::Backend;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let directory = tempfile::tempdir()?;
    let mut config = match Backend::wanted() {
        Some(place) => place.config(directory.path(), Downloads::Redirect),
        None => RegistryConfig::new(directory.path()),
    };
    let (options, accounts): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word == "--lfs");
    // The clients' own tests run without Xet and expect the Hub's behavior.
    config.lfs_by_attributes = true;
    config.lfs_from_bytes = (!options.is_empty()).then_some(1);
    let registry = Registry::open(config).await?;
    let mut tokens = Map::new();
    for account in accounts {
        match account.split_once('=') {
            Some((organisation, user)) => add_organisation(&registry, organisation, user).await?,
            None => {
                let token = add_user(&registry, &account).await?;
                tokens.insert(account, token.into());
            }
        }
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    println!("{}", json!({"endpoint": endpoint, "tokens": tokens}));
    let left_alone = async {
        // Whether the input ends or breaks, nobody is there any more.
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    serve(listener, registry, left_alone).await?;
    Ok(())
}

async fn add_user(registry: &Registry, name: &str) -> Result<String, RegistryError> {
    registry.add_user(name, None).await?;
    let token = registry
        .create_token(name, "conformance", TokenRole::Write, None)
        .await?;
    Ok(token.secret.expose().to_owned())
}

async fn add_organisation(
    registry: &Registry,
    name: &str,
    administrator: &str,
) -> Result<(), RegistryError> {
    registry.add_organisation(name).await?;
    registry
        .add_member(name, administrator, MemberRole::Admin)
        .await
}
