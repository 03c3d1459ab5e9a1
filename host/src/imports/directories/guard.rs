//! The `Guard`: finds names such as `.git` in paths, and tells where a person allowed them anyway.
//! Other programs act on files with these names. They are found however they are written.

use std::path::{Path, PathBuf};

use tool_hub_manifest::Grants;

use crate::config::HostConfig;

/// In refusals this stands for every name that NTFS may have made of a longer one.
const SHORT: &str = "NAME~1";

/// The guarded names of a tool.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// Normalized.
    names: Vec<String>,
    exceptions: Vec<GuardException>,
}

/// A guarded name that a person gave away all the same, in one directory and no other.
#[derive(Debug)]
struct GuardException {
    directory: PathBuf,
    /// Normalized.
    name: String,
}

impl Guard {
    pub(crate) fn new(grants: &Grants, config: &HostConfig) -> Self {
        let despite = grants.directories.values().flat_map(|one| &one.despite);
        Self {
            names: config.guarded_names.iter().map(|n| normalized(n)).collect(),
            exceptions: despite
                .filter_map(|place| GuardException::at(place))
                .collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The guarded name that `part` of a path means, if it means one.
    pub(super) fn guarded_name(&self, part: &str) -> Option<&str> {
        let part = normalized(part);
        match self.names.iter().find(|name| **name == part) {
            Some(name) => Some(name),
            None if !self.is_empty() && is_short(&part) => Some(SHORT),
            None => None,
        }
    }

    /// The guarded names that the text of `path` holds.
    pub(super) fn named_in(&self, path: &str) -> impl Iterator<Item = &str> {
        let parts = path.split(['/', '\\']);
        parts.filter_map(|part| self.guarded_name(part))
    }

    /// True if the text of `path` holds a guarded name, excepted or not.
    pub(super) fn names(&self, path: &str) -> bool {
        self.named_in(path).next().is_some()
    }

    /// The directories in which a person insisted on `name`.
    pub(super) fn exceptions(&self, name: &str) -> impl Iterator<Item = &Path> {
        let same = self.exceptions.iter().filter(move |one| one.name == name);
        same.map(|one| one.directory.as_path())
    }

    /// The first guarded name in the text of `path` that is excepted in no directory.
    pub(super) fn refuses(&self, path: &str) -> Option<&str> {
        let mut named = self.named_in(path);
        named.find(|name| self.exceptions(name).next().is_none())
    }
}

impl GuardException {
    fn at(place: &Path) -> Option<Self> {
        Some(Self {
            directory: place.parent()?.to_owned(),
            name: normalized(place.file_name()?.to_str()?),
        })
    }
}

/// A name as file systems compare it: without what some of them pass over, and in one case. It is
/// converted to upper case first, since a few characters are one letter in upper case only.
fn normalized(name: &str) -> String {
    let is_passed_over = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name = name.split(':').next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !is_passed_over(*c)).collect();
    let name = name.trim_end_matches([' ', '.']);
    name.to_uppercase().to_lowercase()
}

/// True for normalized names of the form that NTFS makes beside longer ones, such as `git~1` and
/// `toolbo~1.tom`. Only NTFS knows which longer name one stands for, and the directory may be on
/// such a disk whatever the system.
fn is_short(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((start, number)) = stem.rsplit_once('~') else {
        return false;
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !start.is_empty() && stem.len() <= 8 && extension.len() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::Access;

    fn guard() -> Guard {
        let mut config = HostConfig::new();
        config.guarded_names = [".git", "toolbox.toml", ".cursor"].map(String::from).into();
        let name = "notes".parse().unwrap();
        let mut grants = Grants::none().directory(name, "/a", Access::ReadWrite);
        for grant in grants.directories.values_mut() {
            grant.despite.insert("/a/.GIT".into());
        }
        Guard::new(&grants, &config)
    }

    #[test]
    fn a_guarded_name_is_found_however_it_is_written() {
        let guard = guard();
        for path in [
            ".git",
            ".git/hooks/post-checkout",
            "a/.GIT/config",
            "./.git.",
            ".git /config",
            ".g\u{200c}it/config",
            ".git::$INDEX_ALLOCATION/config",
            "a\\.git\\config",
            "Toolbox.toml",
            ".cur\u{17f}or",
            "git~1/config",
            "a/GIT~12",
            "toolbo~1.tom",
            "TO3F2A~1.TOM",
        ] {
            assert!(guard.named_in(path).next().is_some(), "{path}");
        }
        for path in [
            "git",
            ".gitignore",
            "a/.github/x",
            "toolbox.toml.md",
            "",
            ".",
            "~",
            "~1",
            "notes~",
            "notes.~1~",
            "chapter~1.draft",
            "a-longer-name~1",
            "v~1a",
        ] {
            assert_eq!(guard.named_in(path).next(), None, "{path}");
        }
        assert_eq!(Guard::default().named_in(".git/git~1").next(), None);
    }

    /// Only the directory tells whether a name is given; the text refuses what is given nowhere.
    #[test]
    fn what_was_insisted_on_is_left_to_the_directory() {
        let guard = guard();
        let given: Vec<_> = guard.exceptions(".git").collect();
        assert_eq!(given, [Path::new("/a")]);
        assert_eq!(guard.refuses("deep/.git/config"), None);
        assert_eq!(guard.refuses(".git/toolbox.toml"), Some("toolbox.toml"));
        assert_eq!(guard.refuses("git~1"), Some(SHORT));
    }
}
