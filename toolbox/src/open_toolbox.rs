//! Finds and reads the toolbox and its lock on disk, and adds, changes and removes their entries.

mod changed;
pub mod tool_status;

use std::path::{Path, PathBuf};

use tool_hub_manifest::{
    Digest, GrantOverride, Grants, Lock, LockedTool, Pin, Source, ToolKey, Toolbox, ToolboxEntry,
    Yank,
};

use crate::advisories::known::KnownAdvisories;
use crate::approvals::{Approvals, LOCK_FILE, ToolboxPlace};
use crate::error::Error;
use crate::files;
use crate::known_releases::KnownReleases;
use crate::policy::policies::Policies;
use crate::policy::subject::OriginSubject;
use crate::settings::Settings;

const TOOLBOX_FILE: &str = "toolbox.toml";

/// A toolbox and its lock, as they were when they were opened.
#[derive(Debug)]
pub struct OpenToolbox {
    directory: PathBuf,
    text: String,
    toolbox: Toolbox,
    lock: Lock,
    approvals: Approvals,
    known_releases: KnownReleases,
    known_advisories: KnownAdvisories,
    policies: Policies,
    /// True if it is the user's own, which nobody else writes.
    is_the_users: bool,
}

/// One tool of a toolbox: what people wrote and what was approved.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its name in the toolbox.
    pub key: &'a ToolKey,
    /// What people wrote.
    pub entry: &'a ToolboxEntry,
    /// What was approved.
    pub locked: &'a LockedTool,
    /// The yank of the version, if its owner took it back.
    pub yank: Option<&'a Yank>,
}

