//! The `ConstraintCache`: compiles constraints for servers, and keeps those that were used last.

use std::num::NonZeroUsize;
use std::sync::Arc;

use indexmap::IndexMap;
use tool_hub_manifest::Digest;

use super::backend::Backend;
use super::compile::{Constraint, Kind};
use super::error::ConstraintError;
use super::request::RequestMembers;

/// Compiles constraints and remembers those that were used last, by their digest.
#[derive(Debug)]
pub struct ConstraintCache {
    /// In the order of their use.
    known: IndexMap<(Digest, Backend), Arc<RequestMembers>>,
    entries_max: NonZeroUsize,
}

impl ConstraintCache {
    /// A cache of at most `entries_max` constraints.
    pub fn new(entries_max: NonZeroUsize) -> Self {
        Self {
            known: IndexMap::new(),
            entries_max,
        }
    }

    /// The constraint for `backend`. See [`Constraint::for_backend`].
    ///
    /// # Errors
    /// Those of [`Constraint::for_backend`]. They are not remembered.
    pub fn compile(
        &mut self,
        constraint: &Constraint,
        backend: Backend,
    ) -> Result<Arc<RequestMembers>, ConstraintError> {
        let key = (constraint.digest(), backend);
        if let Some(known) = self.known.shift_remove(&key) {
            self.known.insert(key, known.clone());
            return Ok(known);
        }
        let compiled = Arc::new(constraint.for_backend(backend)?);
        if self.known.len() >= self.entries_max.get() {
            self.known.shift_remove_index(0);
        }
        self.known.insert(key, compiled.clone());
        Ok(compiled)
    }
}

impl Constraint {
    /// A digest of the constraint, including the order of members, which grammars follow.
    fn digest(&self) -> Digest {
        let (kind, text) = match &self.kind {
            Kind::Json(schema) => ("json", schema.to_string()),
            Kind::Calls(calls) => ("calls", calls.schema().to_string()),
            Kind::Regex(regex) => ("regex", regex.clone()),
            Kind::Choice(texts) => ("choice", serde_json::Value::from(texts.clone()).to_string()),
            Kind::Grammar(format, text) => (format.as_str(), text.clone()),
        };
        Digest::of(format!("{kind} {text}").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_remembered() {
        let mut cache = ConstraintCache::new(NonZeroUsize::new(2).unwrap());
        let [a, b, c] = ["a", "b", "c"].map(|text| Constraint::choice([text]));
        let mut compile = |constraint| cache.compile(constraint, Backend::LlamaCpp).unwrap();
        let first = compile(&a);
        compile(&b);
        assert!(Arc::ptr_eq(&first, &compile(&a)));
        compile(&c);
        assert!(Arc::ptr_eq(&first, &compile(&a)));
        compile(&b);
        compile(&c);
        assert!(!Arc::ptr_eq(&first, &compile(&a)));
    }

    #[test]
    fn kinds_and_servers_are_told_apart() {
        let mut cache = ConstraintCache::new(NonZeroUsize::new(8).unwrap());
        let (text, regex) = (Constraint::choice(["a"]), Constraint::regex("[\"a\"]"));
        let one = cache.compile(&text, Backend::Vllm).unwrap();
        let other = cache.compile(&regex, Backend::Vllm).unwrap();
        let third = cache.compile(&text, Backend::Tgi).unwrap();
        assert!(one != other && one != third);
    }
}
