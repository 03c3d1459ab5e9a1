//! npm packages with native code and modules of Node, with what to use instead.

use crate::terminal::problem::Problem;
use tool_hub_host::IncludedPackage;

/// Packages that are only faster with their native code.
const WORK_WITHOUT: [&str; 4] = [
    "bufferutil",
    "fsevents",
    "msgpackr-extract",
    "utf-8-validate",
];

/// Packages that do not work without their native code, with what to use instead.
const INSTEAD: [(&str, &str); 26] = [
    (
        "@tensorflow/tfjs-node",
        "a service that runs the model, over HTTP",
    ),
    (
        "argon2",
        "argon2id of @noble/hashes, which is pure JavaScript",
    ),
    (
        "bcrypt",
        "scrypt of @noble/hashes, which is pure JavaScript",
    ),
    (
        "better-sqlite3",
        "a `Map`, or the database's HTTP interface with `fetch`",
    ),
    ("bigint-buffer", "`BigInt` of the language"),
    ("canvas", "a picture in SVG, written as text"),
    ("deasync", "`await`"),
    ("esbuild", "what it makes: run it before the build"),
    (
        "farmhash",
        "a hash of @noble/hashes, which is pure JavaScript",
    ),
    ("grpc", "the service's HTTP interface, with `fetch`"),
    ("iconv", "`TextDecoder`"),
    ("keytar", "a secret variable of [capabilities]"),
    ("libpq", "the database's HTTP interface, with `fetch`"),
    ("libxmljs", "fast-xml-parser, which is pure JavaScript"),
    ("libxmljs2", "fast-xml-parser, which is pure JavaScript"),
    ("lightningcss", "what it makes: run it before the build"),
    ("node-expat", "fast-xml-parser, which is pure JavaScript"),
    ("node-sass", "what it makes: run it before the build"),
    (
        "onnxruntime-node",
        "a service that runs the model, over HTTP",
    ),
    ("pg-native", "the database's HTTP interface, with `fetch`"),
    ("re2", "`RegExp` of the language"),
    (
        "sharp",
        "a picture in SVG, written as text, or a tool in Rust",
    ),
    (
        "snappy",
        "fflate, which is pure JavaScript and compresses as zip does",
    ),
    (
        "sodium-native",
        "@noble/ciphers and @noble/curves, which are pure JavaScript",
    ),
    (
        "sqlite3",
        "a `Map`, or the database's HTTP interface with `fetch`",
    ),
    ("zlib-sync", "fflate, which is pure JavaScript"),
];

/// Modules of Node, with what to use instead.
const MODULES: [(&[&str], &str); 11] = [
    (&["assert"], "throw an Error"),
    (
        &["buffer", "string_decoder"],
        "use Uint8Array, TextEncoder and TextDecoder, which a tool has",
    ),
    (
        &["crypto"],
        "use `crypto.getRandomValues` and `crypto.randomUUID`, which a tool has, and for hashes and \
         ciphers @noble/hashes and @noble/ciphers, which are pure JavaScript",
    ),
    (
        &["events", "stream"],
        "use functions, promises and async generators of the language",
    ),
    (
        &["fs", "fs/promises"],
        "take what is in the file as an argument, or write the tool in Rust or Python, which read \
         directories that are granted",
    ),
    (
        &["http", "https", "http2", "net", "tls", "dgram", "dns"],
        "use `fetch`, which a tool has",
    ),
    (
        &["path", "os"],
        "work on texts: a tool in JavaScript has no files",
    ),
    (
        &["perf_hooks", "timers", "timers/promises"],
        "use `performance.now`, `setTimeout` and `setInterval`, which a tool has",
    ),
    (
        &["url", "querystring", "punycode"],
        "use URL and URLSearchParams, which a tool has",
    ),
    (
        &["util"],
        "use `structuredClone` and `JSON.stringify`, which a tool has",
    ),
    (&["zlib"], "use fflate, which is pure JavaScript"),
];

/// True if the package works without its native code.
pub(super) fn works_without(name: &str) -> bool {
    WORK_WITHOUT.contains(&name)
}

pub(super) fn instead(name: &str) -> Option<&'static str> {
    let mut all = INSTEAD.iter();
    all.find_map(|(native, instead)| (*native == name).then_some(*instead))
}

/// The advice for `module` of Node, with or without `node:` before its name.
pub(super) fn instead_of_module(module: &str) -> &'static str {
    let name = module.strip_prefix("node:").unwrap_or(module);
    let mut all = MODULES.iter();
    let known = all.find_map(|(names, instead)| names.contains(&name).then_some(*instead));
    known.unwrap_or("use what the language itself has, or a package that needs nothing of Node")
}

/// The refusal of a package that is imported at `place`.
pub(super) fn refused(package: &IncludedPackage, place: Option<&str>) -> anyhow::Error {
    let IncludedPackage { name, version, .. } = package;
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    let problem = Problem::user(format!(
        "{place}the package `{name}` {version} has native code, which a component cannot hold"
    ));
    let hint = match instead(name) {
        Some(instead) => format!("use {instead}"),
        None => "use a package in pure JavaScript, or write this tool in Rust".to_owned(),
    };
    problem.hint(hint).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_package_is_in_both_tables() {
        for name in WORK_WITHOUT {
            assert_eq!(instead(name), None, "{name}");
        }
        assert!(INSTEAD.is_sorted());
    }

    #[test]
    fn modules_of_node_have_their_replacement() {
        assert!(instead_of_module("node:fs/promises").starts_with("take what is in the file"));
        assert!(instead_of_module("https").contains("`fetch`"));
        assert!(instead_of_module("v8").starts_with("use what the language"));
    }
}
