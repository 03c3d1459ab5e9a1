//! The packages of others that a tool is made of, as its author's build tells them.

use serde::{Deserialize, Serialize};

/// A package of a language's registry that became part of a component. All of its texts are the
/// author's, unescaped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct IncludedPackage {
    /// The registry in whose language it is.
    pub registry: PackageRegistry,
    /// Its name there.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its license, as the package itself says it.
    pub license: Option<String>,
    /// The place it comes from, where that is not the registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<PackageOrigin>,
    /// The hash of its archive, as the lock knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<PackageHash>,
}

/// A registry of packages, by the word that a package URL (`pkg:pypi/idna@3.10`) has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PackageRegistry {
    /// crates.io, of Rust.
    Cargo,
    /// npm, of JavaScript.
    Npm,
    /// PyPI, of Python.
    Pypi,
}

impl PackageRegistry {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Cargo, Self::Npm, Self::Pypi];

    /// The name that people know it by.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cargo => "crates.io",
            Self::Npm => "npm",
            Self::Pypi => "PyPI",
        }
    }

    /// The type in a package URL.
    pub(super) fn purl_type(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Npm => "npm",
            Self::Pypi => "pypi",
        }
    }
}

/// The place of a package that is not in the registry of its language.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PackageOrigin {
    /// A commit: `git+https://git.example/ada/x@0a1b2c…`.
    Repository(String),
    /// The URL of another registry.
    Registry(String),
}

impl PackageOrigin {
    /// Its text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Repository(place) | Self::Registry(place) => place,
        }
    }
}

/// A hash of a file, in the form of CycloneDX.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackageHash {
    /// The algorithm.
    pub alg: HashAlgorithm,
    /// The hash in lower-case hexadecimal.
    pub content: String,
}

/// An algorithm that locks have hashes of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum HashAlgorithm {
    /// SHA-256, of crates and wheels.
    #[serde(rename = "SHA-256")]
    Sha256,
    /// SHA-512, of packages of npm.
    #[serde(rename = "SHA-512")]
    Sha512,
}
