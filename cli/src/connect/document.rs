//! Reads a client's configuration file, lists its `tool serve` servers, and prepares changes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::terminal::problem::Problem;

use super::change::Change;
use super::clients::{Client, Format};
use super::file::{target_of, text_of, unreadable};
use super::json::{self, Comments};
use super::server::{ServeCommand, Server};
use super::toml;
use super::unreadable::Unreadable;

/// A server as a configuration has it, to be put back without another look at what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenServer {
    pub(crate) name: String,
    /// The number of servers before it.
    pub(crate) before: usize,
    /// Its value in JSON, or a document in TOML that has it alone.
    pub(crate) text: String,
}

/// A configuration as it was when it was opened.
#[derive(Debug)]
pub(crate) struct Document {
    client: &'static Client,
    path: PathBuf,
    /// The real path, with links followed.
    target: PathBuf,
    text: Option<String>,
}

impl Document {
    /// Opens the configuration of `client` at `path`, which need not be there.
    ///
    /// # Errors
    /// When something is there that is not a file of text.
    pub(crate) fn open(client: &'static Client, path: PathBuf) -> anyhow::Result<Self> {
        let target = target_of(&path)?;
        let text = text_of(&target).with_context(|| unreadable(&path))?;
        Ok(Self {
            client,
            path,
            target,
            text,
        })
    }

    /// The path at which the client opens it, links not followed.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The servers in it that start `tool serve`, by name.
    ///
    /// # Errors
    /// When it cannot be read in the client's format.
    pub(crate) fn connections(&self) -> anyhow::Result<Vec<(String, ServeCommand)>> {
        let servers = self.servers()?;
        let servers = servers
            .iter()
            .filter_map(|(name, entry)| Some((name.clone(), ServeCommand::of_entry(entry)?)));
        Ok(servers.collect())
    }

    /// True if it has a server called `name`.
    ///
    /// # Errors
    /// When it cannot be read in the client's format.
    pub(crate) fn has(&self, name: &str) -> anyhow::Result<bool> {
        Ok(self.servers()?.contains_key(name))
    }

    /// The change by which `server` is called `name`.
    ///
    /// # Errors
    /// When it cannot be read in the client's format, or has something else of that name.
    pub(crate) fn with(&self, name: &str, server: &Server) -> anyhow::Result<Change> {
        let servers = self.servers()?;
        let existing = servers.get(name);
        self.refuse_the_others(name, existing)?;
        let entry = server.entry(self.client, existing);
        if existing == Some(&Value::Object(entry.clone())) {
            return Ok(self.change(self.text.clone()));
        }
        let section = self.client.section;
        let put = match self.client.format {
            Format::Toml => toml::put(self.body(), section, name, &entry),
            Format::Json | Format::Jsonc => {
                json::put(self.body(), self.comments(), section, name, &entry)
            }
        };
        let after = put.map_err(|error| self.refused(error))?;
        self.checked(&after, name, Some(&Value::Object(entry)))?;
        Ok(self.change(Some(self.with_mark(after))))
    }

    /// The change by which no server is called `name`. A section of which nothing is left goes as
    /// well, and so does the file unless it is reached by a link.
    ///
    /// # Errors
    /// When it cannot be read in the client's format, or has something else of that name.
    pub(crate) fn without(&self, name: &str) -> anyhow::Result<Change> {
        let servers = self.servers()?;
        let existing = servers.get(name);
        self.refuse_the_others(name, existing)?;
        if existing.is_none() {
            return Ok(self.change(self.text.clone()));
        }
        let section = self.client.section;
        let taken = match self.client.format {
            Format::Toml => toml::take(self.body(), section, name),
            Format::Json | Format::Jsonc => json::take(self.body(), self.comments(), section, name),
        };
        let after = taken.map_err(|error| self.refused(error))?;
        self.checked(&after, name, None)?;
        let is_left = !["", "{}"].contains(&after.split_whitespace().collect::<String>().as_str());
        let is_linked = self.path.is_symlink();
        let after = (is_left || is_linked).then(|| self.with_mark(after));
        Ok(self.change(after))
    }

