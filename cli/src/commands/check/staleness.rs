//! Makes a warning if a project's sources changed after its package was built.

use std::path::Path;

use super::remarks::Remark;
use crate::build::Sources;
use tool_hub_toolbox::built_package;

/// A remark where `path` is a project that changed after its package was built.
pub(crate) fn staleness(path: &Path, shown: &Path) -> anyhow::Result<Option<Remark>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let package = built_package::directory(path)?;
    if package == path {
        return Ok(None);
    }
    let change = Sources::change_since(path, &package)?;
    Ok(change.map(|change| {
        Remark::of_tool(format!(
            "the package is not what the sources say: {change}; run: tool build {}",
            shown.display()
        ))
    }))
}
