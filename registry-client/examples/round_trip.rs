//! Pushes a file as a tool to a registry, finds it again and pulls it into a fresh store.
//! `cargo run -p tool-hub-registry-client --example round_trip -- ENDPOINT TOKEN REPO FILE`.
#![allow(
    clippy::print_stdout,
    reason = "an example talks to the person who runs it"
)]

use std::time::{Duration, Instant};

use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified, Version};
use tool_hub_registry_client::{Client, ClientConfig, Push, Silent, Store, Visibility};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, token, repo, file] = arguments.as_slice() else {
        return Err("usage: round_trip ENDPOINT TOKEN REPO FILE".into());
    };
    let config = ClientConfig::new(endpoint.parse()?, "round-trip/1");
    let client = Client::new(config.with_token(Some(token.parse()?)))?;
    println!("I am {}", client.whoami().await?.name);

    let component = std::fs::read(file)?;
    let mut manifest = Manifest::new("round-trip".parse()?, Version::new(0, 1, 0));
    manifest.component = Some(ComponentClaim::of(&component));
    let package = Verified::check(Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    })?;
    let push = Push {
        repo: repo.parse()?,
        package: &package,
        card: b"---\ntags: [tool-hub]\ndescription: Goes there and back.\n---\n# round trip\n",
        signature: None,
        visibility: Visibility::Public,
        message: "Add round-trip".into(),
    };
    for _ in 0..2 {
        let begin = Instant::now();
        let pushed = client.push(&push, &Silent).await?;
        println!(
            "{:?} {} in {:?}",
            pushed.outcome,
            pushed.commit,
            begin.elapsed()
        );
    }

    let resolved = client.resolve(&format!("{repo}@^0.1").parse()?).await?;
    let scratch = tempfile::tempdir()?;
    let store = Store::open(scratch.path())?;
    for _ in 0..2 {
        let begin = Instant::now();
        let pulled = client.pull(&resolved, &store, &Silent).await?;
        println!("pulled {} in {:?}", pulled.pin().digest(), begin.elapsed());
    }
    let begin = Instant::now();
    let bytes = store.get(package.pin())?.component().len();
    println!("read {bytes} bytes from the store in {:?}", begin.elapsed());
    println!(
        "the card has {:?} bytes",
        client.card(&resolved).await?.map(|card| card.len())
    );
    for found in client.search("round", 10).await?.found {
        println!(
            "found {} {:?} {:?}",
            found.repo, found.description, found.tags
        );
    }
    println!("{:?}", store.gc(&[], Duration::ZERO)?);
    Ok(())
}
