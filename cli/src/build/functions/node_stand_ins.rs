//! The stand-ins for modules of Node that are written for servers of npm.

/// The modules: the name by which each is imported, its path, and its text.
pub(in crate::build) const MODULES: [(&str, &str, &str); 13] = [
    (
        "tool-server-client",
        "node/client.js",
        include_str!("../../../templates/frameworks/node/client.js"),
    ),
    (
        "process",
        "node/process.js",
        include_str!("../../../templates/frameworks/node/process.js"),
    ),
    (
        "tool-node-globals",
        "node/globals.js",
        include_str!("../../../templates/frameworks/node/globals.js"),
    ),
    (
        "fs",
        "node/fs.js",
        include_str!("../../../templates/frameworks/node/fs.js"),
    ),
    (
        "fs/promises",
        "node/fs_promises.js",
        include_str!("../../../templates/frameworks/node/fs_promises.js"),
    ),
    (
        "tool-node-files",
        "node/files.js",
        include_str!("../../../templates/frameworks/node/files.js"),
    ),
    (
        "readline",
        "node/readline.js",
        include_str!("../../../templates/frameworks/node/readline.js"),
    ),
    (
        "events",
        "node/events.cjs",
        include_str!("../../../templates/frameworks/node/events.cjs"),
    ),
    (
        "stream",
        "node/stream.cjs",
        include_str!("../../../templates/frameworks/node/stream.cjs"),
    ),
    (
        "express",
        LISTENER,
        include_str!("../../../templates/frameworks/node/listener.cjs"),
    ),
    (
        "util",
        "node/util.js",
        include_str!("../../../templates/frameworks/node/util.js"),
    ),
    (
        "module",
        "node/module.js",
        include_str!("../../../templates/frameworks/node/module.js"),
    ),
    (
        "undici",
        "node/undici.js",
        include_str!("../../../templates/frameworks/node/undici.js"),
    ),
];

/// The path of what stands in for frameworks that listen for HTTP.
pub(in crate::build) const LISTENER: &str = "node/listener.cjs";
