//! Collects the losses of one function's definition, and checks its name and root keywords.

use serde_json::Value;
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::loss::{Loss, LossKind};

/// Collects the losses of one function.
pub(crate) struct Report<'a> {
    pub(crate) function: &'a str,
    pub(crate) losses: &'a mut Vec<Loss>,
}

impl Report<'_> {
    pub(crate) fn add(&mut self, kind: LossKind) {
        self.losses.push(Loss {
            function: self.function.to_owned(),
            kind,
        });
    }

    pub(crate) fn told_in_words(&mut self, pointer: &str, keyword: &str) {
        self.add(LossKind::ToldInWords {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
        });
    }

    pub(crate) fn weakened(&mut self, pointer: &str, keyword: &str) {
        self.add(LossKind::SchemaWeakened {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
        });
    }

    /// The members of a spec that only MCP has a place for.
    pub(super) fn add_title_and_annotations(&mut self, spec: &FunctionSpec) {
        if spec.title.is_some() {
            self.add(LossKind::Title);
        }
        if spec.annotations != Annotations::default() {
            self.add(LossKind::Annotations);
        }
    }

    pub(super) fn check_name(&mut self, length_max: usize, extra: &[u8], rule: &'static str) {
        let valid = (1..=length_max).contains(&self.function.len())
            && self
                .function
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte));
        if !valid {
            self.add(LossKind::NameRefused { rule });
        }
    }

    pub(super) fn check_root(&mut self, schema: &Value, refused: &[&'static str]) {
        for keyword in refused {
            if schema.get(keyword).is_some() {
                self.add(LossKind::RootKeywordRefused { keyword });
            }
        }
    }
}
