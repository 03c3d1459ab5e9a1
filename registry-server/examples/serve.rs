//! Runs a registry with a user `alice` and prints her token.
//! The command is `cargo run -p tool-hub-registry-server --example serve -- DIRECTORY [ADDRESS
//! [LFS_FROM_BYTES]]`.
//!
//! Adds the user `alice` when there is none, and prints the address and a fresh token, each on a
//! line of its own.
#![allow(
    clippy::print_stdout,
    reason = "an example talks to the person who runs it"
)]

use tool_hub_registry_server::{Registry, RegistryConfig, RegistryError, TokenRole, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let mut arguments = std::env::args().skip(1);
    let directory = arguments
        .next()
        .ok_or("usage: serve DIRECTORY [ADDRESS [LFS_FROM_BYTES]]")?;
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());

    let mut config = RegistryConfig::new(directory);
    config.lfs_from_bytes = arguments.next().map(|text| text.parse()).transpose()?;
    let registry = Registry::open(config).await?;
    match registry.add_user("alice", None).await {
        Ok(()) | Err(RegistryError::NameTaken { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let token = registry
        .create_token("alice", "example", TokenRole::Write, None)
        .await?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    println!("{}", token.secret.expose());
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    serve(listener, registry, interrupted).await?;
    Ok(())
}
