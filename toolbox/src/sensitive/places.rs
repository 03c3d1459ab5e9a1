//! Lists the sensitive places of a machine and a home directory, and sensitive names in projects.

use std::path::{Path, PathBuf};

use tool_hub_manifest::Access;

use super::finding::Refusal;
use crate::clients::McpClient;
use crate::files;
use crate::open_toolbox::OpenToolbox;
use crate::settings::Settings;
use crate::system_file::SYSTEM_DIRECTORY;

/// A kind of sensitive place.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) why: &'static str,
    pub(super) reach: Reach,
    /// The least access that makes it dangerous.
    pub(super) from: Access,
    pub(super) refusal: Refusal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It must not be inside of a granted directory.
    Above,
    /// In addition, granted directories must not be inside of it.
    Around,
}

const ROOT: Kind = Kind {
    why: "the root directory, which is never given to a tool",
    reach: Reach::Above,
    from: Access::Read,
    refusal: Refusal::Always,
};
const HOME: Kind = Kind {
    why: "the home directory, which is never given to a tool as a whole",
    ..ROOT
};
const MACHINE: Kind = Kind {
    why: "a kernel file system, which is never given to a tool",
    reach: Reach::Around,
    ..ROOT
};
const OWN: Kind = Kind {
    why: "where `tool` keeps its own files, which is never given to a tool",
    ..MACHINE
};
pub(super) const TRUST: Kind = Kind {
    why: "which decides what your tools may do, and which no tool may change",
    reach: Reach::Above,
    from: Access::ReadWrite,
    refusal: Refusal::Always,
};
const SYSTEM: Kind = Kind {
    reach: Reach::Around,
    ..TRUST
};
const SECRETS: Kind = Kind {
    why: "which can hold keys and other credentials",
    reach: Reach::Around,
    from: Access::Read,
    refusal: Refusal::UnlessInsisted,
};
const AGENTS: Kind = Kind {
    why: "whose settings decide which programs an agent starts",
    ..SECRETS
};
const PROGRAMS: Kind = Kind {
    why: "which holds programs and what they run or read",
    from: Access::ReadWrite,
    ..SECRETS
};
const ON_PATH: Kind = Kind {
    why: "which is on the search path of programs",
    reach: Reach::Above,
    ..PROGRAMS
};
const GIT: Kind = Kind {
    why: "whose hooks and settings make git run programs",
    ..PROGRAMS
};
const INSTRUCTIONS: Kind = Kind {
    why: "which tells agents what to do",
    ..PROGRAMS
};
const STARTERS: Kind = Kind {
    why: "which starts programs",
    ..PROGRAMS
};

/// Sensitive directories of the machine: the top of its hierarchy, except where people work.
const OF_THE_MACHINE: [(&str, &Kind); 22] = [
    ("/proc", &MACHINE),
    ("/sys", &MACHINE),
    ("/dev", &MACHINE),
    (SYSTEM_DIRECTORY, &SYSTEM),
    ("/etc", &SECRETS),
    ("/root", &SECRETS),
    ("/run", &SECRETS),
    ("/boot", &SECRETS),
    ("/bin", &PROGRAMS),
    ("/sbin", &PROGRAMS),
    ("/lib", &PROGRAMS),
    ("/lib32", &PROGRAMS),
    ("/lib64", &PROGRAMS),
    ("/libx32", &PROGRAMS),
    ("/opt", &PROGRAMS),
    ("/usr", &PROGRAMS),
    ("/var", &PROGRAMS),
    ("/nix", &PROGRAMS),
    ("/snap", &PROGRAMS),
    ("/System", &PROGRAMS),
    ("/Library", &PROGRAMS),
    ("/Applications", &PROGRAMS),
];
/// Sensitive directories of Windows, on the drive of the home directory.
const OF_WINDOWS: [(&str, &Kind); 4] = [
    ("Windows", &PROGRAMS),
    ("Program Files", &PROGRAMS),
    ("Program Files (x86)", &PROGRAMS),
    ("ProgramData", &SECRETS),
];
/// Exceptions within the machine's directories, in which people work: temporary files, and disks
/// that a desktop mounts. A home is an exception too, wherever it is.
const OPEN: [&str; 3] = ["/var/tmp", "/var/folders", "/run/media"];

