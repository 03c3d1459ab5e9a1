//! Runs the sandbox's tests with hostile components, to keep these for tests in other languages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{kept, modules, root};
use crate::public_clients::said;

/// Attacks by many calls at once, which other languages make in ways of their own.
const SKIPPED: [&str; 5] = ["case_66", "case_67", "case_68", "case_69", "case_70"];

/// The directory of the components, each with the outcomes of its calls. The host's own tests run
/// here to write them, so every language is held to the same outcomes.
pub(crate) fn components() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = kept().join("hostile");
        // An earlier run may have left components of a case that was deleted.
        let _ = std::fs::remove_dir_all(&place);
        let mut cases = Command::new(env!("CARGO"));
        cases
            .args(["test", "--locked", "--quiet"])
            .args(modules::workspace_arguments())
            .args(["--test", "hostile", "--", "case_"])
            .args(SKIPPED.iter().flat_map(|case| ["--skip", case]))
            .env("TOOL_HUB_HOSTILE_KEPT", &place)
            .current_dir(root());
        said(&mut cases);
        assert!(place.join("case_01_endless_loop").is_dir());
        place
    })
}
