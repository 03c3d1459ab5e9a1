//! The `GrantPlace` that `tool grant` and `tool revoke` change: a tool, or one that it depends on.

use tool_hub_manifest::{GrantTree, Grants, LockedTool, ToolName};
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};

use crate::terminal::problem::Problem;

/// A tool of the toolbox, or a dependency of one.
pub(crate) struct GrantPlace<'a> {
    /// The name by which the user called it.
    pub(crate) name: String,
    /// The tool of the toolbox.
    pub(crate) member: Member<'a>,
    /// The names that lead to the dependency; none for the tool itself.
    pub(crate) path: Vec<ToolName>,
    /// The record of what is at that path.
    pub(crate) locked: &'a LockedTool,
}

impl<'a> GrantPlace<'a> {
    /// The place that the user calls `name`: `forecast`, or `forecast.units` for what `forecast`
    /// calls `units`.
    ///
    /// # Errors
    /// When there is no such tool or dependency, or it cannot be used as it stands.
    pub(crate) fn of(name: &str, toolbox: &'a OpenToolbox) -> anyhow::Result<Self> {
        let mut words = name.split('.');
        let member = toolbox.member(words.next().unwrap_or_default())?;
        let (mut locked, mut path) = (member.locked, Vec::new());
        for word in words {
            let mut dependencies = locked.dependencies.iter();
            let Some((name, found)) = dependencies.find(|(name, _)| name.as_str() == word) else {
                return Err(no_dependency(locked, word));
            };
            path.push(name.clone());
            locked = found;
        }
        let names = path.iter().map(|name| format!(".{name}"));
        Ok(Self {
            name: format!("{}{}", member.key, names.collect::<String>()),
            member,
            path,
            locked,
        })
    }

    /// The grants of this place in `grants`, those of the whole tool.
    pub(crate) fn grants_in<'b>(&self, grants: &'b mut GrantTree) -> &'b mut Grants {
        let place = self.path.iter().fold(grants, |grants, name| {
            let dependencies = &mut grants.dependencies;
            dependencies
                .entry(name.clone())
                .or_insert_with(|| Grants::none().into())
        });
        &mut place.own
    }
}

fn no_dependency(locked: &LockedTool, word: &str) -> anyhow::Error {
    let known: Vec<&str> = locked.dependencies.keys().map(|it| it.as_str()).collect();
    let problem = Problem::user(format!("there is no dependency `{word}`"));
    match known.is_empty() {
        true => problem.hint("the tool depends on no other"),
        false => problem.hint(format!("it depends on: {}", known.join(", "))),
    }
    .into()
}
