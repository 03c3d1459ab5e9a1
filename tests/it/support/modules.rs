//! The arguments with which cargo builds the native modules of the Python and the npm package.
//! Cargo takes the dependencies for them that it compiled for these very tests.

/// Arguments of `cargo build` for the modules and the command.
///
/// Without them all, cargo would choose other features for some dependencies than it did for the
/// tests, and compile those and what stands on them once more. An example is among them because
/// only with one do the dependencies of tests count.
pub(crate) fn cargo_arguments() -> Vec<&'static str> {
    let mut arguments = workspace_arguments();
    arguments.extend(["--lib", "--bin", "tool", "--example", "embed"]);
    arguments
}

/// The packages and features that cargo built for this very run.
pub(crate) fn workspace_arguments() -> Vec<&'static str> {
    let mut arguments = vec!["--workspace"];
    if cfg!(feature = "opentelemetry") {
        arguments.extend(["--features", "tool-hub-cli/opentelemetry"]);
    }
    arguments
}
