//! Finds the status of each tool of a toolbox: whether this user approved it as it is written
//! there, and what is wrong otherwise.

use std::collections::BTreeSet;

use tool_hub_host::Change;
use tool_hub_manifest::{FunctionName, LockedTool, ToolKey, ToolboxEntry};

use super::{Member, OpenToolbox};
use crate::consent::difference;
use crate::terminal::diagnosis;
use crate::terminal::messages::nearest;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// One tool as the toolbox names it, whether it can be used or not.
pub(crate) struct ToolStatus<'a> {
    pub(crate) key: &'a ToolKey,
    pub(crate) entry: &'a ToolboxEntry,
    pub(crate) member: Result<Member<'a>, Unusable>,
}

/// The reason why a tool cannot be used as it stands in the toolbox.
pub(crate) struct Unusable {
    /// In two or three words, for a table.
    pub(crate) state: &'static str,
    /// In full, with what to do about it.
    pub(crate) problem: Problem,
}

const NOT_APPROVED: &str = "not approved";
const CHANGED: &str = "changed since approval";
const NOT_SIGNED: &str = "not signed";

impl OpenToolbox {
    /// Every tool, in the order of the toolbox.
    ///
    /// # Errors
    /// When one of them cannot be used as it stands.
    pub(crate) fn members(&self) -> anyhow::Result<Vec<Member<'_>>> {
        self.statuses()
            .into_iter()
            .map(|status| status.member.map_err(|unusable| unusable.problem.into()))
            .collect()
    }

    /// The tool called `key`.
    ///
    /// # Errors
    /// When there is none, or when it cannot be used as it stands.
    pub(crate) fn member(&self, key: &str) -> anyhow::Result<Member<'_>> {
        let (key, entry) = self.named(key)?;
        let status = self.status(key, entry);
        Ok(status.member.map_err(|unusable| unusable.problem)?)
    }

    /// Every tool, in the order of the toolbox.
    pub(crate) fn statuses(&self) -> Vec<ToolStatus<'_>> {
        self.toolbox
            .tools
            .iter()
            .map(|(key, entry)| self.status(key, entry))
            .collect()
    }

    /// The tools called `names`, in that order; every tool when no name is given.
    ///
    /// # Errors
    /// When there is no tool of a name.
    pub(crate) fn chosen(&self, names: &[String]) -> anyhow::Result<Vec<ToolStatus<'_>>> {
        if names.is_empty() {
            return Ok(self.statuses());
        }
        let named = |name: &String| {
            let (key, entry) = self.named(name)?;
            Ok(self.status(key, entry))
        };
        names.iter().map(named).collect()
    }

    /// The tools that can be offered to an agent: those called `names`, or, when no name is
    /// given, every one that is usable. The others are warned about and left out, so that
    /// one line of a shared toolbox does not take away what the agent relies on.
    ///
    /// # Errors
    /// When a tool that was named, or every tool there is, cannot be used, and when one is named
    /// twice.
    pub(crate) fn usable(
        &self,
        names: &[String],
        printer: &Printer,
    ) -> anyhow::Result<Vec<Member<'_>>> {
        let statuses = self.chosen(names)?;
        let mut named = BTreeSet::new();
        if let Some(twice) = statuses.iter().find(|one| !named.insert(one.key)) {
            let twice = format!("the tool `{}` is named twice", twice.key);
            return Err(Problem::user(twice).hint("name each tool once").into());
        }
        let all_or_none = !names.is_empty() || statuses.iter().all(|one| one.member.is_err());
        let mut usable = Vec::new();
        for status in statuses {
            match status.member {
                Ok(member) => {
                    member.warn_if_changed(printer);
                    usable.push(member);
                }
                Err(unusable) if all_or_none => return Err(unusable.problem.into()),
                Err(unusable) => left_out(&unusable.problem.into(), printer),
            }
        }
        Ok(usable)
    }

    /// The members that are left now that the toolbox is another one: a tool that was taken away,
    /// or is not approved any more, is gone, whoever relies on it.
    pub(crate) fn still_usable(&self, names: &[String], printer: &Printer) -> Vec<Member<'_>> {
        let statuses = match names {
            [] => self.statuses(),
            names => {
                let found = names.iter().map(|name| self.named(name));
                let found = found.filter_map(|found| match found {
                    Ok((key, entry)) => Some(self.status(key, entry)),
                    Err(error) => {
                        left_out(&error, printer);
                        None
                    }
                });
                found.collect()
            }
        };
        let members = statuses.into_iter().map(|status| status.member);
        let usable = members.filter_map(|member| match member {
            Ok(member) => Some(member),
            Err(unusable) => {
                left_out(&unusable.problem.into(), printer);
                None
            }
        });
        usable.collect()
    }

    pub(super) fn status<'a>(
        &'a self,
        key: &'a ToolKey,
        entry: &'a ToolboxEntry,
    ) -> ToolStatus<'a> {
        ToolStatus {
            key,
            entry,
            member: self.approved(key, entry),
        }
    }

    /// The tool that this user last approved as `key`, whatever the toolbox says since.
    pub(crate) fn last_approved(&self, key: &ToolKey) -> Option<&LockedTool> {
        let locked = self.lock.tools.get(key)?;
        (self.is_named(key, locked) && self.approvals.holds(locked)).then_some(locked)
    }

    /// True if `locked` was approved under the name `key`. An older `tool` recorded no name: in the
    /// user's own toolbox nobody else gave it another one, and in a project anybody may have.
    fn is_named(&self, key: &ToolKey, locked: &LockedTool) -> bool {
        match &locked.name {
            Some(name) => name == key,
            None => self.is_the_users,
        }
    }

    /// Decides whether a tool is approved in its present state. No other code decides this.
    fn approved<'a>(
        &'a self,
        key: &'a ToolKey,
        entry: &'a ToolboxEntry,
    ) -> Result<Member<'a>, Unusable> {
        let refused = |why: &str| Unusable {
            state: NOT_APPROVED,
            problem: Problem::refused(format!("`{key}` {why}"))
                .hint(format!("run: tool load {} --as {key}", origin(key, entry))),
        };
        let Some(locked) = self.lock.tools.get(key) else {
            return Err(refused("was never approved"));
        };
        if !is_same_source(entry, locked) {
            return Err(refused(
                "was approved from another place than the toolbox names",
            ));
        }
        if let Some(required) = self.approvals.missing_signature(locked) {
            let keys = required.fingerprints();
            let place = required.place().display();
            return Err(Unusable {
                state: NOT_SIGNED,
                ..refused(&format!(
                    "is not approved with a signature of {keys}, which {place} requires"
                ))
            });
        }
        if self.last_approved(key).is_none() {
            return Err(refused(match &locked.name {
                None if self.approvals.holds(locked) => {
                    "was approved by an older `tool`, which did not record under which name"
                }
                _ => "is recorded in toolbox.lock, but not with your approval",
            }));
        }
        self.every_function_is_known(key, entry, locked)?;
        let changes = Change::between_overrides(&locked.overrides, &entry.overrides());
        if !changes.is_empty() {
            let changes = difference::lines(&changes).join("\n");
            let why =
                format!("has texts for agents that differ from those you approved:\n{changes}");
            let problem = Problem::refused(format!("`{key}` {why}"));
            return Err(Unusable {
                state: CHANGED,
                problem: problem.hint(format!("run: tool load {key}")),
            });
        }
        Ok(Member { key, entry, locked })
    }

    /// Refuses texts of the toolbox for a function that the tool does not have: nobody would read
    /// them.
    fn every_function_is_known(
        &self,
        key: &ToolKey,
        entry: &ToolboxEntry,
        locked: &LockedTool,
    ) -> Result<(), Unusable> {
        let mut named = entry.functions.keys();
        let Some(unknown) = named.find(|name| !locked.functions.contains_key(*name)) else {
            return Ok(());
        };
        let known: Vec<&str> = locked.functions.keys().map(FunctionName::as_str).collect();
        let hint = match nearest(unknown.as_str(), &known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("it has: {}", known.join(", ")),
        };
        let problem = Problem::user(format!(
            "{} describes `{unknown}`, a function that `{key}` does not have",
            self.path().display()
        ));
        Err(Unusable {
            state: "wrong function",
            problem: problem.hint(hint),
        })
    }
}

/// The place from which the toolbox takes a tool.
pub(crate) fn origin(key: &ToolKey, entry: &ToolboxEntry) -> String {
    match (&entry.repo, &entry.path) {
        (Some(repo), _) => repo.to_string(),
        (None, Some(path)) => path.display().to_string(),
        (None, None) => key.to_string(),
    }
}

/// True if a toolbox entry names the place that was approved. Without this an edit of `repo` would
/// go on running the old bytes under the new name.
fn is_same_source(entry: &ToolboxEntry, locked: &LockedTool) -> bool {
    use tool_hub_manifest::Source;
    match &locked.source {
        Source::Registry { repo, endpoint, .. } => {
            entry.repo.as_ref() == Some(repo)
                && entry
                    .endpoint
                    .as_ref()
                    .is_none_or(|named| named == endpoint)
        }
        Source::File { path } => entry.path.as_ref() == Some(path),
    }
}

fn left_out(error: &anyhow::Error, printer: &Printer) {
    printer.warning(&format!("left out: {error}"));
    for hint in diagnosis::of(error).hints {
        printer.hint(&hint);
    }
}
