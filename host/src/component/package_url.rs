//! Writes and reads the URLs of packages (purl): `pkg:npm/%40scope/sums@1.0.0`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::packages::{IncludedPackage, PackageOrigin, PackageRegistry};

/// All characters but those that a part of a purl holds as they are.
const PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');
/// The same for values of qualifiers, which may hold slashes and colons.
const VALUE: &AsciiSet = &PART.remove(b'/').remove(b':');

const REPOSITORY: &str = "vcs_url";
const REGISTRY: &str = "repository_url";

/// A package as its URL names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedPackage {
    pub(super) registry: PackageRegistry,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) origin: Option<PackageOrigin>,
}

/// The URL of `package`.
pub(super) fn package_url(package: &IncludedPackage) -> String {
    let name = match package.registry {
        // The type `pypi` has its names in this form.
        PackageRegistry::Pypi => package.name.to_ascii_lowercase().replace('_', "-"),
        PackageRegistry::Cargo | PackageRegistry::Npm => package.name.clone(),
    };
    let name: Vec<String> = name
        .split('/')
        .map(|part| utf8_percent_encode(part, PART).to_string())
        .collect();
    let qualifier = package.origin.as_ref().map(|origin| {
        let key = match origin {
            PackageOrigin::Repository(_) => REPOSITORY,
            PackageOrigin::Registry(_) => REGISTRY,
        };
        format!("?{key}={}", utf8_percent_encode(origin.as_str(), VALUE))
    });
    format!(
        "pkg:{}/{}@{}{}",
        package.registry.purl_type(),
        name.join("/"),
        utf8_percent_encode(&package.version, PART),
        qualifier.unwrap_or_default()
    )
}

/// Reads the URL of a package; `None` if it is none, or of another kind of package.
pub(super) fn named(purl: &str) -> Option<NamedPackage> {
    let rest = purl.strip_prefix("pkg:")?;
    let rest = rest.split('#').next()?;
    let (rest, qualifiers) = rest.split_once('?').unwrap_or((rest, ""));
    let (kind, rest) = rest.trim_start_matches('/').split_once('/')?;
    let (name, version) = rest.rsplit_once('@')?;
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8().ok()?;
        Some(text.into_owned())
    };
    let mut registries = PackageRegistry::ALL.into_iter();
    let registry = registries.find(|it| it.purl_type() == kind.to_ascii_lowercase())?;
    let qualifier = |key: &str| {
        let mut pairs = qualifiers.split('&').filter_map(|it| it.split_once('='));
        pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    let origin = match (qualifier(REPOSITORY), qualifier(REGISTRY)) {
        (Some(place), _) => Some(PackageOrigin::Repository(decoded(place)?)),
        (None, Some(place)) => Some(PackageOrigin::Registry(decoded(place)?)),
        (None, None) => None,
    };
    Some(NamedPackage {
        registry,
        name: decoded(name)?,
        version: decoded(version)?,
        origin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(registry: PackageRegistry, name: &str, origin: Option<PackageOrigin>, expect: &str) {
        let package = IncludedPackage {
            registry,
            name: name.to_owned(),
            version: "1.0.0+b".to_owned(),
            license: None,
            origin: origin.clone(),
            hash: None,
        };
        assert_eq!(package_url(&package), expect);
        let read = named(expect).unwrap();
        assert_eq!((read.registry, read.origin), (registry, origin));
        assert_eq!(read.version, package.version);
        assert_eq!(
            read.name.to_ascii_lowercase(),
            name.to_ascii_lowercase().replace('_', "-")
        );
    }

    #[test]
    fn packages_have_urls() {
        use PackageRegistry::{Cargo, Npm, Pypi};
        check(Cargo, "serde-x", None, "pkg:cargo/serde-x@1.0.0%2Bb");
        check(Npm, "@scope/sums", None, "pkg:npm/%40scope/sums@1.0.0%2Bb");
        check(
            Pypi,
            "Typing_Extensions",
            None,
            "pkg:pypi/typing-extensions@1.0.0%2Bb",
        );
        let commit = PackageOrigin::Repository("git+https://git.example/ada/x@0a1b".to_owned());
        let expect = "pkg:cargo/x@1.0.0%2Bb?vcs_url=git%2Bhttps://git.example/ada/x%400a1b";
        check(Cargo, "x", Some(commit), expect);
        let ours = PackageOrigin::Registry("https://crates.example/?a=1&b".to_owned());
        let expect = "pkg:cargo/x@1.0.0%2Bb?repository_url=https://crates.example/%3Fa%3D1%26b";
        check(Cargo, "x", Some(ours), expect);
    }

    #[test]
    fn what_is_no_such_url_is_none() {
        for text in [
            "",
            "pkg:",
            "pkg:cargo",
            "pkg:cargo/x",
            "pkg:deb/debian/x@1",
            "cargo/x@1",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
        assert_eq!(named("pkg:npm/%FF@1"), None);
    }
}
