//! Finds and reads the toolbox and its lock on disk, and adds, changes and removes their entries.

mod changed;
pub(crate) mod tool_status;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_manifest::{
    Digest, GrantOverride, Grants, Lock, LockedTool, Pin, ToolKey, Toolbox, ToolboxEntry,
};

use crate::consent::approvals::{Approvals, ToolboxPlace};
use crate::files;
use crate::settings::config::Config;
use crate::terminal::messages::nearest;
use crate::terminal::problem::Problem;

const TOOLBOX_FILE: &str = "toolbox.toml";
const LOCK_FILE: &str = "toolbox.lock";

/// A toolbox and its lock, as they were when they were opened.
pub(crate) struct OpenToolbox {
    directory: PathBuf,
    text: String,
    toolbox: Toolbox,
    lock: Lock,
    approvals: Approvals,
    /// True if it is the user's own, which nobody else writes.
    is_the_users: bool,
}

/// One tool of a toolbox: what people wrote and what was approved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) key: &'a ToolKey,
    pub(crate) entry: &'a ToolboxEntry,
    pub(crate) locked: &'a LockedTool,
}

impl Member<'_> {
    /// The tool's grants: those that were approved, narrowed by the toolbox.
    pub(crate) fn grants(&self) -> Grants {
        let approved = self.locked.grants.clone();
        match &self.entry.grants {
            Some(narrower) => GrantOverride::narrow(narrower, approved),
            None => approved,
        }
    }
}

impl OpenToolbox {
    /// Opens the nearest toolbox upwards of the working directory, else the user's own,
    /// which need not exist yet.
    pub(crate) fn open(config: &Config) -> anyhow::Result<Self> {
        Self::open_in(Self::directory_in_force(config), config)
    }

    /// The directory of the toolbox that is in force.
    pub(crate) fn directory_in_force(config: &Config) -> PathBuf {
        let nearest = config
            .working
            .ancestors()
            .find(|directory| directory.join(TOOLBOX_FILE).is_file());
        nearest.unwrap_or(&config.user).to_owned()
    }

    /// Opens the toolbox that somebody named by its `directory`: the user's own, which need not
    /// exist yet, or one that has to be there.
    ///
    /// # Errors
    /// When it is not, or cannot be used.
    pub(crate) fn open_named(directory: &Path, config: &Config) -> anyhow::Result<Self> {
        let directory = config.place(directory);
        if directory != config.user && !directory.join(TOOLBOX_FILE).is_file() {
            return Err(Problem::user(format!(
                "there is no {TOOLBOX_FILE} in {}",
                directory.display()
            ))
            .hint("name the directory that it is in, or leave --toolbox out for the nearest one")
            .into());
        }
        Self::open_in(directory, config)
    }

    /// Opens the toolbox in `directory`, which need not exist yet.
    pub(crate) fn open_in(directory: PathBuf, config: &Config) -> anyhow::Result<Self> {
        let text = files::read_if_present(&directory.join(TOOLBOX_FILE))?.unwrap_or_default();
        let toolbox = text.parse().with_context(|| {
            format!("{} cannot be used", directory.join(TOOLBOX_FILE).display())
        })?;
        let lock = match files::read_if_present(&directory.join(LOCK_FILE))? {
            Some(text) => text.parse().map_err(|error| {
                Problem::refused(format!("{} cannot be trusted", directory.join(LOCK_FILE).display()))
                    .caused_by(error)
                    .hint("restore the file, or delete it and load the tools again: every one asks for approval")
            })?,
            None => Lock::empty(),
        };
        Ok(Self {
            is_the_users: directory == config.user,
            directory,
            text,
            toolbox,
            lock,
            approvals: Approvals::read(config)?,
        })
    }

    /// The files of a toolbox in `directory`: the one that people write, and the lock.
    pub(crate) fn files(directory: &Path) -> [PathBuf; 2] {
        [TOOLBOX_FILE, LOCK_FILE].map(|file| directory.join(file))
    }

