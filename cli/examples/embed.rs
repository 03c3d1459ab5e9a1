//! A program that embeds tool-hub: pull, inspect, approve, load, call.
//!
//! usage: embed ENDPOINT OWNER/NAME DIRECTORY FUNCTION JSON

use tool_hub_host::{Host, HostConfig, inspect};
use tool_hub_manifest::Grants;
use tool_hub_registry_client::{Client, ClientConfig, Silent, Store};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it got")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut word = || {
        words
            .next()
            .ok_or("usage: embed ENDPOINT OWNER/NAME DIRECTORY FUNCTION JSON")
    };

    let client = Client::new(ClientConfig::new(word()?.parse()?, "embed/0.1"))?;
    let resolved = client.resolve(&word()?.parse()?).await?;
    let verified = client
        .pull(&resolved, &Store::open(word()?)?, &Silent)
        .await?;

    let inspection = inspect(&verified)?;
    println!(
        "{} {} wants {:?}",
        inspection.name, inspection.version, inspection.capabilities
    );

    // A real program asks its user here. Nothing is granted: the tool can only compute.
    let approved = inspection.approve(Grants::none())?;
    let tool = Host::new(HostConfig::new())?.load(approved).await?;
    let reply = tool.call(&word()?, &word()?).await.into_result()?;
    println!("{}", reply.text());
    Ok(())
}
