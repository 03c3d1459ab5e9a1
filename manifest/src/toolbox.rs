//! The `Toolbox` type: parses and edits `toolbox.toml`, which lists a user's or project's tools.
//! People edit that file too. Its overrides replace descriptions for agents and narrow grants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;

use indexmap::IndexMap;
use semver::VersionReq;
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, Item, Table};
use url::Url;

use crate::confirmation::Confirmation;
use crate::digest::{Digest, Hasher};
use crate::document::{self, DocumentError};
use crate::grants::Grants;
use crate::name::{DirectoryName, FunctionName, ToolKey, VariableName};
use crate::network::Network;
use crate::reference::RepoId;
use crate::server::address::ServerAddress;
use crate::verified::Pin;

const DOCUMENT: &str = "toolbox.toml";

/// The tools that a user or a project has chosen, by the name agents will see.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolbox {
    /// The tools.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tools: IndexMap<ToolKey, ToolboxEntry>,
}

/// One tool of a toolbox. Everything here narrows or renames; the tool's own files stay as they
/// are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolboxEntry {
    /// The repo it comes from; a tool of a local file has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<RepoId>,
    /// The local file or directory it comes from; a tool of a repo has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The MCP server that it is: a command as a list of words, or a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<ServerAddress>,
    /// The versions that `tool update` may choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionReq>,
    /// The registry, where it is not the user's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Url>,
    /// Replaces the description of a tool with one function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Replaces the descriptions of single functions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<FunctionName, FunctionOverride>,
    /// Narrows what was granted when the tool was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<GrantOverride>,
}

/// The overrides of a toolbox for one function.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionOverride {
    /// Replaces the function's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The calls that a person has to confirm, beside those that the author names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirmation>,
}

/// Texts that agents read instead of the author's. They are part of the approval: otherwise anyone
/// who can write to a toolbox could tell agents things that nobody approved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overrides {
    /// The description of a tool that has one function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The descriptions of single functions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<FunctionName, String>,
}

impl Overrides {
    /// True if agents read only the author's texts.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The text that replaces the description of `function`, in a tool with this number of
    /// `functions`; `None` if it is not replaced.
    pub fn description(&self, function: &FunctionName, functions: usize) -> Option<&str> {
        let whole = self.description.as_ref().filter(|_| functions == 1);
        self.functions.get(function).or(whole).map(String::as_str)
    }

    /// The digest to name with `--approve`: that of the package, or, if there are overrides, one
    /// over both.
    pub fn digest_with(&self, pin: &Pin) -> Digest {
        if self.is_empty() {
            return pin.digest();
        }
        let mut hasher = Hasher::new();
        hasher.update(b"tool-hub package with overrides v1\0");
        hasher.update(pin.digest().as_bytes());
        hasher.update(document::write(self).as_bytes());
        hasher.finish()
    }
}

impl ToolboxEntry {
    /// The texts that agents read instead of the author's.
    pub fn overrides(&self) -> Overrides {
        // Destructured, so that a new key does not compile until it is known whether agents read
        // it.
        let Self {
            repo: _,
            path: _,
            mcp: _,
            version: _,
            endpoint: _,
            description,
            functions,
            grants: _,
        } = self;
        let text = |(name, own): (&FunctionName, &FunctionOverride)| {
            let FunctionOverride {
                description,
                confirm: _,
            } = own;
            Some((name.clone(), description.clone()?))
        };
        Overrides {
            description: description.clone(),
            functions: functions.iter().filter_map(text).collect(),
        }
    }
}

/// The only grants that remain; a list that is left out leaves that kind as it was approved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantOverride {
    /// The origins that remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// The credentials that remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<BTreeSet<VariableName>>,
    /// The directories that remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directories: Option<BTreeSet<DirectoryName>>,
    /// The variables that remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<BTreeSet<VariableName>>,
    /// True if the tool may still use its storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<bool>,
}

impl GrantOverride {
    /// The part of `approved` that remains.
    pub fn narrow(&self, mut approved: Grants) -> Grants {
        if let Some(network) = &self.network {
            approved.network = approved.network.common(network);
        }
        if let Some(credentials) = &self.credentials {
            approved
                .credentials
                .retain(|name, _| credentials.contains(name));
        }
        if let Some(directories) = &self.directories {
            approved
                .directories
                .retain(|name, _| directories.contains(name));
        }
        if let Some(variables) = &self.variables {
            approved.retain_variables(|name| variables.contains(name));
        }
        approved.storage &= self.storage.unwrap_or(true);
        approved
    }
}