    /// Every server in it, as `tool adopt` lists them.
    ///
    /// # Errors
    /// When it cannot be read in the client's format, or has two servers of one name.
    pub(crate) fn all(&self) -> anyhow::Result<Map<String, Value>> {
        let servers = self.servers()?;
        for name in servers.keys() {
            self.written(name)?;
        }
        Ok(servers)
    }

    /// The server `name` as it is written here.
    ///
    /// # Errors
    /// When it cannot be read in the client's format, or has two servers of that name.
    pub(crate) fn written(&self, name: &str) -> anyhow::Result<Option<WrittenServer>> {
        let section = self.client.section;
        let written = match self.client.format {
            Format::Toml => toml::written_server(self.body(), section, name),
            Format::Json | Format::Jsonc => {
                json::written_server(self.body(), self.comments(), section, name)
            }
        };
        let written = written.map_err(|error| self.refused(error))?;
        Ok(written.map(|(before, text)| WrittenServer {
            name: name.to_owned(),
            before,
            text,
        }))
    }

    /// The change by which the servers `taken` go and `server`, called `name`, comes.
    ///
    /// # Errors
    /// When it cannot be read in the client's format, has something else of that name, or one of
    /// the servers cannot be taken out alone.
    pub(crate) fn replaced(
        &self,
        taken: &[String],
        name: &str,
        server: &Server,
    ) -> anyhow::Result<Change> {
        let mut text = match self.with(name, server)?.after {
            Some(text) => text,
            None => return Ok(self.change(None)),
        };
        for name in taken {
            text = self.at(text).taken(name)?;
        }
        Ok(self.change(Some(text)))
    }

    /// The change by which `servers` come back as they were written, and none is called
    /// `connection`.
    ///
    /// # Errors
    /// When it cannot be read in the client's format, or has a server of one of the names.
    pub(crate) fn restored(
        &self,
        servers: &[WrittenServer],
        connection: Option<&str>,
    ) -> anyhow::Result<Change> {
        let mut text = self.text.clone().unwrap_or_default();
        let mut servers: Vec<&WrittenServer> = servers.iter().collect();
        servers.sort_by_key(|server| server.before);
        for server in servers {
            text = self.at(text).with_written(server)?;
        }
        if let Some(name) = connection
            && self.has(name)?
        {
            text = self.at(text).taken(name)?;
        }
        Ok(self.change(Some(text)))
    }

    /// The change to `after`, a text that this configuration had before.
    pub(crate) fn changed_to(&self, after: String) -> Change {
        self.change(Some(after))
    }

