//! Makes the directories that builds work in, below the user's cache.
//!
//! Build programs read settings from the directories above the one that they work in: cargo
//! `.cargo/config.toml`, esbuild and TypeScript `package.json` and `tsconfig.json`. Above the
//! system's temporary directory anybody on the machine can leave such a file, above the user's
//! cache nobody else.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use crate::settings::config::Config;

/// The age of a directory that a build which was killed has left behind.
const LEFT_AFTER: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A new directory whose name begins with `prefix`. It goes with the value.
///
/// # Errors
/// If it cannot be made.
pub(crate) fn directory(prefix: &str, config: &Config) -> anyhow::Result<TempDir> {
    made_below(&config.settings.builds, prefix)
}

fn made_below(builds: &Path, prefix: &str) -> anyhow::Result<TempDir> {
    let made = || -> std::io::Result<TempDir> {
        std::fs::create_dir_all(builds)?;
        // npm installs nothing into a directory that is reached through a link.
        let real = builds.canonicalize()?;
        remove_left(&real)?;
        tempfile::Builder::new().prefix(prefix).tempdir_in(real)
    };
    made().with_context(|| format!("no directory can be made in {}", builds.display()))
}

/// Removes what builds left that were killed long ago.
fn remove_left(builds: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(builds)?.flatten() {
        let modified = entry.metadata().and_then(|it| it.modified());
        let age = modified.ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > LEFT_AFTER) {
            // What cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use tool_hub_toolbox::settings::Settings;
    use tool_hub_toolbox::variables::Variables;

    use super::*;

    #[test]
    fn builds_work_below_the_user_s_cache() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().to_owned();
        let variables = Variables::new(move |name| match name {
            "HOME" => Some(directory.clone().into()),
            _ => None,
        });
        let settings = Settings::resolve(variables, home.path().to_owned(), None).unwrap();
        let cache = home.path().join(".cache/tool-hub");
        assert!(settings.builds.starts_with(&cache));
        let scratch = made_below(&settings.builds, "tool-x-").unwrap();
        let real = settings.builds.canonicalize().unwrap();
        assert_eq!(scratch.path().parent(), Some(&*real));
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_build_left_goes_after_a_week() {
        let builds = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| builds.path().join(name));
        for directory in [&old, &new] {
            std::fs::create_dir(directory).unwrap();
        }
        let long_ago = SystemTime::now() - LEFT_AFTER - Duration::from_secs(60);
        File::open(&old).unwrap().set_modified(long_ago).unwrap();
        let _scratch = made_below(builds.path(), "tool-x-").unwrap();
        assert!(!old.exists() && new.exists());
    }
}
