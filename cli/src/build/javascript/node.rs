//! Bundles a server of npm with stand-ins for the modules of Node.
//! Most are of the package `unenv`; a client holds standard input and output of the process.

mod package_files;

use std::path::{Path, PathBuf};

use serde_json::json;
use tool_hub_host::authoring::BuildTool;

use super::bundle::Bundler;
use crate::build::functions::node_stand_ins::{FETCH, LISTENER, MISSING, MODULES};
use crate::build::project::Project;
use crate::build::toolchain::{NPM_CI, Toolchain};
use crate::files;
use crate::session::Session;

const NODE_PARTS: Toolchain<'_> = Toolchain {
    name: "node-parts",
    lock: &[
        ("package.json", include_str!("node/package.json")),
        ("package-lock.json", include_str!("node/package-lock.json")),
    ],
    install: &NPM_CI,
};

/// The packages in which parts of Node are.
pub(super) fn build_tools() -> Vec<BuildTool> {
    NODE_PARTS.build_tools()
}

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

/// Packages that bring `fetch` to Node, beside `node-fetch`.
const FETCHERS: [&str; 3] = ["cross-fetch", "isomorphic-fetch", "node-fetch-native"];

/// The module of MCP's SDK, version 2, that connects it to Node.
const SHIMS: &str = "@modelcontextprotocol/server/dist/shimsNode.mjs";

/// The modules of Node that `unenv` has.
const PARTS: [&str; 37] = [
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "http2",
    "inspector",
    "net",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "punycode",
    "querystring",
    "readline/promises",
    "repl",
    "stream/consumers",
    "stream/web",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
];

/// Has the bundle take what stands in for Node and for the packages that are `missing`, and the
/// server's `module`: a file of one of the `packages`.
pub(super) fn add(
    bundler: &mut Bundler<'_>,
    generated: &Path,
    (module, packages): (&str, &Path),
    node: &Path,
    missing: &[String],
) -> anyhow::Result<()> {
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
    for name in missing {
        bundler.alias(name, &generated.join(MISSING));
    }
    for name in LISTENERS {
        bundler.alias(name, &generated.join(LISTENER));
    }
    for name in FETCHERS {
        bundler.alias(name, &generated.join(FETCH));
    }
    for (name, path) in &names {
        bundler.alias(name, path);
        bundler.alias(&format!("node:{name}"), path);
    }
    for (name, path) in [
        ("string_decoder", "string_decoder/lib/string_decoder.js"),
        ("tool-node-events", "events/events.js"),
        ("tool-node-hashes", "@noble/hashes"),
        ("tool-node-pako", "pako"),
        ("tool-node-streams", "readable-stream/lib/ours/browser.js"),
    ] {
        bundler.alias(name, &node.join(path));
    }
    bundler.alias(
        "tool-node-promises",
        &generated.join("node/fs_promises.cjs"),
    );
    bundler.alias("tool-node-process", &generated.join("node/process.js"));
    let package = package_of(module);
    let (server, connection) = match package == module {
        // It is found as an import of it would be.
        true => (PathBuf::from(module), "ai_connection.js"),
        false => (packages.join(module), "stdio_connection.js"),
    };
    bundler.alias("tool-server", &server);
    let connection = generated.join("node").join(connection);
    bundler.alias("tool-server-connection", &connection);
    let manifest = packages.join(&package).join("package.json");
    bundler.alias("tool-server-manifest", &manifest);
    let own = package_files::texts(&packages.join(&package), &package)?;
    let place = generated.join("node/package_files.json");
    files::write(&place, json!(own).to_string().as_bytes())?;
    bundler.alias("tool-server-files", &place);
    bundler.packages_at(node);
    // With what browsers have, the SDK would refuse to read standard input.
    let shims = packages.join(SHIMS);
    if shims.is_file() {
        bundler.alias("@modelcontextprotocol/server/_shims", &shims);
    }
    let globals = generated.join("node/globals.js");
    let path = format!("/packages/{module}");
    let directory = path.rsplit_once('/').map_or("/packages", |it| it.0);
    bundler.arguments(&[
        // Builds that make requests by `fetch`, and of these first the ones that need no page.
        "--conditions=workerd,worker,edge-light,browser",
        "--main-fields=browser,module,main",
        "--define:global=globalThis",
        "--define:self=globalThis",
        &format!("--define:__dirname={}", json!(directory)),
        &format!("--define:__filename={}", json!(path)),
        &format!(
            "--define:import.meta.url={}",
            json!(format!("file://{path}"))
        ),
        &format!("--define:import.meta.dirname={}", json!(directory)),
        &format!("--define:import.meta.filename={}", json!(path)),
        "--define:import.meta.main=true",
        "--loader:.node=empty",
        "--loader:.wasm=empty",
        &format!("--inject:{}", globals.display()),
    ]);
    Ok(())
}

/// The directory of the packages that stand in for parts of Node.
pub(super) async fn packages(project: Project<'_>, session: &Session) -> anyhow::Result<PathBuf> {
    Ok(NODE_PARTS
        .directory(project, session)
        .await?
        .join("node_modules"))
}

/// The package that a file is part of.
fn package_of(module: &str) -> String {
    let depth = if module.starts_with('@') { 2 } else { 1 };
    let package: Vec<&str> = module.split('/').take(depth).collect();
    package.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_belongs_to_a_package() {
        assert_eq!(package_of("a/dist/index.js"), "a");
        assert_eq!(package_of("@s/a/index.js"), "@s/a");
    }
}
