//! The `GrantTree`: the grants of a tool, and those of each tool that it depends on.

use std::collections::BTreeMap;

use crate::grants::Grants;
use crate::name::ToolName;

/// The grants of a tool and of all that it depends on. Each has its own; none has another's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantTree {
    /// The grants of the tool itself.
    pub own: Grants,
    /// Those of its dependencies. One that is not here is granted nothing.
    pub dependencies: BTreeMap<ToolName, GrantTree>,
}

impl GrantTree {
    /// The grants of the dependency `name` and of all that it depends on.
    #[must_use]
    pub fn of_dependency(&self, name: &ToolName) -> Self {
        let found = self.dependencies.get(name).cloned();
        found.unwrap_or_else(|| Grants::none().into())
    }

    /// True if neither the tool nor a dependency may do anything but compute.
    pub fn is_none(&self) -> bool {
        self.own.is_none() && self.dependencies.values().all(Self::is_none)
    }
}

/// The grants of a tool whose dependencies, if it has any, are granted nothing.
impl From<Grants> for GrantTree {
    fn from(own: Grants) -> Self {
        Self {
            own,
            dependencies: BTreeMap::new(),
        }
    }
}
