//! Edits a test user's `toolbox.toml`, and the record of a tool in their `toolbox.lock`.

use tool_hub_manifest::{Lock, LockedTool, ToolKey};

use super::Home;

/// Adds lines to the person's toolbox, as an editor would.
pub(crate) fn edit_toolbox(home: &Home, more: &str) {
    let path = home.tool_home().join("toolbox.toml");
    let text = std::fs::read_to_string(&path).expect("a toolbox");
    std::fs::write(path, format!("{text}\n{more}")).expect("a toolbox");
}

/// Rewrites the record of `one` in the person's own lock, with their approval.
pub(crate) fn rewrite(home: &Home, edit: impl FnOnce(&mut LockedTool)) {
    let place = |name: &str| home.tool_home().join(name);
    let text = std::fs::read_to_string(place("toolbox.lock")).expect("a lock");
    let mut lock: Lock = text.parse().expect("a lock");
    let locked = lock
        .tools
        .get_mut(&"one".parse::<ToolKey>().expect("a key"));
    let locked = locked.expect("a record");
    edit(locked);
    let approvals = format!("approved = [\"{}\"]\n", locked.digest());
    std::fs::write(place("approvals.toml"), approvals).expect("approvals");
    std::fs::write(place("toolbox.lock"), lock.to_toml()).expect("a lock");
}
