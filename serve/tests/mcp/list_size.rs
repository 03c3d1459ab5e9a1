//! Tests that the list of a tool with five functions takes few bytes of an agent's context.

use serde_json::json;
use tool_hub_host::authoring::{Docs, WitSource, complete_manifest};
use tool_hub_host::{Approved, Host, HostConfig};
use tool_hub_manifest::{Grants, Manifest, Package, Verified, Version};
use tool_hub_serve::{Catalogue, Offer, Presentation};

use crate::support::lines;

/// The most bytes that the answer to `tools/list` may have, for a tool of five functions with 15
/// documented arguments which return records.
const LIST_BYTES_MAX: usize = 4_608;

/// The functions whose list [`LIST_BYTES_MAX`] limits.
async fn offers() -> Vec<Offer> {
    let component = wat::parse_str(include_str!("places/component.wat")).unwrap();
    let source = WitSource {
        path: "world.wit".as_ref(),
        contents: include_str!("places/world.wit"),
    };
    let docs = Docs::from_sources(&[source], None).unwrap();
    let manifest = Manifest::new("places".parse().unwrap(), Version::new(0, 1, 0));
    let manifest = complete_manifest(manifest, &component, Some(&docs)).unwrap();
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).unwrap();
    let approved = Approved::from_lock_record(verified, Grants::none()).unwrap();
    let host = Host::new(HostConfig::new()).unwrap();
    let tool = host.load(approved).await.unwrap();
    Offer::all(&"places".parse().unwrap(), &tool).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_takes_little_of_the_context() {
    let catalogue = Catalogue::new(offers().await).unwrap();
    let catalogue = catalogue.presented(Presentation::default()).unwrap();
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/list",
        "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "lines", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }},
    });
    let (answers, _) = lines(catalogue, &[request]).await;
    let tools = answers[0]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let arguments = tools[..5].iter().flat_map(|tool| {
        let properties = tool["inputSchema"]["properties"].as_object();
        properties.unwrap().values()
    });
    let described = arguments.filter(|schema| schema["description"].is_string());
    assert_eq!(described.count(), 15, "every argument is described");
    let bytes = answers[0].to_string().len();
    println!("{bytes} bytes");
    assert!(bytes <= LIST_BYTES_MAX, "{bytes} bytes: {}", answers[0]);
}