    /// The path of the toolbox.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.join(TOOLBOX_FILE)
    }

    /// The directory that it is in.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The digests of everything that was approved.
    pub(crate) fn pins(&self) -> Vec<Pin> {
        self.lock.tools.values().map(LockedTool::pin).collect()
    }

    /// The entry called `key`, whether it was approved or not.
    pub(crate) fn entry(&self, key: &ToolKey) -> Option<&ToolboxEntry> {
        self.toolbox.tools.get(key)
    }

    /// The toolbox's name for the tool that a user calls `name`.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn key(&self, name: &str) -> anyhow::Result<&ToolKey> {
        Ok(self.named(name)?.0)
    }

    fn named(&self, key: &str) -> anyhow::Result<(&ToolKey, &ToolboxEntry)> {
        let wanted = key.replace('-', "_");
        let mut tools = self.toolbox.tools.iter();
        tools
            .find(|(key, _)| key.as_str() == wanted)
            .ok_or_else(|| self.no_such_tool(key))
    }

    fn no_such_tool(&self, key: &str) -> anyhow::Error {
        let known: Vec<&str> = self.toolbox.tools.keys().map(ToolKey::as_str).collect();
        let hint = match (nearest(key, &known), known.is_empty()) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, false) => format!("the toolbox has: {}", known.join(", ")),
            (None, true) => {
                "the toolbox is empty; load a tool with: tool load owner/name".to_owned()
            }
        };
        Problem::user(format!(
            "there is no tool called `{key}` in {}",
            self.path().display()
        ))
        .hint(hint)
        .into()
    }

    /// Records `entry` and its approval under `key`, replacing what was there.
    pub(crate) fn insert(
        config: &Config,
        key: &ToolKey,
        entry: &ToolboxEntry,
        locked: LockedTool,
    ) -> anyhow::Result<()> {
        let replaced = Self::open(config)?.recorded(key);
        Approvals::remember(config, &Self::place(config, key), &locked, replaced)?;
        Self::change(config, |toolbox| {
            toolbox.text = Toolbox::insert_into(&toolbox.text, key, entry)?;
            toolbox.lock.tools.insert(key.clone(), locked);
            Ok(())
        })
    }

    /// Records `locked`, which allows less than the record of `member`, in its place. The
    /// approval of that record is forgotten first: whoever brings the old lock back, from a
    /// checkout or a backup, is asked again.
    pub(crate) fn lower(
        config: &Config,
        member: Member<'_>,
        locked: LockedTool,
    ) -> anyhow::Result<()> {
        let current = Some(member.locked.digest());
        Approvals::forget(config, &Self::place(config, member.key), current)?;
        let lowered = Self::insert(config, member.key, member.entry, locked);
        // The reduced rights take effect in any case: without an approval the tool does not run.
        lowered.with_context(|| format!("`{}` does not run until it is loaded again", member.key))
    }

    /// Forgets `key` and its approval.
    pub(crate) fn remove(config: &Config, key: &ToolKey) -> anyhow::Result<()> {
        let current = Self::open(config)?.recorded(key);
        Approvals::forget(config, &Self::place(config, key), current)?;
        Self::change(config, |toolbox| {
            toolbox.text = Toolbox::remove_from(&toolbox.text, key)?;
            toolbox.lock.tools.remove(key);
            Ok(())
        })
    }

    /// The digest of the record that the lock has for `key`.
    fn recorded(&self, key: &ToolKey) -> Option<Digest> {
        self.lock.tools.get(key).map(LockedTool::digest)
    }

    /// The place of `key` in the toolbox in force.
    fn place(config: &Config, key: &ToolKey) -> ToolboxPlace {
        ToolboxPlace::new(&Self::directory_in_force(config), key)
    }

    /// Opens the toolbox anew under an exclusive lock, changes it, and writes both files.
    /// The lock file is written first: a tool that is approved but not listed is inert,
    /// while one that is listed but not approved is complained about everywhere.
    fn change(
        config: &Config,
        change: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let directory = Self::directory_in_force(config);
        let _guard = files::Guard::take(&directory, ".toolbox.guard")?;
        let mut toolbox = Self::open_in(directory, config)?;
        change(&mut toolbox)?;
        files::write(
            &toolbox.directory.join(LOCK_FILE),
            toolbox.lock.to_toml().as_bytes(),
        )?;
        files::write(
            &toolbox.directory.join(TOOLBOX_FILE),
            toolbox.text.as_bytes(),
        )
    }
}