/// Sensitive entries of a home directory, in addition to its hidden ones.
const OF_A_HOME: [(&str, &Kind); 6] = [
    ("snap", &SECRETS),
    (".local/share", &SECRETS),
    (".local/state", &SECRETS),
    ("bin", &PROGRAMS),
    ("go/bin", &PROGRAMS),
    ("go/pkg", &PROGRAMS),
];
/// Hidden entries of a home that may be read: they hold programs or caches.
const HIDDEN_PROGRAMS: [&str; 2] = [".local", ".cache"];
/// An entry that the system hides although its name has no leading dot.
const HIDDEN_BY_THE_SYSTEM: Option<&str> = if cfg!(target_os = "macos") {
    Some("Library")
} else if cfg!(windows) {
    Some("AppData")
} else {
    None
};

/// Names that other programs act on in any project, besides the configurations of MCP clients.
const OF_PROJECTS: [(&str, &Kind); 22] = [
    (".git", &GIT),
    (".claude", &AGENTS),
    ("AGENTS.md", &INSTRUCTIONS),
    ("CLAUDE.md", &INSTRUCTIONS),
    ("CLAUDE.local.md", &INSTRUCTIONS),
    ("GEMINI.md", &INSTRUCTIONS),
    (".clinerules", &INSTRUCTIONS),
    (".continue", &INSTRUCTIONS),
    (".cursorrules", &INSTRUCTIONS),
    (".github", &INSTRUCTIONS),
    (".junie", &INSTRUCTIONS),
    (".roo", &INSTRUCTIONS),
    (".roorules", &INSTRUCTIONS),
    (".windsurf", &INSTRUCTIONS),
    (".windsurfrules", &INSTRUCTIONS),
    (".devcontainer", &STARTERS),
    (".devcontainer.json", &STARTERS),
    (".envrc", &STARTERS),
    (".hg", &STARTERS),
    (".husky", &STARTERS),
    (".idea", &STARTERS),
    (".pre-commit-config.yaml", &STARTERS),
];

/// A sensitive place. A granted directory may be it, contain it, or be inside of it.
#[derive(Debug, Clone)]
pub(super) struct SensitivePlace {
    pub(super) path: PathBuf,
    pub(super) kind: &'static Kind,
}

/// The sensitive places of a user and a machine.
#[derive(Debug)]
pub(super) struct Places {
    places: Vec<SensitivePlace>,
    home: PathBuf,
    /// Exceptions within sensitive places.
    open: Vec<PathBuf>,
}

impl Places {
    /// Collects the sensitive places of this machine.
    pub(super) fn of(settings: &Settings) -> Self {
        let mut found = Self::of_home(&settings.home);
        let own = settings.own_directories().map(|path| (path, &OWN));
        let toolbox = OpenToolbox::files(&OpenToolbox::directory_in_force(settings));
        let clients = &settings.clients;
        let of_clients = McpClient::ALL.into_iter().filter_map(|client| {
            let file = client.user_file(clients);
            Some((file.parent()?.to_owned(), &AGENTS))
        });
        let token = settings.hub_token_file().to_owned();
        let searched = settings.search_path.iter().cloned();
        let more = own
            .into_iter()
            .chain(toolbox.map(|path| (path, &TRUST)))
            .chain(of_clients)
            .chain([(clients.config.clone(), &SECRETS), (token, &SECRETS)])
            .chain(searched.map(|path| (path, &ON_PATH)));
        found.places.extend(more.map(SensitivePlace::resolved));
        found
    }

