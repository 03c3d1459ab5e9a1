//! Keeps `adopted.toml`: each entry that was taken out of a client's configuration, as it was.
//! Entries may hold secrets, so the file is readable by its user alone.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Origin, ToolKey, VariableName};
use tool_hub_toolbox::Settings;

use super::splice::Splice;
use crate::connect::{Scope, WrittenServer};
use crate::files;

/// The record, in the user's own directory, which no tool is given.
const RECORD: &str = "adopted.toml";
/// The directory beside it with the projects that were made of servers.
const PROJECTS: &str = "adopted";

/// The lock that keeps two commands from changing the record at once.
const GUARD: &str = ".adopt.guard";

/// All that was adopted and not undone.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdoptionRecord {
    #[serde(default)]
    pub(crate) files: Vec<AdoptedFile>,
}

/// A client's configuration out of which servers were taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdoptedFile {
    pub(crate) client: String,
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    /// The name of the entry that starts `tool serve`, where adopting made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) connection: Option<String>,
    /// The change of the whole text, where nobody else changed it in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) splice: Option<Splice>,
    #[serde(default)]
    pub(crate) servers: Vec<AdoptedServer>,
}

/// A server that was taken out, and the tool that stands for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdoptedServer {
    /// The directory of the toolbox that has the tool.
    pub(crate) toolbox: PathBuf,
    /// The name of the tool there.
    pub(crate) tool: ToolKey,
    pub(crate) became: String,
    /// True if the toolbox had the tool before.
    #[serde(default)]
    pub(crate) was_there: bool,
    /// The project that was made of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<PathBuf>,
    /// The variables whose values were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) variables: Vec<VariableName>,
    /// The entry as it was.
    pub(crate) written: WrittenServer,
    /// The credentials whose values were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) credentials: Vec<KeptCredential>,
}

/// A credential whose value was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptCredential {
    pub(crate) name: VariableName,
    pub(crate) origin: Origin,
}

impl AdoptionRecord {
    /// Reads the record, which need not be there.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read(settings: &Settings) -> anyhow::Result<Self> {
        let path = settings.user.join(RECORD);
        match files::read_if_present(&path)? {
            Some(text) => toml_edit::de::from_str(&text)
                .with_context(|| format!("{} cannot be read", path.display())),
            None => Ok(Self::default()),
        }
    }

    /// Changes the record, while no other command does.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub(crate) fn change(
        settings: &Settings,
        change: impl FnOnce(&mut Self),
    ) -> anyhow::Result<Self> {
        let _guard = files::Guard::take(&settings.user, GUARD)?;
        let mut record = Self::read(settings)?;
        change(&mut record);
        record.write(settings)?;
        Ok(record)
    }

    /// Writes it, for its user alone, or removes it where it is empty.
    fn write(&mut self, settings: &Settings) -> anyhow::Result<()> {
        self.files.retain(|file| !file.servers.is_empty());
        let path = settings.user.join(RECORD);
        if self.files.is_empty() && path.exists() {
            return std::fs::remove_file(&path)
                .with_context(|| format!("{} cannot be removed", path.display()));
        }
        let text = toml_edit::ser::to_string_pretty(self)?;
        Ok(files::write_private(&path, text.as_bytes())?)
    }

    /// The part about the configuration at `path`.
    pub(crate) fn file(&self, path: &Path) -> Option<&AdoptedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Puts `file` in the place of what the record has about the same configuration.
    pub(crate) fn put(&mut self, file: AdoptedFile) {
        self.files.retain(|other| other.path != file.path);
        self.files.push(file);
    }

    /// True if another adopted server needs `tool` of the toolbox in `directory`.
    pub(crate) fn needs(&self, directory: &Path, tool: &ToolKey) -> bool {
        let mut servers = self.files.iter().flat_map(|file| &file.servers);
        servers.any(|it| it.toolbox == directory && it.tool == *tool)
    }

    /// True if adopting brought `tool` into the toolbox in `directory`.
    pub(crate) fn brought(&self, directory: &Path, tool: &ToolKey) -> bool {
        let mut servers = self.files.iter().flat_map(|file| &file.servers);
        servers.any(|it| it.toolbox == directory && it.tool == *tool && !it.was_there)
    }

    /// The directory for the project that a server called `name` becomes.
    pub(crate) fn project(settings: &Settings, name: &str) -> PathBuf {
        settings.user.join(PROJECTS).join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let mut record = AdoptionRecord::default();
        record.put(AdoptedFile {
            client: "cursor".to_owned(),
            scope: Scope::User,
            path: "/home/ada/.cursor/mcp.json".into(),
            connection: Some("tool-hub".to_owned()),
            splice: Some(Splice::between("a\n\"b\"", "a\n")),
            servers: vec![AdoptedServer {
                toolbox: "/t".into(),
                tool: "time".parse().unwrap(),
                became: "component".to_owned(),
                was_there: false,
                project: None,
                variables: vec!["KEY".parse().unwrap()],
                written: WrittenServer {
                    name: "time".to_owned(),
                    before: 1,
                    text: "{ \"command\": \"\\u0061'''\" }\r\n".to_owned(),
                },
                credentials: vec![KeptCredential {
                    name: "TOKEN".parse().unwrap(),
                    origin: "https://a.example".parse().unwrap(),
                }],
            }],
        });
        let text = toml_edit::ser::to_string_pretty(&record).unwrap();
        let read: AdoptionRecord = toml_edit::de::from_str(&text).unwrap();
        assert_eq!(toml_edit::ser::to_string_pretty(&read).unwrap(), text);
        let file = read.file(Path::new("/home/ada/.cursor/mcp.json")).unwrap();
        assert_eq!(file.servers[0].written, record.files[0].servers[0].written);
        assert_eq!(file.splice, record.files[0].splice);
        assert!(read.needs(Path::new("/t"), &"time".parse().unwrap()));
        assert!(!read.needs(Path::new("/u"), &"time".parse().unwrap()));
        assert!(read.brought(Path::new("/t"), &"time".parse().unwrap()));
    }
}
