//! Granted directories: refuses those that no tool is given, and opens the others for a call.

pub(crate) mod guard;
pub(crate) mod operations;
mod path;
mod resolve;
#[cfg(unix)]
mod walk;
#[cfg(any(not(unix), test))]
mod walk_non_unix;
pub(crate) mod wasi_3;

use std::io;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{DirectoryName, Grants};

use crate::config::HostConfig;
use crate::error::HostError;

/// Directories that no tool is given whatever was granted: they hold no files of the user's, but
/// the machine itself, and this process.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Refuses grants with a directory that is never given away, or that is not what its path
/// says.
pub(crate) fn check(grants: &Grants, config: &HostConfig) -> Result<(), HostError> {
    let own = config.refused_directories.iter().chain(&config.cache);
    let system = SYSTEM.iter().map(PathBuf::from);
    let refused: Vec<PathBuf> = own.map(|path| real_path(path)).chain(system).collect();
    let home = config.home.as_deref().map(real_path);
    for (name, granted) in &grants.directories {
        check_one(&granted.path, &refused, home.as_deref()).map_err(|reason| {
            HostError::Directory {
                name: name.clone(),
                path: granted.path.clone(),
                reason,
            }
        })?;
    }
    Ok(())
}

fn check_one(path: &Path, refused: &[PathBuf], home: Option<&Path>) -> Result<(), String> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    if !real.is_dir() {
        return Err("it is not a directory".into());
    }
    // What a person read has to be what is enforced, today and after somebody changed the
    // link.
    if real != path {
        let real = real.display();
        return Err(format!("it leads to {real}; grant that path itself"));
    }
    if real.parent().is_none() {
        return Err("the root directory is never given to a tool".into());
    }
    if home.is_some_and(|home| home.starts_with(&real)) {
        return Err(
            "it is or holds the home directory, which is never given to a tool as a whole".into(),
        );
    }
    for own in refused {
        if real.starts_with(own) || own.starts_with(&real) {
            let own = own.display();
            return Err(format!(
                "it holds or lies in {own}, which is never given to a tool"
            ));
        }
    }
    Ok(())
}

/// The real path of `path`. The last parts of it may not exist yet, and stay as they are.
fn real_path(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}

/// A granted directory, held from when it was found until a call has opened it.
pub(crate) struct DirectoryHandle {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    _handle: Option<std::os::fd::OwnedFd>,
}

impl DirectoryHandle {
    /// Finds the directory at `path`, in which no part may be a link: between the load and
    /// this call somebody may have put one there, another tool for instance that may write
    /// to the directory above.
    pub(crate) fn find(name: &DirectoryName, path: &Path) -> Result<Self, String> {
        let failed = |reason: String| {
            let path = path.display();
            format!("the directory {path} granted as `{name}` cannot be opened: {reason}")
        };
        find(path).map_err(|error| failed(error.to_string()))
    }

    /// A path that leads to this directory and no other, as long as it is held.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(target_os = "linux")]
fn find(path: &Path) -> io::Result<DirectoryHandle> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve) {
        Ok(handle) => Ok(DirectoryHandle {
            path: format!("/proc/self/fd/{}", handle.as_raw_fd()).into(),
            _handle: Some(handle),
        }),
        Err(rustix::io::Errno::LOOP) => Err(io::Error::other(
            "a link stands in the path that was granted",
        )),
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => Ok(DirectoryHandle {
            path: unlinked(path)?,
            _handle: None,
        }),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn find(path: &Path) -> io::Result<DirectoryHandle> {
    unlinked(path).map(|path| DirectoryHandle { path })
}

/// `path`, where no part of it is a link at this moment.
fn unlinked(path: &Path) -> io::Result<PathBuf> {
    if path.canonicalize()? == path {
        return Ok(path.to_owned());
    }
    Err(io::Error::other(
        "a link stands in the path that was granted",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::Access;

    #[track_caller]
    fn given(path: &Path, refused: &Path, expect: Option<&str>) {
        let name: DirectoryName = "notes".parse().unwrap();
        let grants = Grants::none().directory(name, path, Access::Read);
        let mut config = HostConfig::new();
        config.refused_directories.push(refused.to_owned());
        config.home = Some(refused.parent().unwrap().join("home/me"));
        let reason = match check(&grants, &config) {
            Ok(()) => None,
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
        let base = base.path().canonicalize().unwrap();
        let store = base.join("store");
        let inside = store.join("blobs");
        let notes = base.join("notes");
        let home = base.join("home/me");
        for directory in [&inside, &notes, &home.join("notes")] {
            std::fs::create_dir_all(directory).unwrap();
        }
        given(&notes, &store, None);
        given(&store, &store, Some("never given"));
        given(&inside, &store, Some("lies in"));
        given(&base, &store, Some("never given"));
        given(&home, &store, Some("the home directory"));
        given(&base.join("home"), &store, Some("the home directory"));
        given(&home.join("notes"), &store, None);
        given(Path::new("/"), &store, Some("root directory"));
        given(&base.join("missing"), &store, Some("No such file"));
        for system in ["/proc", "/proc/self", "/dev", "/sys"] {
            if let Ok(real) = Path::new(system).canonicalize() {
                given(&real, &store, Some("never given"));
            }
        }
        // What is not there yet is refused to whoever would find it there later.
        given(&notes, &notes.join("later/store"), Some("never given"));
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_not_given() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let store = base.join("store");
        let notes = base.join("notes");
        std::fs::create_dir_all(notes.join("deep")).unwrap();
        std::fs::create_dir(&store).unwrap();
        std::os::unix::fs::symlink(&store, base.join("link")).unwrap();
        std::os::unix::fs::symlink(&notes, base.join("other")).unwrap();
        for path in [
            "link",
            "other",
            "other/deep",
            "notes/../notes",
            "notes/deep/..",
        ] {
            given(&base.join(path), &base.join("nothing"), Some("it leads to"));
        }
    }

    #[test]
    fn a_link_that_was_put_into_the_path_is_not_followed() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let name: DirectoryName = "notes".parse().unwrap();
        let notes = base.join("above/notes");
        std::fs::create_dir_all(&notes).unwrap();
        std::fs::create_dir_all(base.join("secret/notes")).unwrap();
        let held = DirectoryHandle::find(&name, &notes).unwrap();
        std::fs::rename(base.join("above"), base.join("moved")).unwrap();
        std::os::unix::fs::symlink(base.join("secret"), base.join("above")).unwrap();
        if cfg!(target_os = "linux") && held.path() != notes {
            let led = std::fs::read_link(held.path()).unwrap();
            assert_eq!(led, base.join("moved/notes"), "the one that was found");
        }
        let error = DirectoryHandle::find(&name, &notes).err().unwrap();
        assert!(
            error.ends_with("a link stands in the path that was granted"),
            "{error}"
        );
    }
}
