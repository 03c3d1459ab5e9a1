//! A change to a client's configuration file: shows its diff, and writes it.
//! It is written only if the file is still as it was.

use std::path::PathBuf;

use anyhow::Context as _;
use serde::Serialize;
use serde_json::json;
use similar::TextDiff;
use tool_hub_manifest::Digest;

use crate::files;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

use super::file::{target_of, text_of};

/// The lines shown around a change: few, since they may hold secrets of other servers.
const CONTEXT_LINES: usize = 1;
const GUARD: &str = ".connect.guard";

/// A configuration before and after.
#[derive(Debug)]
pub(crate) struct Change {
    pub(super) path: PathBuf,
    pub(super) target: PathBuf,
    /// Nothing where there is no file.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// The kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChangeKind {
    Nothing,
    Created,
    Updated,
    Deleted,
}

impl Change {
    /// The kind of this change.
    pub(crate) fn kind(&self) -> ChangeKind {
        match (&self.before, &self.after) {
            (before, after) if before == after => ChangeKind::Nothing,
            (None, _) => ChangeKind::Created,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Updated,
        }
    }

    /// The texts before and after, where there is a file both times.
    pub(crate) fn texts(&self) -> Option<(&str, &str)> {
        Some((self.before.as_deref()?, self.after.as_deref()?))
    }

    /// The digest of the place and of the texts before and after, by which a flag agrees to it.
    pub(crate) fn digest(&self) -> Digest {
        let place = self.target.to_string_lossy();
        Digest::of(
            json!([place, self.before, self.after])
                .to_string()
                .as_bytes(),
        )
    }

    /// The path, followed by its target if it is a link.
    pub(crate) fn shown(&self) -> String {
        let path = self.path.display();
        match self.path == self.target {
            true => path.to_string(),
            false => format!("{path} (a link to {})", self.target.display()),
        }
    }

    /// The difference, line by line.
    pub(crate) fn diff(&self) -> String {
        let name = |text: &Option<String>| match text {
            Some(_) => self.shown().replace('\n', "\\n"),
            None => "no file".to_owned(),
        };
        let before = self.before.as_deref().unwrap_or_default();
        let after = self.after.as_deref().unwrap_or_default();
        TextDiff::from_lines(before, after)
            .unified_diff()
            .context_radius(CONTEXT_LINES)
            .header(&name(&self.before), &name(&self.after))
            .to_string()
    }

    /// Writes it.
    ///
    /// # Errors
    /// When the file is not any more what the change was made from, or cannot be written.
    pub(crate) fn write(&self, config: &Config) -> anyhow::Result<()> {
        let _guard = files::Guard::take(&config.settings.user, GUARD)?;
        // Clients write their files too, and a person takes time to answer.
        let leads_elsewhere = target_of(&self.path)? != self.target;
        if leads_elsewhere || text_of(&self.target)? != self.before {
            return Err(Problem::user(format!(
                "{} was changed by somebody else meanwhile; nothing was written",
                self.path.display()
            ))
            .hint("run the command again")
            .into());
        }
        let written = match (&self.after, self.target.parent()) {
            (None, _) => std::fs::remove_file(&self.target),
            (Some(after), parent) => parent
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| files::replace(&self.target, after.as_bytes())),
        };
        written.with_context(|| format!("{} cannot be written", self.path.display()))
    }
}
