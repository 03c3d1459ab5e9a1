//! The `TreeLoad`: counts the tools that are loaded with one, and compiles each component once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tool_hub_manifest::{
    DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, Digest, ToolName, Verified,
};
use wasmtime::component::Component;

use crate::error::HostError;
use crate::load_event::LoadEvent;

/// The load of a tool and of all that it depends on.
pub(super) struct TreeLoad<'a> {
    pub(super) progress: &'a dyn Fn(LoadEvent),
    tools: usize,
    /// The compiled components: one for all the places of a component in the tree.
    components: HashMap<Digest, Component>,
}

impl<'a> TreeLoad<'a> {
    pub(super) fn new(progress: &'a dyn Fn(LoadEvent)) -> Self {
        Self {
            progress,
            tools: 0,
            components: HashMap::new(),
        }
    }

    /// Counts the tool `name`, and refuses a tree that has too many.
    pub(super) fn count(&mut self, depth: usize, name: &ToolName) -> Result<(), HostError> {
        self.tools += 1;
        match self.tools > 1 + DEPENDENCIES_IN_TREE_MAX || depth > DEPENDENCY_DEPTH_MAX {
            true => Err(HostError::TooManyDependencies { tool: name.clone() }),
            false => Ok(()),
        }
    }

    pub(super) fn component(
        &mut self,
        verified: &Verified,
        make: impl FnOnce(&dyn Fn(LoadEvent)) -> Result<Component, HostError>,
    ) -> Result<Component, HostError> {
        match self.components.entry(verified.code_digest()) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(free) => Ok(free.insert(make(self.progress)?).clone()),
        }
    }
}