impl Member<'_> {
    /// The tool's grants: those that were approved, narrowed by the toolbox.
    pub fn grants(&self) -> Grants {
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
    ///
    /// # Errors
    /// As [`open_in`](Self::open_in).
    pub fn open(settings: &Settings) -> Result<Self, Error> {
        Self::open_in(Self::directory_in_force(settings), settings)
    }

    /// The directory of the toolbox that is in force.
    pub fn directory_in_force(settings: &Settings) -> PathBuf {
        let nearest = settings
            .working
            .ancestors()
            .find(|directory| directory.join(TOOLBOX_FILE).is_file());
        nearest.unwrap_or(&settings.user).to_owned()
    }

    /// The directory of a toolbox that somebody named: the user's own, which need not exist yet, or
    /// one that has to be there.
    ///
    /// # Errors
    /// [`Error::NoToolbox`].
    pub fn directory_named(directory: &Path, settings: &Settings) -> Result<PathBuf, Error> {
        let directory = settings.place(directory);
        let is_there = directory == settings.user || directory.join(TOOLBOX_FILE).is_file();
        match is_there {
            true => Ok(directory),
            false => Err(Error::NoToolbox { directory }),
        }
    }

    /// Opens the toolbox that somebody named by its `directory`.
    ///
    /// # Errors
    /// As [`directory_named`](Self::directory_named) and [`open_in`](Self::open_in).
    pub fn open_named(directory: &Path, settings: &Settings) -> Result<Self, Error> {
        Self::open_in(Self::directory_named(directory, settings)?, settings)
    }

    /// Opens the toolbox in `directory`, which need not exist yet.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Toolbox`], [`Error::UntrustedLock`], [`Error::Policy`], and as
    /// [`Approvals::read`].
    pub fn open_in(directory: PathBuf, settings: &Settings) -> Result<Self, Error> {
        let [path, _] = Self::files(&directory);
        let text = files::read_if_present(&path)?.unwrap_or_default();
        let toolbox = text
            .parse()
            .map_err(|source| Error::Toolbox { path, source })?;
        let lock = Self::lock_in(&directory)?;
        Ok(Self {
            is_the_users: directory == settings.user,
            directory,
            text,
            toolbox,
            lock,
            approvals: Approvals::read(settings)?,
            known_releases: KnownReleases::read(settings)?,
            known_advisories: KnownAdvisories::read(settings)?,
            policies: Policies::read(settings)?,
        })
    }

    /// The lock of the toolbox in `directory`, which need not exist yet.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::UntrustedLock`].
    pub fn lock_in(directory: &Path) -> Result<Lock, Error> {
        let [_, path] = Self::files(directory);
        match files::read_if_present(&path)? {
            Some(text) => text
                .parse()
                .map_err(|source| Error::UntrustedLock { path, source }),
            None => Ok(Lock::empty()),
        }
    }

    /// The files of a toolbox in `directory`: the one that people write, and the lock.
    pub fn files(directory: &Path) -> [PathBuf; 2] {
        [TOOLBOX_FILE, LOCK_FILE].map(|file| directory.join(file))
    }

    /// The path of the toolbox.
    pub fn path(&self) -> PathBuf {
        self.directory.join(TOOLBOX_FILE)
    }

    /// The directory that it is in.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The digests of everything that was approved, dependencies included.
    pub fn pins(&self) -> Vec<Pin> {
        self.lock.locked().map(LockedTool::pin).collect()
    }

    /// The policies in force.
    pub fn policies(&self) -> &Policies {
        &self.policies
    }

    /// The version that is locked, as a policy judges it.
    pub fn origin_subject<'a>(&'a self, locked: &'a LockedTool) -> OriginSubject<'a> {
        let advisories = self.known_advisories.about_locked(locked).into_iter();
        OriginSubject {
            source: &locked.source,
            version: &locked.version,
            signer: locked.signer.as_ref(),
            attested_by: &locked.attested_by,
            yank: self.known_releases.yank_of(locked),
            advisories: advisories.map(|found| found.advisory).collect(),
            logged: locked.logged.as_ref(),
        }
    }

    /// The records of everything that was approved, by the toolbox's names.
    pub fn locked_by_key(&self) -> impl Iterator<Item = (&ToolKey, &LockedTool)> {
        self.lock.tools.iter()
    }

    /// The digests of the MCP servers among them.
    pub fn server_pins(&self) -> Vec<Pin> {
        let tools = self.lock.tools.values();
        let servers = tools.filter(|locked| matches!(locked.source, Source::Server { .. }));
        servers.map(LockedTool::pin).collect()
    }

    /// The entry called `key`, whether it was approved or not.
    pub fn entry(&self, key: &ToolKey) -> Option<&ToolboxEntry> {
        self.toolbox.tools.get(key)
    }

    /// The toolbox's name for the tool that a user calls `name`.
    ///
    /// # Errors
    /// [`Error::NoSuchTool`].
    pub fn key(&self, name: &str) -> Result<&ToolKey, Error> {
        Ok(self.named(name)?.0)
    }

    fn named(&self, name: &str) -> Result<(&ToolKey, &ToolboxEntry), Error> {
        let wanted = name.replace('-', "_");
        let mut tools = self.toolbox.tools.iter();
        let found = tools.find(|(key, _)| key.as_str() == wanted);
        found.ok_or_else(|| Error::NoSuchTool {
            name: name.to_owned(),
            path: self.path(),
            known: self.toolbox.tools.keys().cloned().collect(),
        })
    }

    /// Records `entry` and its approval under `key`, replacing what was there. `signature` is over
    /// what [`Approvals::to_be_signed`] says, if that says something.
    ///
    /// # Errors
    /// [`Error::NoSignature`], and if a file cannot be changed.
    pub fn insert(
        settings: &Settings,
        key: &ToolKey,
        entry: &ToolboxEntry,
        locked: LockedTool,
        signature: Option<String>,
    ) -> Result<(), Error> {
        let replaced = Self::open(settings)?.recorded(key);
        let place = Self::place(settings, key);
        Approvals::remember(settings, &place, &locked, replaced, signature)?;
        Self::change(settings, |toolbox| {
            toolbox.text = Toolbox::insert_into(&toolbox.text, key, entry)?;
            toolbox.lock.tools.insert(key.clone(), locked);
            Ok(())
        })
    }

    /// Forgets the approval of `member`, which does not run until it is approved again. Whoever
    /// brings the old lock back, from a checkout or a backup, is asked.
    ///
    /// # Errors
    /// If the approvals cannot be changed.
    pub fn forget_approval(settings: &Settings, member: Member<'_>) -> Result<(), Error> {
        let current = Some(member.locked.digest());
        Approvals::forget(settings, &Self::place(settings, member.key), current)
    }

    /// Forgets `key` and its approval.
    ///
    /// # Errors
    /// If a file cannot be changed.
    pub fn remove(settings: &Settings, key: &ToolKey) -> Result<(), Error> {
        let current = Self::open(settings)?.recorded(key);
        Approvals::forget(settings, &Self::place(settings, key), current)?;
        Self::change(settings, |toolbox| {
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
    fn place(settings: &Settings, key: &ToolKey) -> ToolboxPlace {
        ToolboxPlace::new(&Self::directory_in_force(settings), key)
    }

    /// Opens the toolbox anew under an exclusive lock, changes it, and writes both files.
    /// The lock file is written first: a tool that is approved but not listed is inert,
    /// while one that is listed but not approved is complained about everywhere.
    fn change(
        settings: &Settings,
        change: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let directory = Self::directory_in_force(settings);
        let _guard = files::Guard::take(&directory, ".toolbox.guard")?;
        let mut toolbox = Self::open_in(directory, settings)?;
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
