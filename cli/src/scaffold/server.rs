//! Generates the project of an MCP server that a package has.
//! The package stays as it is; the project has its name, its list of tools, and a lock.

use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};
use tool_hub_agent::definition::interface::Interface;

use super::describe;
use super::names::Names;
use super::plain;
use super::template::Template;
use crate::build::{SERVER_FILE, ServerFile};

/// A server that a package has, and what was seen of it.
pub(crate) struct ServerProject {
    pub(crate) template: Template,
    pub(crate) file: ServerFile,
    /// The types of its functions.
    pub(crate) interface: Interface,
    /// The package and its version, for people.
    pub(crate) package: String,
    pub(crate) license: Option<String>,
    pub(crate) license_texts: Vec<(String, String)>,
    /// The packages that the project asks for: requirements, or names and versions of npm.
    pub(crate) requirements: Vec<(String, String)>,
    /// The lock of npm.
    pub(crate) npm_lock: Option<String>,
    /// The variables that it looked for.
    pub(crate) variables: Vec<String>,
    /// The directories that it looked for.
    pub(crate) directories: Vec<String>,
}

impl ServerProject {
    /// The files of the project, of which `common` are those of every scaffold.
    pub(super) fn files(
        &self,
        common: &[(&'static str, String)],
        names: &Names,
    ) -> anyhow::Result<Vec<(String, String)>> {
        let mut files = vec![(SERVER_FILE.to_owned(), self.file.text()?)];
        for (path, text) in common {
            let text = match *path {
                "tool.toml" => self.manifest(text)?,
                "README.md" => describe::card(&self.interface, text, names),
                ".gitignore" => text.clone(),
                _ => continue,
            };
            files.push(((*path).to_owned(), text));
        }
        files.extend(self.license_texts.iter().cloned());
        match self.template {
            Template::Python => {
                let lines = self.requirements.iter();
                let lines = lines.map(|(name, version)| format!("{name}{version}\n"));
                files.push(("requirements.txt".to_owned(), lines.collect()));
            }
            _ => {
                let packages = self.requirements.iter();
                let packages = packages.map(|(name, version)| (name.clone(), json!(version)));
                let packages = Value::Object(packages.collect());
                let text = json!({ "private": true, "dependencies": packages });
                files.push(("package.json".to_owned(), format!("{text:#}\n")));
            }
        }
        files.extend(
            self.npm_lock
                .iter()
                .map(|text| ("package-lock.json".to_owned(), text.clone())),
        );
        Ok(files)
    }

    fn manifest(&self, text: &str) -> anyhow::Result<String> {
        let text = plain::manifest(text, SERVER_FILE, describe::description(&self.interface))?;
        let mut manifest: DocumentMut = text.parse()?;
        if let Some(license) = &self.license {
            manifest["license"] = value(license);
        }
        if self.variables.is_empty() && self.directories.is_empty() {
            return Ok(manifest.to_string());
        }
        let why = format!("{} looks for it", self.package);
        let mut capabilities = Table::new();
        let mut directories = Array::new();
        for name in &self.directories {
            let mut directory = InlineTable::new();
            directory.insert("name", name.as_str().into());
            directory.insert("access", "read-write".into());
            directory.insert("why", why.as_str().into());
            directories.push(directory);
        }
        if !directories.is_empty() {
            capabilities.insert("directories", value(directories));
        }
        let mut variables = Array::new();
        for name in &self.variables {
            let mut variable = InlineTable::new();
            variable.insert("name", name.as_str().into());
            if is_secret(name) {
                variable.insert("secret", true.into());
            }
            variable.insert("why", why.as_str().into());
            variables.push(variable);
        }
        if !variables.is_empty() {
            capabilities.insert("variables", value(variables));
        }
        manifest.insert("capabilities", Item::Table(capabilities));
        Ok(manifest.to_string())
    }
}

/// True if the name of a variable says that it is to be kept secret.
fn is_secret(name: &str) -> bool {
    const WORDS: [&str; 7] = [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PWD",
        "CREDENTIAL",
        "ID",
    ];
    name.split('_').any(|word| WORDS.contains(&word))
}
