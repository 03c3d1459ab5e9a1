//! The flag that grants rights to the tools that a tool calls, where no toolbox keeps its grants.

use std::str::FromStr;
use std::sync::Arc;

use clap::{Args, Command, FromArgMatches as _};
use tool_hub_host::Inspection;
use tool_hub_manifest::{GrantTree, Grants, ToolName};
use tool_hub_toolbox::loaded::GrantAdvice;

use crate::consent::grant_flags;
use crate::consent::rights_flags::RightsFlags;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

/// The `--dependency` flags: rights for the tools that a tool calls.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DependencyFlags {
    /// Grant rights to a tool that this one calls: its name there and the flags of its rights, as
    /// in --dependency 'units --allow-storage' (repeatable)
    ///
    /// `units.base` is what `units` calls `base`. Each tool has only the rights that are granted
    /// to it by its own name.
    #[arg(long = "dependency", value_name = "NAME FLAGS")]
    rights: Vec<DependencyRights>,
}

/// The rights of one tool that another calls.
#[derive(Debug, Clone)]
struct DependencyRights {
    /// The names that lead to it.
    path: Vec<ToolName>,
    rights: RightsFlags,
}

impl FromStr for DependencyRights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = shell_words::split(text).map_err(|error| error.to_string())?;
        let (path, flags) = words.split_first().ok_or("the name is missing")?;
        let path = path.split('.').map(str::parse).collect::<Result<_, _>>();
        let parser = RightsFlags::augment_args(Command::new("--dependency"));
        let parser = parser.no_binary_name(true).disable_help_flag(true);
        let matches = parser.try_get_matches_from(flags).map_err(first_line)?;
        let rights = RightsFlags::from_arg_matches(&matches).map_err(first_line)?;
        match rights.grants_something() {
            true => Ok(Self {
                path: path.map_err(|error| format!("{error}"))?,
                rights,
            }),
            false => Err("write it as 'NAME --allow-…', with what it is granted".to_owned()),
        }
    }
}

fn first_line(error: clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

impl DependencyFlags {
    /// True if no flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.rights.is_empty()
    }

    /// The grants of all that the tool of `inspection` depends on; the tool itself has none.
    ///
    /// # Errors
    /// If it does not depend on a tool that is named, and as [`RightsFlags::grants`].
    pub(crate) fn granted(
        &self,
        inspection: &Inspection,
        config: &Config,
    ) -> anyhow::Result<GrantTree> {
        let mut tree = GrantTree::from(Grants::none());
        for DependencyRights { path, rights } in &self.rights {
            let (mut inspection, mut granted) = (inspection, &mut tree);
            for name in path {
                inspection = match inspection.dependencies.get(name) {
                    Some(found) => found,
                    None => return Err(not_called(inspection, name).into()),
                };
                let dependencies = &mut granted.dependencies;
                let none = || Grants::none().into();
                granted = dependencies.entry(name.clone()).or_insert_with(none);
            }
            let asked = &inspection.verified().manifest().capabilities;
            granted.own = rights.grants(asked, granted.own.clone(), config)?;
        }
        Ok(tree)
    }
}

fn not_called(inspection: &Inspection, name: &ToolName) -> Problem {
    let caller = &inspection.name;
    let problem = Problem::user(format!("`{caller}` does not depend on a tool `{name}`"));
    let known: Vec<&str> = inspection
        .dependencies
        .keys()
        .map(|it| it.as_str())
        .collect();
    match known.is_empty() {
        true => problem.hint("it depends on no other tool; leave --dependency out"),
        false => problem.hint(format!("it depends on: {}", known.join(", "))),
    }
}

/// Says with which flags `command` grants the tool `name`, or one that it calls, more.
pub(crate) fn advice(command: String, name: String) -> GrantAdvice {
    Arc::new(move |called, grants| {
        let below = called.strip_prefix(&name);
        match below.and_then(|below| below.strip_prefix('.')) {
            Some(path) => grant_flags::command_for_dependency(&command, path, grants),
            None => grant_flags::command(&command, grants),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_names_a_tool_and_its_rights() {
        let read = |text: &str| text.parse::<DependencyRights>();
        let found = read("units.base --allow-var KEY --allow-storage").unwrap();
        assert_eq!(found.path.len(), 2);
        assert!(found.rights.storage && found.rights.variables.len() == 1);
        for (wrong, expected) in [
            ("", "the name is missing"),
            ("units", "write it as 'NAME --allow-…'"),
            ("Units! --allow-storage", "Units!"),
            ("units --approve x", "unexpected argument '--approve'"),
            ("units --allow-network nowhere", "invalid value 'nowhere'"),
            ("units '", "missing closing quote"),
        ] {
            let error = read(wrong).unwrap_err();
            assert!(error.contains(expected), "{wrong}: {error}");
        }
    }
}