    /// The places that every machine has, for a user whose home is `home`.
    fn of_home(home: &Path) -> Self {
        let tops = [(PathBuf::from("/"), &ROOT), (home.to_owned(), &HOME)];
        let machine = OF_THE_MACHINE.map(|(path, kind)| (PathBuf::from(path), kind));
        let in_home = OF_A_HOME.map(|(name, kind)| (home.join(name), kind));
        let drive = home.ancestors().last().filter(|_| cfg!(windows));
        let windows = drive.into_iter();
        let windows =
            windows.flat_map(|drive| OF_WINDOWS.map(|(name, kind)| (drive.join(name), kind)));
        let all = tops.into_iter().chain(machine);
        let all = all.chain(windows).chain(in_home);
        let open = OPEN.iter().map(Path::new).chain([home]);
        let mut found = Self {
            places: all.map(SensitivePlace::resolved).collect(),
            home: files::real_path(home),
            open: open.map(files::real_path).collect(),
        };
        found.places.extend(found.linked());
        found
    }

    /// The targets of hidden links in the home directory. They are as sensitive as an entry that
    /// was not moved.
    fn linked(&self) -> Vec<SensitivePlace> {
        let entries = std::fs::read_dir(&self.home).into_iter().flatten();
        let entries = entries.flatten().map(|entry| entry.path());
        let hidden = entries.filter_map(|path| self.hidden(&path));
        hidden
            .filter(|place| place.path.is_symlink())
            .map(|place| SensitivePlace::resolved((place.path, place.kind)))
            .filter(|place| !self.home.starts_with(&place.path))
            .collect()
    }

    /// The places that make `directory`, a real path, dangerous to grant with `access`.
    pub(super) fn near(&self, directory: &Path, access: Access) -> Vec<SensitivePlace> {
        let is_near = |place: &SensitivePlace| {
            access >= place.kind.from
                && (place.path.starts_with(directory) || self.holds(place, directory))
        };
        let places = self.places.iter().cloned().chain(self.hidden(directory));
        places.filter(is_near).collect()
    }

    fn holds(&self, place: &SensitivePlace, directory: &Path) -> bool {
        let is_between =
            |open: &PathBuf| open.starts_with(&place.path) && directory.starts_with(open);
        place.kind.reach == Reach::Around
            && directory.starts_with(&place.path)
            && (place.kind.refusal == Refusal::Always || !self.open.iter().any(is_between))
    }

    /// The hidden entry of the home directory that is `directory` or contains it. Programs keep
    /// their settings there, with keys among them.
    fn hidden(&self, directory: &Path) -> Option<SensitivePlace> {
        let below = directory.strip_prefix(&self.home).ok()?;
        let name = below.components().next()?.as_os_str();
        let is_hidden = name.as_encoded_bytes().starts_with(b".")
            || HIDDEN_BY_THE_SYSTEM.is_some_and(|hidden| name.eq_ignore_ascii_case(hidden));
        let kind = match HIDDEN_PROGRAMS.iter().any(|programs| name == *programs) {
            true => &PROGRAMS,
            false => &SECRETS,
        };
        let path = self.home.join(name);
        is_hidden.then_some(SensitivePlace { path, kind })
    }
}

