//! Directories that no tool is granted, or only if the user insists: those with our own approvals
//! and toolboxes, with keys, and with programs or settings that other programs use.
//!
//! Granted directories are checked before the user is asked, and again whenever a tool is loaded,
//! because a directory may have become dangerous since. Names with a meaning for other programs are
//! also guarded by the sandbox, at any depth and whoever created them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Access, DirectoryGrant, DirectoryName, Grants};

use crate::approvals::SYSTEM_DIRECTORY;
use crate::config::Config;
use crate::connect::{Client, ClientPlaces, Scope};
use crate::diagnosis::Problem;
use crate::files;
use crate::toolbox::OpenToolbox;

/// A kind of sensitive place.
struct Kind {
    why: &'static str,
    reach: Reach,
    /// The least access that makes it dangerous.
    from: Access,
    refusal: Refusal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It must not be inside of a granted directory.
    Above,
    /// In addition, granted directories must not be inside of it.
    Around,
}

/// The strength of a refusal: final, or one that the user can override by insisting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Always,
    UnlessInsisted,
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
const TRUST: Kind = Kind {
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
    why: "which holds programs and their settings",
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

/// Directories below the home directory that hold keys and other credentials.
const SECRET_DIRECTORIES: [&str; 13] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".thunderbird",
    ".claude",
    "Library/Keychains",
];
/// Directories below the home directory that hold the user's programs.
const PROGRAM_DIRECTORIES: [&str; 5] = ["bin", ".local/bin", ".cargo", ".rustup", ".npm-global"];
/// The machine's directories with secrets or running state.
const MACHINE_SECRETS: [&str; 4] = ["/etc", "/root", "/run", "/boot"];
/// The machine's directories with programs.
const MACHINE_PROGRAMS: [&str; 8] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/System",
    "/Library",
    "/Applications",
];

/// All sensitive places of this machine.
pub(crate) struct Sensitive {
    places: Vec<Place>,
    toolbox_names: Vec<String>,
}

/// A sensitive place. A granted directory may be it, contain it, or be inside of it.
struct Place {
    path: PathBuf,
    kind: &'static Kind,
}

/// A reason why a directory is dangerous to grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) place: PathBuf,
    pub(crate) refusal: Refusal,
    says: String,
}

impl Finding {
    /// The reason in words: `it holds /home/ada/bin, which holds programs and their settings`.
    pub(crate) fn says(&self) -> &str {
        &self.says
    }
}

impl Sensitive {
    /// Collects the sensitive places of this machine.
    pub(crate) fn of(config: &Config) -> anyhow::Result<Self> {
        let home = config.home();
        let mut places = Vec::new();
        let mut add = |path: PathBuf, kind: &'static Kind| {
            let path = files::settled(&path);
            // If the user's home is inside of such a place, it is where they work.
            if kind.refusal == Refusal::Always || !home.starts_with(&path) {
                places.push(Place { path, kind });
            }
        };
        add("/".into(), &ROOT);
        add(home.into(), &HOME);
        for path in ["/proc", "/sys", "/dev"] {
            add(path.into(), &MACHINE);
        }
        for path in config.own_directories() {
            add(path, &OWN);
        }
        for path in OpenToolbox::files(&OpenToolbox::directory_in_force(config)) {
            add(path, &TRUST);
        }
        add(SYSTEM_DIRECTORY.into(), &SYSTEM);
        let below_home = |name: &&str| home.join(name);
        let machines = MACHINE_SECRETS.iter().map(PathBuf::from);
        for path in SECRET_DIRECTORIES.iter().map(below_home).chain(machines) {
            add(path, &SECRETS);
        }
        let machines = MACHINE_PROGRAMS.iter().map(PathBuf::from);
        for path in PROGRAM_DIRECTORIES.iter().map(below_home).chain(machines) {
            add(path, &PROGRAMS);
        }
        for path in config.search_path() {
            add(path, &ON_PATH);
        }
        let clients = ClientPlaces::read()?;
        for client in Client::all() {
            let file = client.file(Scope::User, &clients, home);
            if let Some(directory) = file.as_deref().and_then(Path::parent) {
                add(directory.into(), &AGENTS);
            }
        }
        Ok(Self {
            places,
            toolbox_names: toolbox_names(),
        })
    }

    /// All reasons not to grant `directory`, a real path, with `access`. Those that the user cannot
    /// override come first.
    pub(crate) fn findings(&self, directory: &Path, access: Access) -> Vec<Finding> {
        let is_near = |place: &&Place| {
            let is_in_it = directory.starts_with(&place.path) && place.kind.reach == Reach::Around;
            access >= place.kind.from && (place.path.starts_with(directory) || is_in_it)
        };
        let near = self.places.iter().filter(is_near);
        let mut findings: Vec<Finding> = near
            .map(|place| finding(place.path.clone(), directory, place.kind))
            .collect();
        if access == Access::ReadWrite {
            let trusted = self.toolbox_names.iter();
            findings.extend(trusted.filter_map(|name| named(directory, name, &TRUST)));
            let others = names_of_others();
            findings.extend(others.filter_map(|(name, kind)| named(directory, name, kind)));
        }
        findings.sort_by_key(|finding| finding.refusal == Refusal::UnlessInsisted);
        let mut seen = BTreeSet::new();
        findings.retain(|finding| seen.insert(finding.place.clone()));
        findings
    }
}

