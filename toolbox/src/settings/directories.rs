//! Finds the user's home, data, cache and configuration directories, and the token file of `hf`.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::variables::{HOME, Variables};

/// The directories in which tool-hub and the `hf` command keep things.
pub(super) struct Directories {
    pub(super) home: PathBuf,
    /// The directory of all programs' configuration.
    pub(super) config: PathBuf,
    pub(super) data: PathBuf,
    pub(super) cache: PathBuf,
    pub(super) user: PathBuf,
    pub(super) hub_token_file: PathBuf,
}

/// The usual directories of a system: those of the XDG specification, or those of Windows.
struct Base {
    config: PathBuf,
    data: PathBuf,
    cache: PathBuf,
}

impl Directories {
    pub(super) fn find(variables: &Variables, working: &Path) -> Result<Self, Error> {
        let home = variables.path(HOME).ok_or(Error::NoHome)?;
        let base = Base::find(variables, &home);
        let hub_home = variables
            .text("HF_HOME")
            .map_or_else(|| base.cache.join("huggingface"), PathBuf::from);
        let hub_token_file = variables
            .text("HF_TOKEN_PATH")
            .map_or_else(|| hub_home.join("token"), PathBuf::from);
        let (data, cache, user) = match variables.directory("TOOL_HUB_HOME", working) {
            Some(own) => (own.clone(), own.join("cache"), own),
            None => (
                base.data.join("tool-hub"),
                base.cache.join("tool-hub"),
                base.config.join("tool-hub"),
            ),
        };
        Ok(Self {
            home,
            config: base.config,
            data,
            cache,
            user,
            hub_token_file,
        })
    }
}

impl Base {
    fn find(variables: &Variables, home: &Path) -> Self {
        // The XDG specification tells programs to ignore relative paths.
        let directory = |name: &str, usual: &str| {
            let told = variables.path(name).filter(|path| path.is_absolute());
            told.unwrap_or_else(|| home.join(usual))
        };
        if cfg!(windows) {
            let roaming = directory("APPDATA", "AppData/Roaming");
            return Self {
                config: roaming.clone(),
                data: roaming,
                cache: directory("LOCALAPPDATA", "AppData/Local"),
            };
        }
        Self {
            config: directory("XDG_CONFIG_HOME", ".config"),
            data: directory("XDG_DATA_HOME", ".local/share"),
            cache: directory("XDG_CACHE_HOME", ".cache"),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(told: &'static [(&str, &str)], [data, cache, user, token]: [&str; 4]) {
        let variables = Variables::new(|name| {
            let mut told = told.iter().chain(&[("HOME", "/home/ada")]);
            let found = told.find(|(other, _)| *other == name);
            found.map(|(_, value)| value.into())
        });
        let found = Directories::find(&variables, Path::new("/project")).unwrap();
        assert_eq!(found.home, Path::new("/home/ada"));
        assert_eq!(found.data, Path::new(data));
        assert_eq!(found.cache, Path::new(cache));
        assert_eq!(found.user, Path::new(user));
        assert_eq!(found.hub_token_file, Path::new(token));
    }

    #[test]
    fn variables_move_directories() {
        let usual = [
            "/home/ada/.local/share/tool-hub",
            "/home/ada/.cache/tool-hub",
            "/home/ada/.config/tool-hub",
            "/home/ada/.cache/huggingface/token",
        ];
        check(&[], usual);
        check(
            &[("XDG_DATA_HOME", "relative"), ("TOOL_HUB_HOME", "")],
            usual,
        );
        let [data, ..] = usual;
        check(
            &[("XDG_CACHE_HOME", "/c"), ("XDG_CONFIG_HOME", "/s")],
            [data, "/c/tool-hub", "/s/tool-hub", "/c/huggingface/token"],
        );
        check(
            &[("TOOL_HUB_HOME", "./own"), ("HF_HOME", "/hf")],
            [
                "/project/own",
                "/project/own/cache",
                "/project/own",
                "/hf/token",
            ],
        );
        check(
            &[("TOOL_HUB_HOME", "/own"), ("HF_TOKEN_PATH", "/token")],
            ["/own", "/own/cache", "/own", "/token"],
        );
    }

    #[test]
    fn without_a_home_there_is_nothing() {
        let found = Directories::find(&Variables::new(|_| None), Path::new("/project"));
        assert!(matches!(found, Err(Error::NoHome)));
    }
}
