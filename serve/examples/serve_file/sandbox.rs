//! Loads a component that has no manifest as a tool without any rights.

use tool_hub_host::authoring::derive_manifest;
use tool_hub_host::{Host, HostConfig, Tool, inspect};
use tool_hub_manifest::{Grants, Package, Verified};

/// Loads a component under a name. It gets nothing beyond pure computation: no grants are
/// given.
pub(crate) async fn load(
    component: Vec<u8>,
    name: &str,
) -> Result<Tool, Box<dyn std::error::Error>> {
    let manifest = derive_manifest(&component, name.parse()?)?;
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let approved = inspect(&Verified::check(package)?)?.approve(Grants::none())?;
    Ok(Host::new(HostConfig::new())?.load(approved).await?)
}
