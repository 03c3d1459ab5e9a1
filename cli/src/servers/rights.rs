//! The rights of an MCP server: those that flags name, those it had, and directories it is told of.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tool_hub_manifest::{
    Access, Capabilities, CredentialPlace, CredentialRequest, DirectoryName, DirectoryRequest,
    Grants, LockedTool, Methods, Origin, ServerAddress, ServerStart,
};
use tool_hub_toolbox::sensitive;

use crate::consent::approval::Terminal;
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::rights_flags::RightsFlags;
use crate::session::Session;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

/// The reason that a server's rights have in place of an author's.
const WHY: &str = "named when the server was loaded";
/// The header in which a credential is sent, as most servers take it.
const HEADER: &str = "Authorization: Bearer {}";

/// The rights that a server asks for, and those that are granted.
pub(crate) struct Rights {
    pub(crate) asked: Capabilities,
    pub(crate) grants: Grants,
}

/// The rights of the server at `address`, which was approved as `before` if it was. A person at a
/// terminal is asked about directories that its arguments name.
///
/// # Errors
/// When a flag grants what a server cannot have, or a directory is too dangerous to grant.
pub(crate) fn rights(
    address: &ServerAddress,
    start: &ServerStart,
    before: Option<&LockedTool>,
    flags: &RightsFlags,
    session: &Session,
) -> anyhow::Result<Rights> {
    let config = &session.config;
    if flags.storage {
        return Err(Problem::user("a server has no storage of the toolbox's")
            .hint("give it a directory of its own: --allow-dir data:read-write=PATH")
            .into());
    }
    let mut asked = CapabilityFlags::of(flags).capabilities();
    let whys = asked.directories.iter_mut().map(|it| &mut it.why);
    for why in whys.chain(asked.variables.iter_mut().map(|it| &mut it.why)) {
        WHY.clone_into(why);
    }
    let mut granted = Grants::none();
    if let Some(before) = before {
        let verified = config.settings.open_store()?.get(&before.pin())?;
        asked = merged(asked, &verified.manifest().capabilities);
        granted = before.grants.clone();
    }
    match address {
        ServerAddress::Remote(url) => {
            let origin = url.origin();
            let all = asked.network.iter().map(own);
            asked.network = all.chain([(origin.clone(), Methods::Any)]).collect();
            granted = granted.network(origin.clone(), Methods::Any);
            for name in &flags.credentials {
                if asked.credential(name).is_none() {
                    asked.credentials.push(CredentialRequest {
                        name: name.clone(),
                        origin: origin.clone(),
                        place: CredentialPlace::Header(HEADER.parse().map_err(Problem::user)?),
                        oauth: None,
                        why: WHY.to_owned(),
                    });
                }
            }
            refuse_for_remote(flags)?;
        }
        ServerAddress::Command(_) if !flags.credentials.is_empty() => {
            return Err(Problem::user("a process cannot be kept from seeing a credential")
                .hint("give it the variable that it reads, if you trust it with the value: --allow-var NAME")
                .into());
        }
        ServerAddress::Command(_) => {}
    }
    let mut grants = flags.grants(&asked, granted, config)?;
    for path in directories_named(start) {
        propose(&path, &mut asked, &mut grants, session)?;
    }
    sensitive::check(&grants, &config.settings)?;
    Ok(Rights { asked, grants })
}

fn own((origin, methods): (&Origin, &Methods)) -> (Origin, Methods) {
    (origin.clone(), methods.clone())
}

/// A remote server is sent what agents say and nothing else.
fn refuse_for_remote(flags: &RightsFlags) -> anyhow::Result<()> {
    let has_more = !flags.directories.is_empty()
        || !flags.variables.is_empty()
        || !flags.plain_variables.is_empty()
        || !flags.network.is_empty();
    match has_more {
        false => Ok(()),
        true => Err(Problem::user(
            "a remote server runs elsewhere, so nothing here is granted to it",
        )
        .hint("--allow-credential NAME has a value of yours sent to it")
        .into()),
    }
}

/// The requests of both.
fn merged(mut asked: Capabilities, before: &Capabilities) -> Capabilities {
    for request in &before.directories {
        if asked.directory(&request.name).is_none() {
            asked.directories.push(request.clone());
        }
    }
    for request in &before.variables {
        if asked.variable(&request.name).is_none() {
            asked.variables.push(request.clone());
        }
    }
    for request in &before.credentials {
        if asked.credential(&request.name).is_none() {
            asked.credentials.push(request.clone());
        }
    }
    let more = before.network.iter();
    let more = more.filter(|(origin, _)| asked.network.methods(origin).is_none());
    asked.network = more.map(own).chain(asked.network.iter().map(own)).collect();
    asked
}

/// The directories among the arguments of a process.
fn directories_named(start: &ServerStart) -> Vec<PathBuf> {
    let ServerStart::Process(process) = start else {
        return Vec::new();
    };
    let paths = process.arguments.iter().map(PathBuf::from);
    let mut named: Vec<PathBuf> = paths
        .filter(|path| path.is_absolute() && path.is_dir())
        .collect();
    named.dedup();
    named
}

/// Asks whether the server may use the directory at `path`, which its arguments name. Where nobody
/// can be asked, the flag is named.
fn propose(
    path: &Path,
    asked: &mut Capabilities,
    grants: &mut Grants,
    session: &Session,
) -> anyhow::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_granted = |granted: &Path| path.starts_with(granted);
    if grants
        .directories
        .values()
        .any(|grant| is_granted(&grant.path))
    {
        return Ok(());
    }
    let name = name_of(&path, asked);
    let shown = escape_line(&path.display().to_string());
    let Some(mut terminal) = Terminal::open() else {
        session.printer.hint(&format!(
            "its arguments name {shown}, which it cannot read; allow it with: \
             --allow-dir {name}={shown}, or {name}:read-write={shown}"
        ));
        return Ok(());
    };
    let question = format!(
        "Its arguments name {shown}. Type read to let it read there, write to let it change \
         things too, nothing for neither: "
    );
    let access = match terminal.ask(&question)?.trim() {
        "read" => Access::Read,
        "write" => Access::ReadWrite,
        _ => {
            writeln!(io::stderr(), "it gets nothing of {shown}")?;
            return Ok(());
        }
    };
    asked.directories.push(DirectoryRequest {
        name: name.clone(),
        access,
        why: WHY.to_owned(),
    });
    *grants = std::mem::replace(grants, Grants::none()).directory(name, path, access);
    Ok(())
}

/// A name for the directory at `path` that none of `asked` has.
fn name_of(path: &Path, asked: &Capabilities) -> DirectoryName {
    let last = path
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase());
    let plain: String = last
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    let plain = plain.trim_matches('-');
    let names = std::iter::once(plain.to_owned()).chain((1..).map(|at| format!("dir-{at}")));
    let mut names = names.filter_map(|name| name.parse::<DirectoryName>().ok());
    let free = names.find(|name| asked.directory(name).is_none());
    free.expect("there is a number that no directory has")
}