impl Toolbox {
    /// Puts `entry` under `key` into the document `text`, leaving everything else in it,
    /// comments and order included, as it stands.
    ///
    /// # Errors
    /// When `text` is not a toolbox.
    pub fn insert_into(
        text: &str,
        key: &ToolKey,
        entry: &ToolboxEntry,
    ) -> Result<String, DocumentError> {
        let mut document = Self::editable(text)?;
        let written: DocumentMut = document::write(entry)
            .parse()
            .expect("what was just written as TOML reads as TOML");
        let tools = document.entry("tools").or_insert_with(implicit_table);
        if let Some(tools) = tools.as_table_like_mut() {
            tools.insert(key.as_str(), Item::Table(written.as_table().clone()));
        }
        Ok(document.to_string())
    }

    /// Takes `key` out of the document `text`, leaving everything else in it as it stands.
    ///
    /// # Errors
    /// When `text` is not a toolbox.
    pub fn remove_from(text: &str, key: &ToolKey) -> Result<String, DocumentError> {
        let mut document = Self::editable(text)?;
        if let Some(tools) = document.get_mut("tools").and_then(Item::as_table_like_mut) {
            tools.remove(key.as_str());
        }
        Ok(document.to_string())
    }

    fn editable(text: &str) -> Result<DocumentMut, DocumentError> {
        text.parse::<Self>()?;
        text.parse()
            .map_err(|error: toml_edit::TomlError| DocumentError::whole(DOCUMENT, error.message()))
    }

    fn check(&self) -> Result<(), String> {
        for (key, entry) in &self.tools {
            let places = [
                entry.repo.is_some(),
                entry.path.is_some(),
                entry.mcp.is_some(),
            ];
            if places.into_iter().filter(|is_named| *is_named).count() != 1 {
                return Err(format!("tool `{key}` needs either `repo`, `path` or `mcp`"));
            }
        }
        Ok(())
    }
}

fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

impl FromStr for Toolbox {
    type Err = DocumentError;

    fn from_str(text: &str) -> Result<Self, DocumentError> {
        let toolbox: Self = document::parse(DOCUMENT, text)?;
        match toolbox.check() {
            Ok(()) => Ok(toolbox),
            Err(message) => Err(DocumentError::whole(DOCUMENT, message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(repo: &str) -> ToolboxEntry {
        ToolboxEntry {
            repo: Some(repo.parse().unwrap()),
            ..ToolboxEntry::default()
        }
    }

    #[test]
    fn editing_keeps_what_people_wrote() {
        let key: ToolKey = "b".parse().unwrap();
        let before = "# mine\n[tools.a]   # keep\nrepo = \"x/a\"\n";
        let with = Toolbox::insert_into(before, &key, &entry("x/b")).unwrap();
        assert_eq!(with, format!("{before}\n[tools.b]\nrepo = \"x/b\"\n"));
        assert_eq!(Toolbox::remove_from(&with, &key).unwrap(), before);
    }

    #[test]
    fn a_new_toolbox_starts_from_nothing() {
        let text = Toolbox::insert_into("", &"a".parse().unwrap(), &entry("x/a")).unwrap();
        assert_eq!(text, "[tools.a]\nrepo = \"x/a\"\n");
    }

    #[test]
    fn the_design_s_example_reads() {
        let toolbox: Toolbox = r#"
            [tools]
            modifier = { repo = "diffusers/image-transformer", version = "^1", description = "modifies an image" }
        "#
        .parse()
        .unwrap();
        assert_eq!(
            toolbox.tools[0].description.as_deref(),
            Some("modifies an image")
        );
    }

    #[test]
    fn what_is_approved_covers_what_agents_read() {
        let (zero, one) = (Digest::of(b"0"), Digest::of(b"1"));
        let pin = Pin {
            manifest: zero,
            component: one,
        };
        let overrides = |text: &str| text.parse::<Toolbox>().unwrap().tools[0].overrides();
        let silent = overrides("[tools.a]\npath = 'a'\nfunctions.add = {}");
        assert!(silent.is_empty());
        assert_eq!(silent.digest_with(&pin), pin.digest());
        let digests = [
            "[tools.a]\npath = 'a'\ndescription = 'x'",
            "[tools.a]\npath = 'a'\ndescription = 'y'",
            "[tools.a]\npath = 'a'\nfunctions.add.description = 'x'",
            "[tools.a]\npath = 'a'\nfunctions.sub.description = 'x'",
        ]
        .map(|text| overrides(text).digest_with(&pin));
        let all: BTreeSet<_> = digests.iter().chain([&pin.digest()]).copied().collect();
        assert_eq!(all.len(), 5);
    }

    #[test]
    fn a_tool_comes_from_one_place() {
        for text in ["[tools.a]", "[tools.a]\nrepo = \"x/a\"\npath = \"a\""] {
            assert!(text.parse::<Toolbox>().is_err(), "{text}");
        }
    }
}
