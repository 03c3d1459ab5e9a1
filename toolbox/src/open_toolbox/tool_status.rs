//! Finds each tool's `ToolStatus`: approved as the toolbox has it, or not; selects usable ones.

use std::collections::BTreeSet;

use tool_hub_host::Change;
use tool_hub_manifest::{
    LockedTool, Revision, Severity, Source, ToolKey, ToolName, ToolRef, ToolboxEntry,
};

use super::{Member, OpenToolbox};
use crate::advisories::advisory::RefusedVersion;
use crate::error::Error;
use crate::malicious_version::MaliciousVersion;
use crate::not_approved::NotApproved;
use crate::notices::{Notice, Notices};
use crate::policy::subject::RightsSubject;

/// One tool as the toolbox names it, whether it can be used or not.
#[derive(Debug)]
pub struct ToolStatus<'a> {
    /// Its name in the toolbox.
    pub key: &'a ToolKey,
    /// What people wrote.
    pub entry: &'a ToolboxEntry,
    /// The tool, or the reason why it cannot be used as it stands: [`Error::NotApproved`],
    /// [`Error::NotSigned`], [`Error::TextsChanged`], [`Error::UnknownFunction`],
    /// [`Error::Malicious`], [`Error::Advised`] or [`Error::Policy`].
    pub member: Result<Member<'a>, Error>,
}

