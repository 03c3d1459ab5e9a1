//! The tool `sequentialthinking` beside the server of the reference.

use serde_json::json;

use super::pair::{Pair, of_node};
use crate::support::Home;

pub(super) fn sequentialthinking() {
    let home = Home::new();
    let server = of_node("sequential-thinking");
    let mut pair = Pair::start(
        server,
        &home,
        "sequentialthinking",
        &["--allow-storage"],
        &[],
    );
    for more in [
        json!({ "thoughtNumber": 1, "totalThoughts": 3 }),
        json!({ "thoughtNumber": 2, "totalThoughts": 3, "branchFromThought": 1, "branchId": "other" }),
        json!({ "thoughtNumber": 4, "totalThoughts": 3, "isRevision": true, "revisesThought": 1 }),
    ] {
        let mut thought = json!({ "thought": "So it is.", "nextThoughtNeeded": true });
        let members = thought.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        pair.same("sequentialthinking", thought);
    }
    let none = json!({ "thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 0, "totalThoughts": 1 });
    pair.both_refuse("sequentialthinking", none);
}
