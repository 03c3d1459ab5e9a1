//! The command of componentize-py, which makes components of Python, and its pinned package.

use std::path::Path;

use tokio::process::Command;

use crate::build::project::Project;
use crate::build::toolchain::{PIP_INSTALL, Toolchain};

/// The program is a native module of the package, so that it needs no environment of its own
/// but a place on Python's path.
pub(super) const COMPONENTIZE_PY: Toolchain<'_> = Toolchain {
    name: "componentize-py-0.25.1",
    lock: &[("requirements.txt", include_str!("requirements.txt"))],
    install: &PIP_INSTALL,
};

/// The command of componentize-py, with the packages of `environment`. WASI is not stubbed out: a
/// stub would bake one seed into the component, and every call would draw the same "random"
/// numbers.
pub(super) fn componentize(project: Project<'_>, toolchain: &Path, environment: &Path) -> Command {
    let mut command = project.command("python3");
    command
        .args([
            "-c",
            "import sys, componentize_py; sys.exit(componentize_py.script())",
        ])
        .env("PYTHONPATH", toolchain)
        .env("VIRTUAL_ENV", environment)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(project.scratch);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::toolchain::pins::assert_pinned;

    #[test]
    fn every_package_of_the_toolchain_is_named_by_hashes() {
        assert_pinned(&COMPONENTIZE_PY);
    }
}
