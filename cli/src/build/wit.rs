//! The WIT that other languages' build tools are given: the project's own, and the contract
//! beside it, which a project need not carry.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::TempDir;
use tool_hub_host::authoring::CONTRACT;

use crate::files;

/// Where a project keeps the contract, if it does.
const CONTRACT_DIRECTORY: &str = "deps/tool-hub-tool";

/// A copy of a project's `wit` directory that holds the contract. It goes with the value.
pub(super) struct StagedWit {
    directory: TempDir,
}

impl StagedWit {
    pub(super) fn of(project: &Path) -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new().prefix("tool-wit-").tempdir()?;
        copy(&project.join("wit"), directory.path())?;
        let contract = directory.path().join(CONTRACT_DIRECTORY);
        if !contract.exists() {
            for (name, text) in CONTRACT {
                files::write(&contract.join(name), text.as_bytes())?;
            }
        }
        Ok(Self { directory })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.path().to_owned()
    }
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be read", from.display());
    for entry in std::fs::read_dir(from).with_context(failed)? {
        let entry = entry.with_context(failed)?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            let text = std::fs::read(entry.path()).with_context(failed)?;
            files::write(&target, &text)?;
        }
    }
    Ok(())
}
