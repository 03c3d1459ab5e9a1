//! The program `tool`, which runs what the library of this crate holds.

use std::process::ExitCode;

fn main() -> ExitCode {
    tool_hub_cli::main()
}
