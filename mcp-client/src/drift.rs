//! The `Drift` of a server: how what it lists differs from what was approved.

use std::collections::{BTreeMap, BTreeSet};

use tool_hub_host::{Change, inspect_server};
use tool_hub_manifest::{Capabilities, ServerDescription, ServerTool, Source, Verified};

use crate::listing::Listing;

/// The most characters of a difference that an agent is told.
const DIFFERENCE_CHARS_MAX: usize = 600;

/// The differences between the approved tools of a server and those that it lists.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    /// All differences, for the person.
    pub(crate) changes: Vec<Change>,
    /// The functions that are not called any more, with the difference.
    refused: BTreeMap<String, String>,
    /// The tools that were not approved. They are not offered.
    pub(crate) added: Vec<String>,
}

impl Drift {
    /// How `listed` differs from `approved`.
    pub(crate) fn between(approved: &ServerDescription, listed: Listing) -> Self {
        let new = listed.description(approved.start.clone());
        let mut drift = Self {
            changes: changes(approved, &new),
            ..Self::default()
        };
        let find = |tools: &[ServerTool], name: &str| {
            let mut tools = tools.iter();
            tools.find(|tool| tool.name == name).cloned()
        };
        for tool in &approved.tools {
            let difference = match find(&new.tools, &tool.name) {
                Some(now) if now == *tool => continue,
                Some(_) => drift.of(&tool.spec.name),
                None => "the server does not list it any more".to_owned(),
            };
            drift.refused.insert(tool.spec.name.clone(), difference);
        }
        let added = new.tools.iter();
        let added = added.filter(|tool| find(&approved.tools, &tool.name).is_none());
        drift.added = added.map(|tool| tool.name.clone()).collect();
        drift
    }

    /// True if nothing differs that anybody has to know.
    pub(crate) fn is_empty(&self) -> bool {
        self.refused.is_empty() && self.added.is_empty()
    }

    /// How `function` differs, if it does.
    pub(crate) fn refused(&self, function: &str) -> Option<&str> {
        self.refused.get(function).map(String::as_str)
    }

    /// The changes of `function`, in words.
    fn of(&self, function: &str) -> String {
        let is_of_it = |change: &&Change| {
            let rest = change.what.strip_prefix(function);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let lines: Vec<String> = self
            .changes
            .iter()
            .filter(is_of_it)
            .map(ToString::to_string)
            .collect();
        let text = match lines.is_empty() {
            true => "it differs from what was approved".to_owned(),
            false => lines.join("\n"),
        };
        text.chars().take(DIFFERENCE_CHARS_MAX).collect()
    }
}

/// The differences as a person approves them. Both are one server's, started in one way.
fn changes(approved: &ServerDescription, new: &ServerDescription) -> Vec<Change> {
    let terms = |description: &ServerDescription| {
        let name = "server".parse().ok()?;
        let package = description.package(name, Capabilities::default());
        let inspection = inspect_server(&Verified::check(package).ok()?).ok()?;
        let path = "server".into();
        Some(inspection.terms(Source::File { path }, None, None, BTreeSet::new()))
    };
    match (terms(approved), terms(new)) {
        (Some(old), Some(new)) => {
            let changes = old.changes(&new).into_iter();
            // The digests of the descriptions differ whenever anything does.
            let says_something =
                |it: &Change| !it.what.starts_with("code") && !it.what.starts_with("manifest");
            changes.filter(says_something).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_hub_manifest::{Annotations, FunctionSpec, ServerStart};

    use super::*;

    fn tool(name: &str, description: &str) -> ServerTool {
        ServerTool {
            name: name.to_owned(),
            spec: FunctionSpec {
                name: name.replace('-', "_"),
                title: None,
                description: description.to_owned(),
                input_schema: json!({ "type": "object" }),
                output_schema: None,
                annotations: Annotations::default(),
            },
        }
    }

    fn listing(tools: Vec<ServerTool>) -> Listing {
        Listing {
            name: "demo".to_owned(),
            version: "1.0.0".to_owned(),
            tools,
            refused: Vec::new(),
            prompts: false,
            resources: false,
        }
    }

    fn drift(now: Vec<ServerTool>) -> Drift {
        let url = "https://mcp.example/".parse().unwrap();
        let approved = listing(vec![tool("get-sum", "Adds."), tool("get", "Gets.")]);
        let approved = approved.description(ServerStart::Remote { url });
        Drift::between(&approved, listing(now))
    }

    #[test]
    fn the_same_list_in_another_order_is_no_drift() {
        let drift = drift(vec![tool("get", "Gets."), tool("get-sum", "Adds.")]);
        assert!(drift.is_empty());
        assert!(drift.changes.is_empty(), "{:?}", drift.changes);
    }

    #[test]
    fn what_changed_or_is_gone_is_refused_and_what_was_added_is_told() {
        let drift = drift(vec![
            tool("get-sum", "Adds, and tells."),
            tool("new", "New."),
        ]);
        let changed = drift.refused("get_sum").unwrap();
        assert!(
            changed.contains("+ get_sum: description: Adds, and tells."),
            "{changed}"
        );
        assert_eq!(
            drift.refused("get"),
            Some("the server does not list it any more")
        );
        assert_eq!(drift.added, ["new"]);
    }
}
