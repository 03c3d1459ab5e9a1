//! Checks that pip reads a requirement as a package of a registry, and as nothing else.
//! pip takes options, addresses and paths in the same lines, and fetches and runs what they name.

/// The endings of files that pip would take instead of a package.
const ARCHIVES: [&str; 12] = [
    ".whl", ".zip", ".gz", ".tgz", ".tar", ".bz2", ".tbz", ".xz", ".txz", ".tlz", ".lz", ".lzma",
];
/// The signs that a marker may have beside letters and digits.
const MARKER: &str = " _.'\"<>=!~(),+*-";
/// The signs that versions may have beside letters and digits.
const VERSIONS: &str = " .,<>=!~*+()_-";
/// The signs with which versions begin.
const COMPARED: [char; 6] = ['<', '>', '=', '!', '~', '('];
const HASH: &str = " --hash=sha256:";

/// True if `text` is a name with extras, versions, a marker and hashes (PEP 508 and pip's
/// `--hash`), of which all but the name may be missing.
pub(super) fn is_package(text: &str) -> bool {
    let mut parts = text.split(HASH);
    let named = parts.next().unwrap_or_default();
    let (named, marker) = named.split_once(';').unwrap_or((named, ""));
    parts.all(is_sha256) && is_named(named.trim()) && has_only(marker, MARKER)
}

fn is_named(named: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let end = named.find(|c| !is_name(c)).unwrap_or(named.len());
    let (name, rest) = named.split_at(end);
    let rest = rest.trim_start();
    let (extras, versions) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']').unwrap_or(("[", "")),
        None => ("", rest),
    };
    let versions = versions.trim_start();
    is_package_name(name)
        && has_only(extras, " ,._-")
        && has_only(versions, VERSIONS)
        && (versions.is_empty() || versions.starts_with(COMPARED))
        && !ARCHIVES.iter().any(|ending| named.ends_with(ending))
}

/// True if `name` begins and ends with a letter or digit.
pub(super) fn is_package_name(name: &str) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    has_only(name, "._-") && name.starts_with(is_end) && name.ends_with(is_end)
}

/// True if `text` is one version.
pub(super) fn is_version(version: &str) -> bool {
    !version.is_empty() && has_only(version, ".!+_-")
}

pub(super) fn is_sha256(digest: &str) -> bool {
    digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True if `text` has letters, digits and `signs` of ASCII alone, and no word that pip would take
/// for an option.
fn has_only(text: &str, signs: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    text.chars().all(is_known) && !text.split(' ').any(|word| word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_registries() {
        let hash = "0123456789abcdef".repeat(4);
        for text in [
            "requests",
            "requests>=2.32,<3",
            "requests == 2.*",
            "httpx[http2, socks] (>=0.27)",
            "zope.interface~=6.0; python_version < '3.15' and sys_platform != \"win32\"",
            &format!("idna==3.7 ; python_version < '4' --hash=sha256:{hash} --hash=sha256:{hash}"),
        ] {
            assert!(is_package(text), "{text}");
        }
    }

    #[test]
    fn what_pip_would_take_for_something_else() {
        let evil = "file:///x/evil-1.tar.gz";
        for text in [
            "",
            "-r other.txt",
            "./here",
            "evil-1.tar.gz",
            "evil==1.zip",
            "C:\\x.whl",
            "git+https://x.example/x",
            "x @ https://x.example/x.whl",
            &format!("{evil}#==1"),
            &format!("evil @ {evil}#==1 --hash=sha256:{}", "0".repeat(64)),
            &format!("idna; python_version>'4'\n{evil}"),
            &format!("idna; python_version>'4'\u{2028}{evil}"),
            &format!("idna; python_version>'4'\u{1c}{evil}"),
            "evil\n--no-binary=evil",
            "evil==1 --no-binary=evil",
            "evil ; python_version > '3' --index-url",
            "evil==1 --hash=sha256:00",
            "evil==1 --hash=md5:0123456789abcdef0123456789abcdef",
            "x${AWS_SECRET}",
            "x; '${AWS_SECRET}' == ''",
            "bücher",
            "x[a",
            "x y",
            "x#egg=y",
        ] {
            assert!(!is_package(text), "{text:?}");
        }
    }
}
