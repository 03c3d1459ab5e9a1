//! The C compiler of zig, which brings a C library for WebAssembly, and its pinned package.

use std::path::Path;

use tokio::process::Command;

use crate::build::project::Project;
use crate::build::toolchain::{PIP_INSTALL, Toolchain};

pub(super) const ZIG: Toolchain<'_> = Toolchain {
    name: "ziglang-0.17.1",
    lock: &[("requirements.txt", include_str!("requirements.txt"))],
    install: &PIP_INSTALL,
};

/// Variables in which a user names headers of this machine, which are of no use in a component.
const HEADERS: [&str; 2] = ["CPATH", "C_INCLUDE_PATH"];

/// The command that compiles and links C files into a module without a `main` function. It runs
/// in the project, so that errors name its files as the author does.
///
/// The C library is compiled once and kept beside zig; what is of one project goes with the build.
pub(super) fn compiler(project: Project<'_>, toolchain: &Path) -> Command {
    let mut command = project.command(toolchain.join("ziglang").join("zig"));
    command
        .args(["cc", "-target", "wasm32-wasi", "-mexec-model=reactor"])
        .args(["-O2", "-s", "-Wall"])
        .env("ZIG_GLOBAL_CACHE_DIR", toolchain.join("cache"))
        .env("ZIG_LOCAL_CACHE_DIR", project.scratch.join("zig"))
        .current_dir(project.directory);
    for name in HEADERS {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::toolchain::pins::assert_pinned;

    #[test]
    fn zig_is_named_by_hashes() {
        assert_pinned(&ZIG);
    }
}
