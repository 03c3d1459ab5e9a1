//! Granted directories: which of them may be given to a tool, and by which path.

use std::path::{Path, PathBuf};

use tool_hub_manifest::{DirectoryName, Grants};

use crate::{HostConfig, HostError};

/// The grants with every directory by its real path.
pub(crate) fn settle(grants: &Grants, config: &HostConfig) -> Result<Grants, HostError> {
    let mut settled = grants.clone();
    let refused: Vec<PathBuf> = config
        .refused_directories
        .iter()
        .chain(&config.cache)
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    for (name, granted) in &mut settled.directories {
        granted.path = real(name, &granted.path, &refused)?;
    }
    Ok(settled)
}

/// The real path of `path`, so that what a person approved is what is opened.
fn real(name: &DirectoryName, path: &Path, refused: &[PathBuf]) -> Result<PathBuf, HostError> {
    let error = |reason: String| HostError::Directory {
        name: name.clone(),
        path: path.to_owned(),
        reason,
    };
    let real = path
        .canonicalize()
        .map_err(|problem| error(problem.to_string()))?;
    if !real.is_dir() {
        return Err(error("it is not a directory".into()));
    }
    if real.parent().is_none() {
        return Err(error("the root directory is never given to a tool".into()));
    }
    for own in refused {
        if real.starts_with(own) || own.starts_with(&real) {
            let own = own.display();
            return Err(error(format!(
                "it holds or lies in {own}, which is never given to a tool"
            )));
        }
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::Access;

    #[track_caller]
    fn check(path: &Path, refused: &Path, expect: Option<&str>) {
        let name: DirectoryName = "notes".parse().unwrap();
        let grants = Grants::none().directory(name, path, Access::Read);
        let mut config = HostConfig::new();
        config.refused_directories.push(refused.to_owned());
        let reason = match settle(&grants, &config) {
            Ok(_) => None,
            Err(HostError::Directory { reason, .. }) => Some(reason),
            Err(other) => panic!("{other}"),
        };
        match (&reason, expect) {
            (Some(reason), Some(expect)) => assert!(reason.contains(expect), "{reason}"),
            (reason, expect) => assert_eq!(reason.as_deref(), expect),
        }
    }

    #[test]
    fn directories_that_are_never_given_away() {
        let base = tempfile::tempdir().unwrap();
        let store = base.path().join("store");
        let inside = store.join("blobs");
        let notes = base.path().join("notes");
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(&notes).unwrap();
        check(&notes, &store, None);
        check(&store, &store, Some("never given"));
        check(&inside, &store, Some("lies in"));
        check(base.path(), &store, Some("never given"));
        check(Path::new("/"), &store, Some("root directory"));
        check(&base.path().join("missing"), &store, Some("No such file"));
        std::os::unix::fs::symlink(&store, base.path().join("link")).unwrap();
        check(&base.path().join("link"), &store, Some("never given"));
    }
}