    /// The text of the file; nothing where there is none.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The real path of the file, with links followed.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The client whose configuration it is.
    pub(crate) fn client(&self) -> &'static Client {
        self.client
    }

    /// The same configuration with another text.
    fn at(&self, text: String) -> Self {
        Self {
            client: self.client,
            path: self.path.clone(),
            target: self.target.clone(),
            text: Some(text),
        }
    }

    /// The text without the server `name`, whatever that starts.
    fn taken(&self, name: &str) -> anyhow::Result<String> {
        let section = self.client.section;
        let taken = match self.client.format {
            Format::Toml => toml::take(self.body(), section, name),
            Format::Json | Format::Jsonc => json::take(self.body(), self.comments(), section, name),
        };
        let after = taken.map_err(|error| self.refused(error))?;
        self.checked(&after, name, None)?;
        Ok(self.with_mark(after))
    }

    fn with_written(&self, server: &WrittenServer) -> anyhow::Result<String> {
        let section = self.client.section;
        let WrittenServer { name, before, text } = server;
        let put = match self.client.format {
            Format::Toml => toml::put_back(self.body(), section, name, text),
            Format::Json | Format::Jsonc => {
                json::put_back(self.body(), self.comments(), section, name, (*before, text))
            }
        };
        let after = put.map_err(|error| self.refused(error))?;
        let entry = self.at(after.clone()).servers()?.get(name).cloned();
        if entry.is_none() {
            return Err(self.refused(Unreadable::as_a_whole(format!(
                "`{name}` cannot be put back into it"
            ))));
        }
        self.checked(&after, name, entry.as_ref())?;
        Ok(self.with_mark(after))
    }

    fn change(&self, after: Option<String>) -> Change {
        Change {
            path: self.path.clone(),
            target: self.target.clone(),
            before: self.text.clone(),
            after,
        }
    }

    /// Every server in it.
    fn servers(&self) -> anyhow::Result<Map<String, Value>> {
        let whole = self.read(self.body())?;
        let section = self.client.section;
        match whole.get(section) {
            None if whole.is_object() => Ok(Map::new()),
            Some(Value::Object(servers)) => Ok(servers.clone()),
            None => Err(self.refused(Unreadable::as_a_whole("it is not an object"))),
            Some(_) => Err(self.refused(Unreadable::as_a_whole(format!(
                "`{section}` in it is not an object"
            )))),
        }
    }

    fn read(&self, body: &str) -> anyhow::Result<Value> {
        let value = match self.client.format {
            Format::Toml => toml::read(body),
            Format::Json | Format::Jsonc => json::read(body, self.comments()),
        };
        value.map_err(|error| self.refused(error))
    }

    /// Reads what is to be written: `name` is `entry` there, and everything else is as it was. The
    /// file is not ours, so the result of the libraries that edit it is checked.
    fn checked(&self, after: &str, name: &str, entry: Option<&Value>) -> anyhow::Result<()> {
        let section = self.client.section;
        let mut before = self.read(self.body())?;
        let mut after = self.read(after)?;
        take_from(&mut before, section, name);
        if take_from(&mut after, section, name).as_ref() == entry && before == after {
            return Ok(());
        }
        Err(self.refused(Unreadable::as_a_whole(
            "it is written so that one server cannot be changed alone",
        )))
    }

    fn refuse_the_others(&self, name: &str, existing: Option<&Value>) -> anyhow::Result<()> {
        if existing.is_none_or(|entry| ServeCommand::of_entry(entry).is_some()) {
            return Ok(());
        }
        Err(Problem::user(format!(
            "the server `{name}` in {} is not one that `tool connect` wrote",
            self.path.display()
        ))
        .hint("choose another name with --name, or remove it there yourself")
        .into())
    }

    fn refused(&self, error: Unreadable) -> anyhow::Error {
        let place = match error.line {
            Some(line) => format!("{}:{line}", self.path.display()),
            None => self.path.display().to_string(),
        };
        Problem::user(format!(
            "{place} cannot be read as {} for {}, so it is left as it is",
            self.client.format.as_str(),
            self.client.title
        ))
        .caused_by(error)
        .hint("mend the file in an editor, then run the command again")
        .into()
    }

    fn comments(&self) -> Comments {
        match self.client.format {
            Format::Jsonc => Comments::Allowed,
            Format::Json | Format::Toml => Comments::Refused,
        }
    }

    /// The text after the mark that some editors begin a file with.
    fn body(&self) -> &str {
        let text = self.text.as_deref().unwrap_or_default();
        text.strip_prefix('\u{feff}').unwrap_or(text)
    }

    fn with_mark(&self, body: String) -> String {
        match &self.text {
            Some(text) if text.starts_with('\u{feff}') => format!("\u{feff}{body}"),
            // A file that is made ends as files do.
            None if !body.ends_with('\n') => format!("{body}\n"),
            _ => body,
        }
    }
}

/// Takes the server `name` out of `whole`, with the section if that was all of it.
fn take_from(whole: &mut Value, section: &str, name: &str) -> Option<Value> {
    let servers = whole.get_mut(section)?.as_object_mut()?;
    let taken = servers.shift_remove(name);
    if servers.is_empty() {
        whole.as_object_mut()?.shift_remove(section);
    }
    taken
}