/// Records in `grants` the dangers that the user insists on accepting.
///
/// # Errors
/// If the user insists on a place for which no granted directory is refused.
pub(crate) fn insist(
    grants: &mut Grants,
    insisted: &[PathBuf],
    config: &Config,
) -> anyhow::Result<()> {
    if insisted.is_empty() {
        return Ok(());
    }
    let sensitive = Sensitive::of(config)?;
    for written in insisted {
        let place = config.place(written);
        let real = files::settled(&place);
        let mut is_meant = false;
        for grant in grants.directories.values_mut() {
            let findings = sensitive.findings(&grant.path, grant.access).into_iter();
            let meant = findings.filter(|finding| {
                finding.refusal == Refusal::UnlessInsisted
                    && [&place, &real].contains(&&finding.place)
            });
            for finding in meant {
                is_meant = true;
                grant.despite.insert(finding.place);
            }
        }
        if !is_meant {
            return Err(Problem::user(format!(
                "--insist {} has no effect: no granted directory is refused because of it",
                written.display()
            ))
            .hint("omit --insist, or give the path that the refusal names")
            .into());
        }
    }
    Ok(())
}

/// Checks every directory in `grants`.
///
/// # Errors
/// Refuses the first directory that is dangerous and was not insisted on.
pub(crate) fn check(grants: &Grants, config: &Config) -> anyhow::Result<()> {
    if grants.directories.is_empty() {
        return Ok(());
    }
    let sensitive = Sensitive::of(config)?;
    for (name, grant) in &grants.directories {
        let findings = sensitive.findings(&grant.path, grant.access);
        let mut open = findings.into_iter().filter(|finding| {
            finding.refusal == Refusal::Always || !grant.despite.contains(&finding.place)
        });
        if let Some(finding) = open.next() {
            return Err(refused(name, grant, &finding, open).into());
        }
    }
    Ok(())
}

/// Names that no tool may touch, at any depth, in a directory with write access.
pub(crate) fn guarded_names() -> Vec<String> {
    let others = names_of_others().map(|(name, _)| name.to_owned());
    toolbox_names().into_iter().chain(others).collect()
}

fn toolbox_names() -> Vec<String> {
    let files = OpenToolbox::files(Path::new("")).into_iter();
    files.map(|file| file.display().to_string()).collect()
}

/// Names with a meaning for other programs in a project: those of git and of MCP clients.
fn names_of_others() -> impl Iterator<Item = (&'static str, &'static Kind)> {
    let clients = Client::all().filter_map(Client::project_name);
    let clients = clients.chain([".claude"]).map(|name| (name, &AGENTS));
    std::iter::once((".git", &GIT)).chain(clients)
}

/// A finding if `directory` contains an entry called `name`, or is inside of such an entry.
fn named(directory: &Path, name: &str, kind: &Kind) -> Option<Finding> {
    let above = directory.ancestors().find(|above| {
        let part = above.file_name().and_then(|part| part.to_str());
        part.is_some_and(|part| part.eq_ignore_ascii_case(name))
    });
    let held = directory.join(name);
    let place = match above {
        Some(above) => above.to_owned(),
        None if held.symlink_metadata().is_ok() => held,
        None => return None,
    };
    Some(finding(place, directory, kind))
}

fn finding(place: PathBuf, directory: &Path, kind: &Kind) -> Finding {
    let Kind { why, refusal, .. } = *kind;
    let shown = place.display();
    let says = match (place == directory, place.starts_with(directory)) {
        (true, _) => format!("it is {shown}, {why}"),
        (false, true) => format!("it holds {shown}, {why}"),
        (false, false) => format!("it lies in {shown}, {why}"),
    };
    Finding {
        place,
        refusal,
        says,
    }
}

fn refused(
    name: &DirectoryName,
    grant: &DirectoryGrant,
    finding: &Finding,
    others: impl Iterator<Item = Finding>,
) -> Problem {
    let path = grant.path.display();
    let access = grant.access;
    let problem = Problem::refused(format!(
        "{path} is not granted as `{name}` ({access}): {}",
        finding.says
    ))
    .hint(format!(
        "grant a directory that holds only what the tool needs, such as a subdirectory: --allow-dir {name}={}",
        grant.path.join(name.as_str()).display()
    ));
    let mut all: Vec<&Finding> = vec![finding];
    let others: Vec<Finding> = others.collect();
    all.extend(&others);
    if all.iter().any(|one| one.refusal == Refusal::Always) {
        return problem;
    }
    let flags = all
        .iter()
        .map(|one| format!("--insist {}", one.place.display()));
    problem.hint(format!(
        "if you trust the tool with that too, add: {}",
        flags.collect::<Vec<_>>().join(" ")
    ))
}
