//! A control group for a cage, where this process may make one that limits tasks.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// The beginning of the names of control groups, which a launcher's number follows.
const PREFIX: &str = "tool-cage-";

/// The directory in which this process may make control groups that limit tasks.
pub(crate) fn parent() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let (version, root, own) = own_directory(&groups, &mounts)?;
    let parent = match version {
        Version::One => own,
        // A group of the second version has processes or limits groups in it, but for the first.
        Version::Two if !own.join("cgroup.type").exists() => own,
        Version::Two => own.parent().filter(|it| it.starts_with(&root))?.to_owned(),
    };
    if version == Version::Two {
        let limited = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
        limited.split_ascii_whitespace().find(|it| *it == "pids")?;
    }
    let may_write = |path: &Path| rustix::fs::access(path, Access::WRITE_OK).is_ok();
    (may_write(&parent) && may_write(&parent.join("cgroup.procs"))).then_some(parent)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The version that limits tasks, where its groups are, and this process's own among them.
fn own_directory(groups: &str, mounts: &str) -> Option<(Version, PathBuf, PathBuf)> {
    let lines = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    let of = |is_it: fn(&str) -> bool| lines.clone().find(|(names, _)| is_it(names));
    let (version, path) = of(|names| names.split(',').any(|name| name == "pids"))
        .map(|(_, path)| (Version::One, path))
        .or_else(|| of(str::is_empty).map(|(_, path)| (Version::Two, path)))?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, mounted) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (name, options) = (kind.next()?, kind.nth(1)?);
        let is_it = match version {
            Version::One => name == "cgroup" && options.split(',').any(|it| it == "pids"),
            Version::Two => name == "cgroup2",
        };
        let below = Path::new(path).strip_prefix(root).ok().filter(|_| is_it)?;
        let mounted = PathBuf::from(mounted);
        let own = mounted.join(below);
        Some((version, mounted, own))
    })
}

/// A control group, which is removed in the end.
pub(super) struct ControlGroup {
    directory: PathBuf,
}

impl ControlGroup {
    /// Makes one in `parent` for at most `tasks` tasks, and removes those that killed launchers
    /// left there.
    pub(super) fn make(parent: &Path, tasks: u64) -> io::Result<Self> {
        for entry in fs::read_dir(parent)?.flatten() {
            let name = entry.file_name();
            let launcher = name.to_str().and_then(|it| it.strip_prefix(PREFIX));
            if launcher.is_some_and(|it| !Path::new("/proc").join(it).exists()) {
                // It stays while there are processes in it.
                let _ = fs::remove_dir(entry.path());
            }
        }
        let directory = parent.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&directory)?;
        let group = Self { directory };
        group.write("pids.max", &tasks.to_string())?;
        Ok(group)
    }

    /// Moves this process into it.
    pub(super) fn join(&self) -> io::Result<()> {
        self.write("cgroup.procs", "0")
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.directory.join(name);
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.write_all(text.as_bytes())
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.directory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the groups in `groups` and the mounts in `mounts` lead to `expect`.
    #[track_caller]
    fn check(groups: &str, mounts: &str, expect: Option<(Version, &str, &str)>) {
        let found = own_directory(groups, mounts);
        let expect = expect.map(|(version, root, own)| (version, root.into(), own.into()));
        assert_eq!(found, expect);
    }

    #[test]
    fn the_own_group_is_found_in_both_versions() {
        let mounts = "24 1 0:22 / /proc rw - proc proc rw\n\
            30 1 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
            31 1 0:27 / /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids\n\
            32 1 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        check(
            "9:cpu:/a\n8:pids:/b/c\n0::/\n",
            mounts,
            Some((
                Version::One,
                "/sys/fs/cgroup/pids",
                "/sys/fs/cgroup/pids/b/c",
            )),
        );
        check(
            "0::/user.slice/a:b\n",
            mounts,
            Some((
                Version::Two,
                "/sys/fs/cgroup/unified",
                "/sys/fs/cgroup/unified/user.slice/a:b",
            )),
        );
    }

    #[test]
    fn a_group_outside_of_what_is_mounted_is_not_found() {
        let mounts = "31 1 0:27 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        let within = Some((Version::Two, "/sys/fs/cgroup", "/sys/fs/cgroup/y"));
        check("0::/docker/x/y\n", mounts, within);
        check("0::/other\n", mounts, None);
        check("", mounts, None);
        check("0::/\n", "no mounts", None);
    }
}
