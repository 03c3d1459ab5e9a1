//! Bundles a server of npm with stand-ins for the modules of Node.
//! Most are of the package `unenv`; a client holds standard input and output of the process.

use std::path::{Path, PathBuf};

use super::bundle::Bundler;
use crate::build::functions::node_stand_ins::{LISTENER, MODULES};
use crate::build::project::Project;
use crate::build::toolchain::{NPM_CI, Toolchain};
use crate::session::Session;

const NODE_PARTS: Toolchain<'_> = Toolchain {
    name: "node-parts",
    lock: &[
        ("package.json", include_str!("node/package.json")),
        ("package-lock.json", include_str!("node/package-lock.json")),
    ],
    install: &NPM_CI,
};

/// Frameworks that listen for HTTP, beside `express`: servers that can be reached in two ways bring
/// one along.
const LISTENERS: [&str; 6] = [
    "@hono/node-server",
    "body-parser",
    "cors",
    "express-rate-limit",
    "fastify",
    "koa",
];

/// The module of MCP's SDK, version 2, that connects it to Node.
const SHIMS: &str = "@modelcontextprotocol/server/dist/shimsNode.mjs";

/// The modules of Node that `unenv` has.
const PARTS: [&str; 45] = [
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "http",
    "http2",
    "https",
    "inspector",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "punycode",
    "querystring",
    "readline/promises",
    "repl",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util/types",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Has the bundle take what stands in for Node, and the server's `module`: a file of one of the
/// `packages`.
pub(super) fn add(
    bundler: &mut Bundler<'_>,
    generated: &Path,
    (module, packages): (&str, &Path),
    node: &Path,
) {
    let parts = node.join("unenv/dist/runtime/node");
    // A name with a path goes before the one that it begins with.
    let mut names: Vec<(String, PathBuf)> = PARTS
        .iter()
        .map(|name| ((*name).to_owned(), parts.join(format!("{name}.mjs"))))
        .collect();
    names.extend(
        MODULES
            .iter()
            .map(|(name, path, _)| ((*name).to_owned(), generated.join(path))),
    );
    for name in LISTENERS {
        bundler.alias(name, &generated.join(LISTENER));
    }
    for (name, path) in &names {
        bundler.alias(name, path);
        bundler.alias(&format!("node:{name}"), path);
    }
    bundler.alias("tool-node-events", &node.join("events/events.js"));
    bundler.alias("tool-node-promises", &generated.join("node/fs_promises.js"));
    bundler.alias("tool-node-process", &generated.join("node/process.js"));
    bundler.alias("tool-server", &packages.join(module));
    bundler.alias("tool-server-manifest", &packages.join(manifest_of(module)));
    bundler.packages_at(node);
    // With what browsers have, the SDK would refuse to read standard input.
    let shims = packages.join(SHIMS);
    if shims.is_file() {
        bundler.alias("@modelcontextprotocol/server/_shims", &shims);
    }
    let globals = generated.join("node/globals.js");
    bundler.arguments(&[
        "--conditions=browser",
        "--main-fields=browser,module,main",
        "--define:global=globalThis",
        "--define:self=globalThis",
        "--define:__dirname=\"/packages\"",
        "--define:__filename=\"/packages/server.js\"",
        "--define:import.meta.url=\"file:///packages/server.js\"",
        "--define:import.meta.dirname=\"/packages\"",
        "--define:import.meta.filename=\"/packages/server.js\"",
        "--define:import.meta.main=true",
        "--loader:.node=empty",
        &format!("--inject:{}", globals.display()),
    ]);
}

/// The directory of the packages that stand in for parts of Node.
pub(super) async fn packages(project: Project<'_>, session: &Session) -> anyhow::Result<PathBuf> {
    Ok(NODE_PARTS
        .directory(project, session)
        .await?
        .join("node_modules"))
}

/// The `package.json` of the package that a file is part of.
fn manifest_of(module: &str) -> String {
    let depth = if module.starts_with('@') { 2 } else { 1 };
    let package: Vec<&str> = module.split('/').take(depth).collect();
    format!("{}/package.json", package.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_s_manifest_lies_at_its_root() {
        assert_eq!(manifest_of("a/dist/index.js"), "a/package.json");
        assert_eq!(manifest_of("@s/a/index.js"), "@s/a/package.json");
    }
}
