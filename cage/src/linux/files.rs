//! The files that a caged program may use: the system's that programs need, and the granted ones.

use std::path::{Path, PathBuf};

use tool_hub_manifest::{Access, Grants};

use crate::error::CageError;
use crate::linux::plan::{FileRule, FileUse};
use crate::program::Program;

/// Programs and libraries. Nothing that a user keeps is there.
const PROGRAMS: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];

/// What libraries and interpreters read. Of `/etc` no more than that, because services keep
/// passwords there; of `/proc` nothing of other processes, not even their command lines.
const DATA: [&str; 38] = [
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
];

/// Devices that hold nothing.
const DEVICES: [&str; 5] = [
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// The rules for `program` with `grants` and its private directory.
pub(super) fn rules(
    program: &Program,
    grants: &Grants,
    scratch: &Path,
) -> Result<Vec<FileRule>, CageError> {
    let rule = |path: &Path, use_| FileRule {
        path: path.as_os_str().to_owned(),
        use_,
    };
    let mut rules = Vec::new();
    for (paths, use_) in [
        (&PROGRAMS[..], FileUse::System),
        (&DATA[..], FileUse::SystemData),
        (&DEVICES[..], FileUse::Device),
    ] {
        rules.extend(paths.iter().map(|path| rule(Path::new(path), use_)));
    }
    rules.push(rule(&own_file(program)?, FileUse::Packages));
    for path in &program.packages {
        rules.push(rule(&packages(path)?, FileUse::Packages));
    }
    for (name, grant) in &grants.directories {
        let path = real_directory(&grant.path).map_err(|reason| CageError::Directory {
            name: name.clone(),
            path: grant.path.clone(),
            reason,
        })?;
        let use_ = match grant.access {
            Access::Read => FileUse::Read,
            Access::ReadWrite => FileUse::Change,
        };
        rules.push(rule(&path, use_));
    }
    rules.push(rule(scratch, FileUse::Scratch));
    Ok(rules)
}

/// The file that the program's path leads to.
fn own_file(program: &Program) -> Result<PathBuf, CageError> {
    let failed = |source| CageError::Program {
        path: program.path.clone(),
        source,
    };
    if !program.path.is_absolute() {
        let reason = "the path is not absolute";
        return Err(failed(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            reason,
        )));
    }
    let path = program.path.canonicalize().map_err(failed)?;
    match path.is_file() {
        true => Ok(path),
        false => Err(failed(std::io::ErrorKind::IsADirectory.into())),
    }
}

fn packages(path: &Path) -> Result<PathBuf, CageError> {
    let refused = |reason: String| CageError::Packages {
        path: path.to_owned(),
        reason,
    };
    let real = path
        .canonicalize()
        .map_err(|error| refused(error.to_string()))?;
    if !real.is_dir() {
        return Err(refused("it is not a directory".into()));
    }
    if real.parent().is_none() {
        return Err(refused("it is the whole machine".into()));
    }
    Ok(real)
}

/// A directory is granted by its real path, so that a link that is put in its place later leads
/// nowhere.
fn real_directory(path: &Path) -> Result<PathBuf, String> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    if real != path {
        return Err(format!(
            "it leads to {}; grant that directory by this path",
            real.display()
        ));
    }
    if !real.is_dir() {
        return Err("it is not a directory".into());
    }
    Ok(real)
}
