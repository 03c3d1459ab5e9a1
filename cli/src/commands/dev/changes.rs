//! Compares the functions of two builds as models see them: added, removed and changed ones.

use serde::Serialize;
use tool_hub_manifest::FunctionSpec;

/// The names of functions that differ between two builds.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct FunctionChanges {
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    /// Those with another description, other arguments or another result. What they do is no part
    /// of this.
    pub(super) changed: Vec<String>,
}

impl FunctionChanges {
    pub(super) fn between(before: &[FunctionSpec], now: &[FunctionSpec]) -> Self {
        let mut changes = Self::default();
        for spec in now {
            match before.iter().find(|before| before.name == spec.name) {
                None => changes.added.push(spec.name.clone()),
                Some(before) if before != spec => changes.changed.push(spec.name.clone()),
                Some(_) => {}
            }
        }
        let is_gone = |spec: &&FunctionSpec| now.iter().all(|now| now.name != spec.name);
        let gone = before.iter().filter(is_gone);
        changes.removed.extend(gone.map(|spec| spec.name.clone()));
        changes
    }

    /// True if a model sees `name` otherwise than before.
    pub(super) fn shows(&self, name: &str) -> bool {
        self.added.iter().chain(&self.changed).any(|it| it == name)
    }

    /// A line for each kind of change that there is.
    pub(super) fn lines(&self) -> Vec<String> {
        let kinds = [
            ("added", &self.added),
            ("removed", &self.removed),
            ("changed", &self.changed),
        ];
        let there_are = kinds.into_iter().filter(|(_, names)| !names.is_empty());
        there_are
            .map(|(kind, names)| format!("{kind}: {}", names.join(", ")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn specs(functions: &[(&str, &str)]) -> Vec<FunctionSpec> {
        let specs = functions.iter().map(|(name, description)| FunctionSpec {
            name: (*name).to_owned(),
            title: None,
            description: (*description).to_owned(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            annotations: Default::default(),
        });
        specs.collect()
    }

    #[test]
    fn each_function_is_told_once() {
        let before = specs(&[("a", "one"), ("b", "two"), ("c", "three")]);
        let now = specs(&[("d", "four"), ("a", "one"), ("b", "other")]);
        let changes = FunctionChanges::between(&before, &now);
        assert_eq!(changes.lines(), ["added: d", "removed: c", "changed: b"]);
        assert!(changes.shows("d") && changes.shows("b") && !changes.shows("a"));
        assert!(FunctionChanges::between(&now, &now).lines().is_empty());
    }
}
