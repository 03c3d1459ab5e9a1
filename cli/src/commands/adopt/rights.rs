//! Proposes the rights of a tool from the arguments and variables that its server was started with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Capabilities, Origin, VariableName};
use tool_hub_toolbox::Settings;
use tool_hub_toolbox::sensitive::SensitivePlaces;

use crate::adopt::{LocalCommand, launcher};
use crate::consent::rights_flags::RightsFlags;

/// The rights that a server's command speaks for, and the values that go with them.
#[derive(Debug, Default)]
pub(super) struct ProposedRights {
    pub(super) flags: RightsFlags,
    pub(super) variables: Vec<(VariableName, String)>,
    pub(super) credentials: Vec<(VariableName, Origin, String)>,
    /// The parts of the command that the tool has no place for.
    pub(super) lost: Vec<String>,
}

/// The rights among those that a tool asks for that `command` speaks for: its directories in
/// order, and its variables by name.
pub(super) fn proposed(
    asked: &Capabilities,
    command: &LocalCommand,
    settings: &Settings,
) -> ProposedRights {
    let mut proposed = ProposedRights::default();
    let (_, own) = launcher(command);
    let mut directories: Vec<PathBuf> = own
        .iter()
        .filter_map(|word| directory(word, settings))
        .collect();
    let mut others = own.len() - directories.len();
    let sensitive = SensitivePlaces::of(settings);
    for request in &asked.directories {
        if directories.is_empty() {
            break;
        }
        let path = directories.remove(0);
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        // A person is asked about a dangerous one by itself.
        if sensitive.findings(&real, request.access).is_empty() {
            let access = Some(request.access);
            proposed
                .flags
                .directories
                .push((request.name.clone(), access, path));
        }
    }
    others += directories.len();
    if others > 0 {
        let what = match others {
            1 => "one argument of its command is".to_owned(),
            count => format!("{count} arguments of its command are"),
        };
        proposed.lost.push(format!("{what} not passed on"));
    }
    for (name, value) in &command.env {
        let parsed = name.parse::<VariableName>().ok();
        let credential = parsed.as_ref().and_then(|name| asked.credential(name));
        match (parsed, credential) {
            (Some(name), Some(request)) => {
                proposed.flags.credentials.push(name.clone());
                let origin = request.origin.clone();
                proposed.credentials.push((name, origin, value.clone()));
            }
            (Some(name), None) if asked.variable(&name).is_some() => {
                proposed.flags.variables.push(name.clone());
                proposed.variables.push((name, value.clone()));
            }
            _ => proposed
                .lost
                .push(format!("the variable {name} is not passed on")),
        }
    }
    proposed
}

/// The rights that a process is given in its cage: the variables that the client set. Directories
/// among its arguments are asked about when it is loaded.
pub(super) fn of_process(command: &LocalCommand) -> ProposedRights {
    let mut proposed = ProposedRights::default();
    for (name, value) in &command.env {
        match name.parse::<VariableName>() {
            Ok(name) => {
                proposed.flags.variables.push(name.clone());
                proposed.variables.push((name, value.clone()));
            }
            Err(_) => proposed
                .lost
                .push(format!("the variable {name} is not passed on")),
        }
    }
    proposed
}

/// The rights for a server at `origin`: the key that the client sends it, kept as `name`.
pub(super) fn of_remote(
    headers: &BTreeMap<String, String>,
    name: VariableName,
    origin: &Origin,
) -> ProposedRights {
    let mut proposed = ProposedRights::default();
    for (header, value) in headers {
        let key = value.strip_prefix("Bearer ");
        match key.filter(|_| header.eq_ignore_ascii_case("authorization")) {
            Some(key) => {
                proposed.flags.credentials.push(name.clone());
                let kept = (name.clone(), origin.clone(), key.trim().to_owned());
                proposed.credentials.push(kept);
            }
            None => proposed
                .lost
                .push(format!("the header {header} is not passed on")),
        }
    }
    proposed
}

/// The directory that an argument names, as `PATH` or `--option=PATH`.
fn directory(word: &str, settings: &Settings) -> Option<PathBuf> {
    let path = match word.split_once('=') {
        Some((option, path)) if option.starts_with("--") => path,
        _ => word,
    };
    let path = Path::new(path);
    let path = match path.is_absolute() || path.starts_with("~") {
        true => settings.place(path),
        false => return None,
    };
    path.is_dir().then_some(path)
}
