//! Packages of Python with native code: what works without it, and what to use instead.

use crate::terminal::problem::Problem;
use tool_hub_host::IncludedPackage;

/// Packages whose native code only makes them faster: their modules work without it.
const WORK_WITHOUT: [&str; 15] = [
    "charset-normalizer",
    "coverage",
    "frozenlist",
    "hf-xet",
    "markupsafe",
    "msgpack",
    "multidict",
    "propcache",
    "pyyaml",
    "rapidfuzz",
    "simplejson",
    "sqlalchemy",
    "websockets",
    "wrapt",
    "yarl",
];

/// Packages that do not work without their native code, with what to use instead.
const INSTEAD: [(&str, &str); 32] = [
    ("aiohttp", "httpx, whose AsyncClient works here"),
    ("brotli", "gzip or zlib of the standard library"),
    ("cffi", "a package without native code"),
    (
        "cryptography",
        "hashlib and hmac of the standard library, or rsa and ecdsa in pure Python",
    ),
    ("grpcio", "the service's HTTP interface, with httpx"),
    ("jax", "math and statistics of the standard library"),
    (
        "lxml",
        "xml.etree.ElementTree or html.parser of the standard library, or html5lib",
    ),
    ("levenshtein", "difflib of the standard library"),
    ("matplotlib", "a picture in SVG, written as text"),
    (
        "mysqlclient",
        "the database's HTTP interface: a tool can make requests of HTTP only",
    ),
    ("numpy", "math and statistics of the standard library"),
    ("opencv-python", "a tool in Rust"),
    ("orjson", "json of the standard library"),
    ("pandas", "csv and sqlite3 of the standard library"),
    ("pillow", "pypng, or a tool in Rust"),
    ("polars", "csv and sqlite3 of the standard library"),
    (
        "psycopg2",
        "the database's HTTP interface: a tool can make requests of HTTP only",
    ),
    (
        "psycopg2-binary",
        "the database's HTTP interface: a tool can make requests of HTTP only",
    ),
    ("pyarrow", "csv and sqlite3 of the standard library"),
    (
        "pycryptodome",
        "hashlib and hmac of the standard library, or pyaes",
    ),
    ("pycurl", "requests or httpx"),
    (
        "pydantic-core",
        "dataclasses, attrs, or pydantic<2, which is pure Python",
    ),
    ("pymupdf", "pypdf"),
    ("regex", "re of the standard library"),
    (
        "scikit-learn",
        "statistics of the standard library, or a tool in Rust",
    ),
    ("scipy", "math and statistics of the standard library"),
    ("tensorflow", "a service that runs the model, over HTTP"),
    (
        "tiktoken",
        "an estimate, such as four characters for each token",
    ),
    (
        "tokenizers",
        "an estimate, such as four characters for each token",
    ),
    ("torch", "a service that runs the model, over HTTP"),
    ("ujson", "json of the standard library"),
    ("uvloop", "asyncio as it is"),
];

/// The name of a package as registries compare it.
pub(super) fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// True if the package works without its native code.
pub(super) fn works_without(name: &str) -> bool {
    WORK_WITHOUT.contains(&normal(name).as_str())
}

pub(super) fn instead(name: &str) -> Option<&'static str> {
    let name = normal(name);
    let mut all = INSTEAD.iter();
    all.find_map(|(native, instead)| (*native == name).then_some(*instead))
}

/// The refusal of a package.
pub(super) fn refused(package: &IncludedPackage) -> anyhow::Error {
    let IncludedPackage { name, version, .. } = package;
    let problem = Problem::user(format!(
        "the package `{name}` {version} has native code, which a component cannot hold"
    ));
    let hint = match instead(name) {
        Some(instead) => format!("use {instead}"),
        None => "use a package in pure Python, or write this tool in Rust".to_owned(),
    };
    problem.hint(hint).into()
}

/// The `error` of a run of pip that chose packages for `wanted`, for the author of the project.
pub(super) fn explained(error: anyhow::Error, wanted: &[String]) -> anyhow::Error {
    const NONE: &str = "No matching distribution found for ";
    let said = error.chain().nth(1).map(ToString::to_string);
    let said = said.unwrap_or_default();
    let Some(missing) = said.lines().find_map(|line| line.split_once(NONE)) else {
        return error;
    };
    let missing = missing.1.split(" (from").next().unwrap_or_default();
    let name_ends = |c: char| !c.is_ascii_alphanumeric() && !['-', '_', '.'].contains(&c);
    let name = missing.split(name_ends).next().unwrap_or_default();
    let hint = match instead(name) {
        Some(instead) => format!("use {instead}"),
        None => format!(
            "look at its name and versions: the project asks for {}",
            wanted.join(", ")
        ),
    };
    Problem::user(format!("there is no wheel of `{missing}` for Python 3.14"))
        .caused_by(said)
        .hint(hint)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::diagnosis;

    #[test]
    fn tables_name_packages_as_registries_compare_them() {
        for name in WORK_WITHOUT
            .iter()
            .chain(INSTEAD.iter().map(|(name, _)| name))
        {
            assert_eq!(normal(name), *name);
            assert_eq!(
                WORK_WITHOUT.contains(name),
                instead(name).is_none(),
                "{name}"
            );
        }
        assert!(works_without("Charset_Normalizer"));
    }

    #[test]
    fn a_package_that_is_not_there_is_named() {
        let failed = |said: &str| {
            Problem::user("pip failed")
                .caused_by(said.to_owned())
                .into()
        };
        let said = "ERROR: Could not find a version that satisfies the requirement requestz (from versions: none)\n\
                    ERROR: No matching distribution found for requestz";
        let error = explained(failed(said), &["requestz".to_owned()]);
        assert_eq!(
            error.to_string(),
            "there is no wheel of `requestz` for Python 3.14"
        );
        assert!(diagnosis::of(&error).hints[0].ends_with("asks for requestz"));
        let said = "ERROR: No matching distribution found for NumPy<1 (from x==1)";
        let error = explained(failed(said), &[]);
        assert_eq!(
            error.to_string(),
            "there is no wheel of `NumPy<1` for Python 3.14"
        );
        assert!(diagnosis::of(&error).hints[0].starts_with("use math"));
        assert_eq!(
            explained(failed("no network"), &[]).to_string(),
            "pip failed"
        );
    }
}
