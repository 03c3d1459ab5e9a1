//! The shelf of `tool adopt`: where the tools are that stand for well-known servers.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use tool_hub_toolbox::subject::Subject;

use crate::adopt::Replacements;
use crate::files;

/// The table in a shelf that names the packages for which its tools stand.
const TABLE: &str = "replacements.toml";

/// The tools that stand for well-known servers.
#[derive(Debug, Clone)]
pub(super) enum Shelf {
    /// Projects and packages in a directory.
    Directory(PathBuf),
    /// Repositories of an owner on the registry.
    Owner(String),
}

impl FromStr for Shelf {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(
            match text.starts_with(['.', '/', '~']) || text.contains('/') {
                true => Self::Directory(PathBuf::from(text)),
                false => Self::Owner(text.to_owned()),
            },
        )
    }
}

impl Shelf {
    /// The tool called `name` on it.
    pub(super) fn subject(&self, name: &str) -> Subject {
        match self {
            Self::Directory(directory) => Subject::Path(directory.join(name)),
            Self::Owner(owner) => {
                let text = format!("{owner}/{name}");
                Subject::Reference(text.parse(), text)
            }
        }
    }

    /// The table of a shelf in a directory, where it has one.
    pub(super) fn table(&self) -> anyhow::Result<Option<Replacements>> {
        let Self::Directory(directory) = self else {
            return Ok(None);
        };
        let path = directory.join(TABLE);
        let text = files::read_if_present(&path)?;
        Ok(text.map(|text| text.parse()).transpose()?)
    }
}
