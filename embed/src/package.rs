//! Reads packages from directories, and components that have no manifest.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tool_hub_host::authoring::derive_manifest;
use tool_hub_host::{HostError, Inspection};
use tool_hub_manifest::{Package, ToolName, Verified, package_file};
use tool_hub_registry_client::{COMPONENT_BYTES_MAX, MANIFEST_BYTES_MAX};

use crate::error::Error;

/// The directory for the package that `tool build` finished.
const BUILT: &str = "dist";

/// The directory of the finished package: `path` itself, or its `dist`.
pub(crate) fn directory(path: &Path) -> Result<PathBuf, Error> {
    let found = [path.to_owned(), path.join(BUILT)]
        .into_iter()
        .find(|directory| directory.join(package_file::COMPONENT).is_file());
    found.ok_or_else(|| Error::NoPackage {
        path: path.to_owned(),
    })
}

/// The package in `directory`.
pub(crate) fn read(directory: &Path) -> Result<Verified, Error> {
    let package = Package {
        manifest: read_file(&directory.join(package_file::MANIFEST), MANIFEST_BYTES_MAX)?,
        component: read_file(&directory.join(package_file::COMPONENT), COMPONENT_BYTES_MAX)?,
    };
    verify(package, directory)
}

/// The component at `path`, with a manifest derived from its types that asks for nothing.
pub(crate) fn read_component(path: &Path) -> Result<Verified, Error> {
    let component = read_file(path, COMPONENT_BYTES_MAX)?;
    let manifest = derive_manifest(&component, name_of(path))?;
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
    };
    verify(package, path)
}

/// Refuses what the host would never run.
pub(crate) fn check_refusals(inspection: &Inspection) -> Result<(), Error> {
    match inspection.refusals.is_empty() {
        true => Ok(()),
        false => Err(Error::Host(HostError::Refused {
            tool: inspection.name.clone(),
            refusals: inspection.refusals.clone(),
        })),
    }
}

/// The regular file at `path`, which a stranger may have put there: a device never ends, a pipe
/// blocks, and a file can be larger than memory.
pub(crate) fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Unreadable {
        path: path.to_owned(),
        source,
    };
    // A pipe would block when it is opened, so it is looked at before; whoever swaps it in between
    // makes only their own process wait.
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(std::io::Error::other("it is not a regular file")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 > bytes_max {
        true => Err(failed(std::io::Error::other(format!(
            "it has more than {bytes_max} bytes"
        )))),
        false => Ok(bytes),
    }
}

fn verify(package: Package, path: &Path) -> Result<Verified, Error> {
    Verified::check(package).map_err(|source| Error::NotVerified {
        path: path.to_owned(),
        source,
    })
}

/// A tool's name made of a file's: other characters become dashes, and it is `tool` if none is
/// left.
fn name_of(path: &Path) -> ToolName {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let plain = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '-',
    };
    let name: String = stem.unwrap_or_default().chars().take(64).map(plain).collect();
    let fallback = || "tool".parse().expect("`tool` is a tool name");
    name.trim_matches('-').parse().unwrap_or_else(|_| fallback())
}
