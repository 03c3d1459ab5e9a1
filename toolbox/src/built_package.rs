//! Reads the finished package of a directory, or a bare component with a manifest derived for it.

use std::path::{Path, PathBuf};

use tool_hub_manifest::{Capabilities, Interpreter, Manifest, Package, Verified, package_file};
use tool_hub_registry_client::{MANIFEST_BYTES_MAX, SBOM_BYTES_MAX};

use crate::derived_manifest;
use crate::error::Error;
use crate::files;

/// The directory, below that of a project, of its finished package.
pub const DIRECTORY: &str = "dist";

/// Reads a package from a directory, or somebody else's component from a file, whose
/// manifest is then derived from its types.
pub fn read(path: &Path) -> Result<Verified, Error> {
    if path.is_dir() {
        return read_directory(&directory(path)?);
    }
    derived_manifest::read(path, Capabilities::default())
}

/// The directory of the finished package: `path` itself, or its `dist`.
pub fn directory(path: &Path) -> Result<PathBuf, Error> {
    // Without the `.` that stands for the working directory, which errors need not show.
    let path: &Path = &path.components().collect::<PathBuf>();
    for directory in [path.to_owned(), path.join(DIRECTORY)] {
        if directory.join(package_file::COMPONENT).is_file() {
            return Ok(directory);
        }
    }
    if !path.exists() {
        return Err(Error::NothingThere {
            path: path.to_owned(),
        });
    }
    Err(Error::NotBuilt {
        directory: path.to_owned(),
    })
}

fn read_directory(directory: &Path) -> Result<Verified, Error> {
    let manifest_path = directory.join(package_file::MANIFEST);
    let manifest = files::read_regular(&manifest_path, MANIFEST_BYTES_MAX)
        .map_err(files::unreadable(&manifest_path))?;
    let component = derived_manifest::read_component(&directory.join(package_file::COMPONENT))?;
    Verified::check(Package {
        component,
        interpreter: interpreter(directory, &manifest)?,
        sbom: sbom(directory, &manifest)?,
        manifest,
    })
    .map_err(|source| Error::NotThePackage {
        directory: directory.to_owned(),
        source,
    })
}

/// The interpreter beside a manifest that names one; none where it is missing or the manifest
/// cannot be read, which the verification of the package refuses.
fn interpreter(directory: &Path, manifest: &[u8]) -> Result<Option<Interpreter>, Error> {
    let path = directory.join(package_file::INTERPRETER);
    let names_one = Manifest::from_bytes(manifest).is_ok_and(|it| it.interpreter.is_some());
    if !names_one || !path.exists() {
        return Ok(None);
    }
    let component = derived_manifest::read_component(&path)?;
    Ok(Some(Interpreter::hashed(component)))
}

/// The bill of materials beside a manifest that names one, as for [`interpreter`].
fn sbom(directory: &Path, manifest: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let path = directory.join(package_file::SBOM);
    let names_one = Manifest::from_bytes(manifest).is_ok_and(|it| it.sbom.is_some());
    if !names_one || !path.exists() {
        return Ok(None);
    }
    let bytes = files::read_regular(&path, SBOM_BYTES_MAX).map_err(files::unreadable(&path))?;
    Ok(Some(bytes))
}
