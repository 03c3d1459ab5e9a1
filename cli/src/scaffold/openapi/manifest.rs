//! Writes the capabilities of a project that calls an API, and the calls that a person confirms.
//! Each origin has the methods in use, and the host puts the credentials into requests.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};
use tool_hub_agent::definition::openapi::CredentialPlace;

use super::super::names::Names;
use super::endpoint::Endpoint;

/// The longest description of a tool that is made of the API's title.
const DESCRIPTION_CHARACTERS_MAX: usize = 180;

/// A credential that requests to an origin need.
pub(super) struct Credential {
    pub(super) name: String,
    origin: String,
    place: CredentialPlace,
    why: String,
}

/// The manifest of a project with these functions. A person confirms calls of those in `removing`.
pub(super) fn manifest(
    text: &str,
    title: &str,
    endpoints: &[Endpoint],
    removing: &BTreeSet<&str>,
    names: &Names,
) -> anyhow::Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    manifest["description"] = value(description(title, endpoints));
    let mut capabilities = Table::new();
    capabilities.insert("network", value(network(endpoints)));
    let credentials = credentials(endpoints, names);
    if !credentials.is_empty() {
        capabilities.insert("credentials", Item::ArrayOfTables(tables(&credentials)));
    }
    manifest.insert("capabilities", Item::Table(capabilities));
    for name in removing {
        manifest["functions"][name]["confirm"] = value(true);
    }
    Ok(manifest.to_string())
}

/// The API, and as many functions as there is room for.
fn description(title: &str, endpoints: &[Endpoint]) -> String {
    let title: String = title.chars().take(DESCRIPTION_CHARACTERS_MAX / 2).collect();
    let mut text = format!(
        "Calls {}: ",
        title.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    for (index, endpoint) in endpoints.iter().enumerate() {
        let name = &endpoint.function.spec.name;
        let rest = endpoints.len() - index;
        if text.chars().count() + name.len() > DESCRIPTION_CHARACTERS_MAX {
            return format!("{}, and {rest} more.", text.trim_end_matches(", "));
        }
        text.push_str(name);
        text.push_str(if rest == 1 { "." } else { ", " });
    }
    text
}

/// The origins, each with the methods that functions use there.
fn network(endpoints: &[Endpoint]) -> Array {
    let mut origins: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for endpoint in endpoints {
        let methods = origins.entry(endpoint.server.origin()).or_default();
        methods.insert(endpoint.function.method);
    }
    let asked = origins.into_iter().map(|(origin, methods)| {
        let mut table = InlineTable::new();
        table.insert("origin", origin.into());
        table.insert("methods", Array::from_iter(methods).into());
        table
    });
    Array::from_iter(asked)
}

/// The credentials of all functions, each once for an origin.
pub(super) fn credentials(endpoints: &[Endpoint], names: &Names) -> Vec<Credential> {
    let mut found: Vec<Credential> = Vec::new();
    for endpoint in endpoints {
        let origin = endpoint.server.origin();
        for credential in &endpoint.function.credentials {
            if found
                .iter()
                .any(|it| it.origin == origin && it.place == credential.place)
            {
                continue;
            }
            let wanted = variable(&credential.place, names);
            let numbered = (2..).map(|number| format!("{wanted}_{number}"));
            let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
            let free = candidates.find(|name| found.iter().all(|it| it.name != *name));
            found.push(Credential {
                name: free.unwrap_or(wanted),
                origin: origin.clone(),
                place: credential.place.clone(),
                why: credential.why.clone(),
            });
        }
    }
    found
}

/// The name of the variable that holds a credential, after the tool.
fn variable(place: &CredentialPlace, names: &Names) -> String {
    let what = match place {
        CredentialPlace::Bearer => "TOKEN",
        CredentialPlace::Basic => "LOGIN",
        _ => "API_KEY",
    };
    format!("{}_{what}", names.key.to_ascii_uppercase())
}

/// The credentials as the manifest's tables.
fn tables(credentials: &[Credential]) -> ArrayOfTables {
    let tables = credentials.iter().map(|credential| {
        let mut table = Table::new();
        table.insert("name", value(credential.name.as_str()));
        table.insert("origin", value(credential.origin.as_str()));
        match (&credential.place, credential.place.template()) {
            (_, Some(header)) => table.insert("header", value(header)),
            (CredentialPlace::Query(name), None) => table.insert("query", value(name.as_str())),
            (_, None) => table.insert("basic", value(true)),
        };
        table.insert("why", value(credential.why.as_str()));
        table
    });
    tables.collect()
}