impl SensitivePlace {
    fn resolved((path, kind): (PathBuf, &'static Kind)) -> Self {
        let path = files::real_path(&path);
        Self { path, kind }
    }
}

/// Names that other programs act on in a project, with their kinds.
pub(super) fn of_projects() -> impl Iterator<Item = (&'static str, &'static Kind)> {
    let clients = McpClient::ALL
        .into_iter()
        .filter_map(McpClient::project_name);
    OF_PROJECTS
        .into_iter()
        .chain(clients.map(|name| (name, &AGENTS)))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// The places that are near `directory` for who has a `home`, without what is never given.
    #[track_caller]
    fn check(home: &str, directory: &str, access: Access, expect: &[&str]) {
        let near = Places::of_home(Path::new(home)).near(Path::new(directory), access);
        let mut found: Vec<&Path> = near.iter().map(|place| &*place.path).collect();
        found.sort();
        let expect: Vec<&Path> = expect.iter().map(Path::new).collect();
        assert_eq!(found, expect, "{directory} ({access}) with the home {home}");
    }

    #[test]
    fn ordinary_directories_are_near_nothing() {
        for (home, directory) in [
            ("/home/ada", "/home/ada/app"),
            ("/home/ada", "/home/ada/projects/x/.data"),
            ("/home/ada", "/home/ada/projects/opt/var"),
            ("/home/ada", "/tmp/x"),
            ("/home/ada", "/tmp"),
            ("/home/ada", "/var/tmp/x"),
            ("/home/ada", "/run/media/ada/disk/x"),
            ("/home/ada", "/mnt/disk/x"),
            ("/home/ada", "/media/ada/disk"),
            ("/home/ada", "/srv/x"),
            ("/home/ada", "/data/x"),
            ("/root", "/root/app"),
            ("/root", "/app"),
            ("/", "/data/x"),
            ("/", "/tmp/x"),
            ("/var/home/ada", "/var/home/ada/app"),
            ("/var/lib/jenkins", "/var/lib/jenkins/workspace/x"),
            ("/opt/runner", "/opt/runner/x"),
            // A home that a test made, below what is hidden in another one.
            ("/home/ada/.cache/t/.tmp1", "/home/ada/.cache/t/.tmp1/desk"),
            ("/home/ada/.cache/t/.tmp1", "/home/ada/.cache/t/.tmp2"),
        ] {
            check(home, directory, Access::Read, &[]);
            check(home, directory, Access::ReadWrite, &[]);
        }
    }

    #[test]
    fn what_is_hidden_in_a_home_is_for_keys() {
        for home in ["/home/ada", "/root", "/var/lib/jenkins", "/"] {
            for name in [".ssh", ".vim", ".nvm", ".oh-my-zsh", ".vscode-server", ".a"] {
                let place = Path::new(home).join(name);
                let place = place.to_str().unwrap();
                for directory in [place, &format!("{place}/deep/er")] {
                    check(home, directory, Access::Read, &[place]);
                    check(home, directory, Access::ReadWrite, &[place]);
                }
            }
        }
        let own = "/home/ada/.local";
        for name in ["lib", "bin", "lib/python3.12/site-packages"] {
            let directory = format!("{own}/{name}");
            check("/home/ada", &directory, Access::Read, &[]);
            check("/home/ada", &directory, Access::ReadWrite, &[own]);
        }
        let (share, state) = ("/home/ada/.local/share", "/home/ada/.local/state");
        check("/home/ada", own, Access::Read, &[share, state]);
        let keys = format!("{share}/keyrings");
        check("/home/ada", &keys, Access::Read, &[share]);
        let cache = "/home/ada/.cache";
        check("/home/ada", "/home/ada/.cache/x", Access::Read, &[]);
        check(
            "/home/ada",
            "/home/ada/.cache/x",
            Access::ReadWrite,
            &[cache],
        );
    }

    #[test]
    fn what_is_hidden_is_found_where_it_was_moved_to() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        let keys = home.join("dotfiles/ssh");
        std::fs::create_dir_all(keys.join("deep")).unwrap();
        symlink("dotfiles/ssh", home.join(".ssh")).unwrap();
        symlink(".", home.join(".here")).unwrap();
        symlink("/", home.join(".root")).unwrap();
        symlink("nowhere", home.join(".gone")).unwrap();
        let (home, keys) = (home.to_str().unwrap(), keys.to_str().unwrap());
        for near in [keys, &format!("{keys}/deep"), &format!("{home}/dotfiles")] {
            check(home, near, Access::Read, &[keys]);
        }
        check(home, &format!("{home}/app"), Access::ReadWrite, &[]);
        check(home, "/srv/x", Access::ReadWrite, &[]);
    }

    #[test]
    fn the_machine_s_own_directories_are_not_changed() {
        for home in ["/home/ada", "/root", "/", "/var/lib/jenkins"] {
            for (directory, place) in [
                ("/opt/app", "/opt"),
                ("/opt", "/opt"),
                ("/var/lib/postgresql", "/var"),
                ("/var/spool/cron", "/var"),
                ("/var/www", "/var"),
                ("/usr/share", "/usr"),
            ] {
                check(home, directory, Access::Read, &[]);
                check(home, directory, Access::ReadWrite, &[place]);
            }
            check(home, "/etc/ssl", Access::Read, &["/etc"]);
        }
        check("/home/ada", "/root/app", Access::Read, &["/root"]);
    }
}