impl OpenToolbox {
    /// Every tool, in the order of the toolbox.
    ///
    /// # Errors
    /// When one of them cannot be used as it stands.
    pub fn members(&self) -> Result<Vec<Member<'_>>, Error> {
        let statuses = self.statuses().into_iter();
        statuses.map(|status| status.member).collect()
    }

    /// The tool called `key`.
    ///
    /// # Errors
    /// When there is none, or when it cannot be used as it stands.
    pub fn member(&self, key: &str) -> Result<Member<'_>, Error> {
        let (key, entry) = self.named(key)?;
        self.status(key, entry).member
    }

    /// Every tool, in the order of the toolbox.
    pub fn statuses(&self) -> Vec<ToolStatus<'_>> {
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
    pub fn chosen(&self, names: &[String]) -> Result<Vec<ToolStatus<'_>>, Error> {
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
    /// given, every one that is usable. The others are told to `notices` and left out, so that
    /// one line of a shared toolbox does not take away what the agent relies on.
    ///
    /// # Errors
    /// When a tool that was named, or every tool there is, cannot be used, and when one is named
    /// twice.
    pub fn usable(
        &self,
        names: &[String],
        notices: &dyn Notices,
    ) -> Result<Vec<Member<'_>>, Error> {
        let statuses = self.chosen(names)?;
        let mut named = BTreeSet::new();
        if let Some(twice) = statuses.iter().find(|one| !named.insert(one.key)) {
            return Err(Error::NamedTwice {
                key: twice.key.clone(),
            });
        }
        let all_or_none = !names.is_empty() || statuses.iter().all(|one| one.member.is_err());
        let mut usable = Vec::new();
        for status in statuses {
            match status.member {
                Ok(member) => {
                    member.notice_if_changed(notices);
                    self.notice_yanks(member, notices);
                    self.notice_advisories(member, notices);
                    usable.push(member);
                }
                Err(unusable) if all_or_none => return Err(unusable),
                Err(error) => notices.notice(&Notice::LeftOut { error: &error }),
            }
        }
        Ok(usable)
    }

    /// The members that can still be used after the toolbox was changed. A tool that was removed,
    /// or is no longer approved, is left out, whoever relies on it.
    pub fn still_usable(&self, names: &[String], notices: &dyn Notices) -> Vec<Member<'_>> {
        let statuses = match names {
            [] => self.statuses(),
            names => {
                let found = names.iter().map(|name| self.named(name));
                let found = found.filter_map(|found| match found {
                    Ok((key, entry)) => Some(self.status(key, entry)),
                    Err(error) => {
                        notices.notice(&Notice::LeftOut { error: &error });
                        None
                    }
                });
                found.collect()
            }
        };
        let members = statuses.into_iter().map(|status| status.member);
        let usable = members.filter_map(|member| match member {
            Ok(member) => {
                self.notice_yanks(member, notices);
                self.notice_advisories(member, notices);
                Some(member)
            }
            Err(error) => {
                notices.notice(&Notice::LeftOut { error: &error });
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
    pub fn last_approved(&self, key: &ToolKey) -> Option<&LockedTool> {
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
    ) -> Result<Member<'a>, Error> {
        let refused = |why| Error::NotApproved {
            key: key.clone(),
            origin: reference(key, entry),
            why,
        };
        let Some(locked) = self.lock.tools.get(key) else {
            return Err(refused(NotApproved::Never));
        };
        if !is_same_source(entry, locked) {
            return Err(refused(NotApproved::OtherPlace));
        }
        if let Some(required) = self.approvals.missing_signature(locked) {
            return Err(Error::NotSigned {
                key: key.clone(),
                origin: reference(key, entry),
                keys: required.fingerprints(),
                place: required.place().to_owned(),
            });
        }
        if self.last_approved(key).is_none() {
            return Err(refused(match &locked.name {
                None if self.approvals.holds(locked) => NotApproved::Unnamed,
                _ => NotApproved::NotByThisUser,
            }));
        }
        self.every_function_is_known(key, entry, locked)?;
        let changes = Change::between_overrides(&locked.overrides, &entry.overrides());
        if !changes.is_empty() {
            return Err(Error::TextsChanged {
                key: key.clone(),
                changes,
            });
        }
        let yank = self.known_releases.yank_of(locked);
        for (path, locked) in locked.tree() {
            let called = (!path.is_empty()).then(|| locked.source.short_name());
            let yank = self.known_releases.yank_of(locked);
            if let Some(yank) = yank.filter(|yank| yank.severity == Severity::Malicious) {
                return Err(Error::Malicious(Box::new(MaliciousVersion {
                    key: key.clone(),
                    origin: origin(key, entry),
                    called,
                    version: locked.version.clone(),
                    grants: locked.grants.clone(),
                    yank: yank.clone(),
                })));
            }
            self.no_advisory_refuses((key, entry), called, locked)?;
        }
        let member = Member {
            key,
            entry,
            locked,
            yank,
        };
        self.no_policy_refuses(member)?;
        Ok(member)
    }

    /// Refuses what a policy does not allow, as far as the lock tells. Whoever loads the tool looks
    /// at its manifest, too.
    fn no_policy_refuses(&self, member: Member<'_>) -> Result<(), Error> {
        if self.policies.is_empty() {
            return Ok(());
        }
        for (path, locked) in member.locked.tree() {
            let name = format!("`{}`", dotted(member.key, &path));
            let origin = self.origin_subject(locked);
            self.policies.check_origin(&name, &origin)?;
            let grants = match path.is_empty() {
                true => member.grants(),
                false => locked.grants.clone(),
            };
            let rights = RightsSubject {
                grants: &grants,
                limits: None,
            };
            self.policies.check_rights(&name, &rights)?;
        }
        Ok(())
    }

    /// Refuses a version that an advisory says must not be used, unless it was approved in spite of
    /// that very advisory.
    fn no_advisory_refuses(
        &self,
        (key, entry): (&ToolKey, &ToolboxEntry),
        called: Option<String>,
        locked: &LockedTool,
    ) -> Result<(), Error> {
        let found = self.known_advisories.about_locked(locked).into_iter();
        let mut refusing = found.filter(|found| found.refuses(locked));
        refusing.next().map_or(Ok(()), |found| {
            let tool = origin(key, entry);
            let (origin, called_by) = match called {
                None => (tool, None),
                Some(called) => (called, Some(tool)),
            };
            Err(Error::Advised(Box::new(RefusedVersion {
                key: Some(key.clone()),
                origin,
                called_by,
                version: locked.version.clone(),
                id: found.advisory.id.clone(),
                severity: found.advisory.severity,
                fixed: found.advisory.fixed_for(locked).cloned(),
                source: found.source.clone(),
            })))
        })
    }

    /// Tells `notices` of the advisories about a version that is used nevertheless.
    pub fn notice_advisories(&self, member: Member<'_>, notices: &dyn Notices) {
        for (path, locked) in member.locked.tree() {
            for found in self.known_advisories.about_locked(locked) {
                if found.ignored.is_none() {
                    notices.notice(&Notice::Advised {
                        tool: &format!("`{}`", dotted(member.key, &path)),
                        version: &locked.version,
                        advisory: found.advisory,
                        fixed: found.advisory.fixed_for(locked),
                        source: found.source,
                    });
                }
            }
        }
    }

    /// Tells `notices` of the versions in use that their owners have taken back: the tool's, and
    /// those of what it depends on.
    pub fn notice_yanks(&self, member: Member<'_>, notices: &dyn Notices) {
        member.notice_if_yanked(notices);
        for (path, locked) in member.locked.tree().into_iter().skip(1) {
            if let Some(yank) = self.known_releases.yank_of(locked) {
                notices.notice(&Notice::DependencyYanked {
                    name: &dotted(member.key, &path),
                    version: &locked.version,
                    yank,
                });
            }
        }
    }

    /// Refuses texts of the toolbox for a function that the tool does not have: nobody would read
    /// them.
    fn every_function_is_known(
        &self,
        key: &ToolKey,
        entry: &ToolboxEntry,
        locked: &LockedTool,
    ) -> Result<(), Error> {
        let mut named = entry.functions.keys();
        let unknown = named.find(|name| !locked.functions.contains_key(*name));
        unknown.map_or(Ok(()), |unknown| {
            Err(Error::UnknownFunction {
                path: self.path(),
                key: key.clone(),
                function: unknown.clone(),
                known: locked.functions.keys().cloned().collect(),
            })
        })
    }
}

/// The dependency of the tool `key` at the end of `path`, as a user names it: `forecast.units`.
pub fn dotted(key: &ToolKey, path: &[&ToolName]) -> String {
    let names = path.iter().map(|name| format!(".{name}"));
    format!("{key}{}", names.collect::<String>())
}

/// The place from which the toolbox takes a tool.
pub fn origin(key: &ToolKey, entry: &ToolboxEntry) -> String {
    match (&entry.repo, &entry.path) {
        (Some(repo), _) => repo.to_string(),
        (None, Some(path)) => path.display().to_string(),
        (None, None) => match &entry.mcp {
            Some(address) => address.to_string(),
            None => key.to_string(),
        },
    }
}

/// The place with the versions that the toolbox allows, as a shell takes it: loading that again
/// leaves what the toolbox asks for as it is.
fn reference(key: &ToolKey, entry: &ToolboxEntry) -> String {
    let (Some(repo), Some(version)) = (&entry.repo, &entry.version) else {
        return origin(key, entry);
    };
    let (repo, revision) = (repo.clone(), Revision::Version(version.clone()));
    let reference = ToolRef { repo, revision }.to_string();
    match reference.contains([' ', '<', '>', '*']) {
        true => format!("'{reference}'"),
        false => reference,
    }
}

/// True if a toolbox entry names the place that was approved. Without this an edit of `repo` would
/// go on running the old bytes under the new name.
fn is_same_source(entry: &ToolboxEntry, locked: &LockedTool) -> bool {
    match &locked.source {
        Source::Registry { repo, endpoint, .. } => {
            entry.repo.as_ref() == Some(repo)
                && entry
                    .endpoint
                    .as_ref()
                    .is_none_or(|named| named == endpoint)
        }
        Source::File { path } => entry.path.as_ref() == Some(path),
        Source::Server { address } => entry.mcp.as_ref() == Some(address),
    }
}
