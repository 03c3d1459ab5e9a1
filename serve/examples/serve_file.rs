//! Serves one component file over the Model Context Protocol on standard input and output.
//!
//! `cargo run -p tool-hub-serve --example serve_file -- tool.wasm`
//!
//! The component gets nothing beyond pure computation: no grants are given here.

use tool_hub_host::authoring::derive_manifest;
use tool_hub_host::{Host, HostConfig, inspect};
use tool_hub_manifest::{Grants, Package, ToolKey, Verified, visible_name};
use tool_hub_serve::{Catalogue, Offer, serve_stdio};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a component file")?;
    let component = wat::parse_file(path)?;
    let manifest = derive_manifest(&component, "file".parse()?)?;
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
    };
    let approved = inspect(&Verified::check(package)?)?.approve(Grants::none())?;
    let tool = Host::new(HostConfig::new())?.load(approved).await?;

    let key: ToolKey = "file".parse()?;
    let mut offers = Vec::new();
    for function in tool.functions() {
        let mut spec = function.spec.clone();
        spec.name = visible_name(&key, &function.name, tool.functions().len())?;
        offers.push(Offer {
            spec,
            tool: tool.clone(),
            function: function.name.clone(),
        });
    }
    serve_stdio(Catalogue::new(offers)?, std::future::pending()).await?;
    Ok(())
}
