//! Defers definitions: the model finds them by the tool search of OpenAI Responses or Anthropic.

use serde_json::{Value, json};

use super::Export;
use crate::definition::Dialect;

impl Export {
    /// The same definitions, to be loaded by the tool search of the API that `dialect` is of, which
    /// is the first tool. `None` if the API has no such search.
    pub fn deferred(mut self, dialect: Dialect) -> Option<Self> {
        let search = match dialect {
            Dialect::Responses | Dialect::ResponsesStrict => json!({"type": "tool_search"}),
            Dialect::Anthropic => {
                json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"})
            }
            Dialect::OpenAi | Dialect::OpenAiStrict | Dialect::Mcp | Dialect::HuggingFace => {
                return None;
            }
        };
        let tools = self.tools.as_array_mut()?;
        for tool in tools.iter_mut() {
            tool["defer_loading"] = Value::Bool(true);
        }
        tools.insert(0, search);
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::export::export;
    use tool_hub_manifest::{Annotations, FunctionSpec};

    #[test]
    fn every_definition_waits_for_a_search() {
        let spec = FunctionSpec {
            name: "add".into(),
            title: None,
            description: "Adds.".into(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: Annotations::default(),
        };
        for &dialect in Dialect::ALL {
            let plain = export(std::slice::from_ref(&spec), dialect);
            let Some(deferred) = plain.clone().deferred(dialect) else {
                assert!(!["responses", "anthropic"].contains(&dialect.as_str()));
                continue;
            };
            let [search, tool] = &deferred.tools.as_array().unwrap()[..] else {
                panic!("{}", deferred.tools);
            };
            assert!(search["type"].as_str().unwrap().starts_with("tool_search"));
            let mut expect = plain.tools[0].clone();
            expect["defer_loading"] = true.into();
            assert_eq!(*tool, expect);
        }
    }
}
