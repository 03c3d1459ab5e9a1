//! The tool `memory` beside `@modelcontextprotocol/server-memory`.

use serde_json::json;

use super::pair::{Pair, of_node};
use crate::support::Home;

pub(super) fn memory() {
    let home = Home::new();
    let mut server = of_node("memory");
    server.env("MEMORY_FILE_PATH", home.work().join("memory.jsonl"));
    let mut pair = Pair::start(server, &home, "memory", &["--allow-storage"], &[]);

    let relations = json!([{ "from": "Ada", "to": "Engine", "relationType": "writes about" }]);
    for (function, arguments) in [
        ("read_graph", json!({})),
        (
            "create_entities",
            json!({ "entities": [
            { "name": "Ada", "entityType": "person", "observations": ["likes tea"] },
            { "name": "Engine", "entityType": "machine", "observations": [] },
        ] }),
        ),
        (
            "create_entities",
            json!({ "entities": [{ "name": "Ada", "entityType": "robot", "observations": [] }] }),
        ),
        ("create_relations", json!({ "relations": relations })),
        ("create_relations", json!({ "relations": relations })),
        (
            "add_observations",
            json!({ "observations": [{ "entityName": "Ada", "contents": ["likes tea", "plays the härp"] }] }),
        ),
        ("search_nodes", json!({ "query": "HÄRP" })),
        ("open_nodes", json!({ "names": ["Engine", "nobody"] })),
        ("read_graph", json!({})),
        (
            "delete_observations",
            json!({ "deletions": [{ "entityName": "Ada", "observations": ["likes tea"] }] }),
        ),
        ("delete_relations", json!({ "relations": relations })),
        ("delete_entities", json!({ "entityNames": ["Engine"] })),
        ("read_graph", json!({})),
    ] {
        pair.same(function, arguments.clone());
        if function.starts_with("read") {
            // What programs read is the same too, and not only the text.
            let (expected, found) = pair.answers(function, &arguments);
            assert_eq!(
                found["structuredContent"], expected["structuredContent"],
                "{function}"
            );
        }
    }
    let unknown = json!({ "observations": [{ "entityName": "Bob", "contents": ["x"] }] });
    pair.both_refuse("add_observations", unknown);
}
