//! Checks a tool's bytes by SHA-256 against its manifest and a `Pin`; gives a `Verified` value.
//! The bytes are those of a `Package`; a `Pin` has the digests that are expected, where some are.

use std::sync::Arc;

use crate::digest::{Digest, Hasher};
use crate::document::DocumentError;
use crate::interpreter::{Interpreter, InterpreterClaim};
use crate::manifest::{ComponentClaim, Manifest};
use crate::package_file;
use crate::sbom::SbomClaim;

/// The files of a tool as they were received, before any check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The bytes of `tool.toml`.
    pub manifest: Vec<u8>,
    /// The bytes of `tool.wasm`.
    pub component: Vec<u8>,
    /// The interpreter in `interpreter.wasm`. It is used only if the manifest names one.
    pub interpreter: Option<Interpreter>,
    /// The bytes of `sbom.cdx.json`. They are used only if the manifest names them.
    pub sbom: Option<Vec<u8>>,
}

/// The digests that a tool was approved with. Whoever holds a pin accepts nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The digest of the manifest's bytes.
    pub manifest: Digest,
    /// The digest of the component's bytes.
    pub component: Digest,
}

/// A tool whose bytes were hashed and agree with its manifest, and with a pin where one was
/// given. There is no other way to make one:
///
/// ```compile_fail,E0616
/// # fn forge(honest: tool_hub_manifest::Verified) -> tool_hub_manifest::Verified {
/// // The fields are private: no literal, and no constructor that does not hash.
/// tool_hub_manifest::Verified { inner: honest.inner }
/// # }
/// ```
///
/// Cloning is cheap; the bytes are shared.
#[derive(Clone)]
pub struct Verified {
    inner: Arc<Inner>,
}

struct Inner {
    manifest: Manifest,
    pin: Pin,
    package: Package,
}

/// A package is not what it claims to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file's digest is not the one that was expected.
    #[error("{file} has digest {actual}, expected {expected}")]
    DigestMismatch {
        /// The file of the package.
        file: &'static str,
        /// The digest that was claimed or pinned.
        expected: Digest,
        /// The digest of the bytes at hand.
        actual: Digest,
    },
    /// The component's size is not the one in the manifest.
    #[error("tool.wasm has {actual} bytes, the manifest says {expected}")]
    SizeMismatch {
        /// The size that the manifest claims, in bytes.
        expected: u64,
        /// The size of the bytes at hand.
        actual: u64,
    },
    /// The manifest names an interpreter, and there is none.
    #[error("tool.toml names an interpreter, and interpreter.wasm is missing")]
    NoInterpreter,
    /// The interpreter's size is not the one in the manifest.
    #[error("interpreter.wasm has {actual} bytes, the manifest says {expected}")]
    InterpreterSizeMismatch {
        /// The size that the manifest claims, in bytes.
        expected: u64,
        /// The size of the bytes at hand.
        actual: u64,
    },
    /// The manifest names a bill of materials, and there is none.
    #[error("tool.toml names a bill of materials, and sbom.cdx.json is missing")]
    NoSbom,
    /// The manifest is not UTF-8.
    #[error("tool.toml is not UTF-8")]
    NotText,
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] DocumentError),
    /// The manifest does not say which component it speaks of.
    #[error("tool.toml has no [component] section, so nothing ties it to a component")]
    NoComponentClaim,
}

impl VerifyError {
    /// True if the bytes are others than those that were claimed, and not only unreadable.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::DigestMismatch { .. }
                | Self::SizeMismatch { .. }
                | Self::InterpreterSizeMismatch { .. }
        )
    }
}

impl Verified {
    /// Hashes both files and holds them against the manifest's own claim.
    ///
    /// # Errors
    /// When the manifest cannot be read or its claim does not fit the component.
    pub fn check(package: Package) -> Result<Self, VerifyError> {
        let pin = Pin {
            manifest: Digest::of(&package.manifest),
            component: Digest::of(&package.component),
        };
        Self::from_hashed(package, pin)
    }

    /// Hashes both files and holds them against `pin` first, then against the manifest's
    /// own claim.
    ///
    /// # Errors
    /// When a digest differs from the pin, or as [`Verified::check`].
    pub fn check_pinned(package: Package, pin: &Pin) -> Result<Self, VerifyError> {
        let actual = Pin {
            manifest: Digest::of(&package.manifest),
            component: Digest::of(&package.component),
        };
        pin.check(&actual)?;
        Self::from_hashed(package, actual)
    }

    fn from_hashed(mut package: Package, pin: Pin) -> Result<Self, VerifyError> {
        let manifest = Manifest::from_bytes(&package.manifest)?;
        let claim = manifest
            .component
            .as_ref()
            .ok_or(VerifyError::NoComponentClaim)?;
        claim.check(package.component.len() as u64, pin.component)?;
        package.interpreter = match &manifest.interpreter {
            Some(claim) => Some(claim.checked(package.interpreter)?),
            None => None,
        };
        package.sbom = match &manifest.sbom {
            Some(claim) => Some(claim.checked(package.sbom)?),
            None => None,
        };
        let inner = Arc::new(Inner {
            manifest,
            pin,
            package,
        });
        Ok(Self { inner })
    }

    /// The claims of the tool.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.manifest
    }

    /// The bytes of the manifest.
    pub fn manifest_bytes(&self) -> &[u8] {
        &self.inner.package.manifest
    }

    /// The bytes of the component.
    pub fn component(&self) -> &[u8] {
        &self.inner.package.component
    }

    /// The interpreter that runs the component's program, for a tool whose manifest names one.
    pub fn interpreter(&self) -> Option<&Interpreter> {
        self.inner.package.interpreter.as_ref()
    }

    /// The bytes of the bill of materials, where the manifest names one.
    pub fn sbom(&self) -> Option<&[u8]> {
        self.inner.package.sbom.as_deref()
    }

    /// The bytes of the component that runs: the interpreter's, or else the tool's own.
    pub fn code(&self) -> &[u8] {
        match self.interpreter() {
            Some(interpreter) => interpreter.component(),
            None => self.component(),
        }
    }

    /// The digest of [`code`](Self::code).
    pub fn code_digest(&self) -> Digest {
        match self.interpreter() {
            Some(interpreter) => interpreter.digest(),
            None => self.inner.pin.component,
        }
    }

    /// The digests of manifest and component. The manifest's covers the interpreter and the bill of
    /// materials, which it names by their digests.
    pub fn pin(&self) -> &Pin {
        &self.inner.pin
    }
}

impl std::fmt::Debug for Verified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verified")
            .field("name", &self.inner.manifest.name)
            .field("pin", &self.inner.pin)
            .finish_non_exhaustive()
    }
}

fn same(file: &'static str, expected: Digest, actual: Digest) -> Result<(), VerifyError> {
    if expected == actual {
        Ok(())
    } else {
        Err(VerifyError::DigestMismatch {
            file,
            expected,
            actual,
        })
    }
}

impl ComponentClaim {
    /// Compares a component's size and digest with the claim.
    ///
    /// # Errors
    /// When one of them differs.
    pub fn check(&self, bytes: u64, digest: Digest) -> Result<(), VerifyError> {
        if self.bytes != bytes {
            return Err(VerifyError::SizeMismatch {
                expected: self.bytes,
                actual: bytes,
            });
        }
        same(package_file::COMPONENT, self.sha256, digest)
    }
}

impl InterpreterClaim {
    /// Compares an interpreter's size and digest with the claim.
    ///
    /// # Errors
    /// When one of them differs.
    pub fn check(&self, bytes: u64, digest: Digest) -> Result<(), VerifyError> {
        if self.bytes != bytes {
            return Err(VerifyError::InterpreterSizeMismatch {
                expected: self.bytes,
                actual: bytes,
            });
        }
        same(package_file::INTERPRETER, self.sha256, digest)
    }

    /// The interpreter, if there is one and it is the one that is claimed.
    fn checked(&self, interpreter: Option<Interpreter>) -> Result<Interpreter, VerifyError> {
        let interpreter = interpreter.ok_or(VerifyError::NoInterpreter)?;
        self.check(interpreter.component().len() as u64, interpreter.digest())?;
        Ok(interpreter)
    }
}

impl SbomClaim {
    /// Compares a file's digest with the claim.
    ///
    /// # Errors
    /// When it differs.
    pub fn check(&self, digest: Digest) -> Result<(), VerifyError> {
        same(package_file::SBOM, self.sha256, digest)
    }

    /// The file, if there is one and it is the one that is claimed.
    fn checked(&self, sbom: Option<Vec<u8>>) -> Result<Vec<u8>, VerifyError> {
        let sbom = sbom.ok_or(VerifyError::NoSbom)?;
        self.check(Digest::of(&sbom))?;
        Ok(sbom)
    }
}

impl Manifest {
    /// Parses the bytes of a manifest.
    ///
    /// # Errors
    /// When they are not UTF-8, or no manifest.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VerifyError> {
        let text = std::str::from_utf8(bytes).map_err(|_| VerifyError::NotText)?;
        Ok(text.parse()?)
    }
}

impl Pin {
    /// Compares the digests of two files with those that were pinned, the manifest's first.
    ///
    /// # Errors
    /// When one of them differs.
    pub fn check(&self, actual: &Self) -> Result<(), VerifyError> {
        same(package_file::MANIFEST, self.manifest, actual.manifest)?;
        same(package_file::COMPONENT, self.component, actual.component)
    }

    /// One digest over both files: what a person approves with `--approve`.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new();
        hasher.update(b"tool-hub package v1\0");
        hasher.update(self.manifest.as_bytes());
        hasher.update(self.component.as_bytes());
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        let component = b"\0asm-component".to_vec();
        let mut manifest = Manifest::new("demo".parse().unwrap(), semver::Version::new(0, 1, 0));
        manifest.component = Some(ComponentClaim::of(&component));
        Package {
            manifest: manifest.to_toml().into_bytes(),
            component,
            interpreter: None,
            sbom: None,
        }
    }

    #[test]
    fn an_honest_package_verifies() {
        let verified = Verified::check(package()).unwrap();
        assert_eq!(verified.manifest().name.as_str(), "demo");
        assert!(Verified::check_pinned(package(), verified.pin()).is_ok());
    }

    #[test]
    fn every_flipped_byte_of_the_component_is_refused() {
        for index in 0..package().component.len() {
            let mut package = package();
            package.component[index] ^= 1;
            assert!(matches!(
                Verified::check(package),
                Err(VerifyError::DigestMismatch { .. })
            ));
        }
    }

    #[test]
    fn every_flipped_byte_of_either_file_breaks_the_pin() {
        let pin = *Verified::check(package()).unwrap().pin();
        for index in 0..package().manifest.len() {
            let mut package = package();
            package.manifest[index] ^= 1;
            assert!(matches!(
                Verified::check_pinned(package, &pin),
                Err(VerifyError::DigestMismatch {
                    file: "tool.toml",
                    ..
                })
            ));
        }
    }

    #[test]
    fn a_longer_component_is_refused() {
        let mut package = package();
        package.component.push(0);
        assert!(matches!(
            Verified::check(package),
            Err(VerifyError::SizeMismatch { .. })
        ));
    }

    #[test]
    fn an_interpreter_is_the_one_that_the_manifest_names() {
        let interpreter = Interpreter::hashed(b"\0asm-interpreter".to_vec());
        let mut package = package();
        let mut manifest = Manifest::from_bytes(&package.manifest).unwrap();
        manifest.interpreter = Some(interpreter.claim());
        package.manifest = manifest.to_toml().into_bytes();
        let with = |interpreter: Option<&[u8]>| {
            let interpreter = interpreter.map(|bytes| Interpreter::hashed(bytes.to_vec()));
            Verified::check(Package {
                interpreter,
                ..package.clone()
            })
        };
        let verified = with(Some(b"\0asm-interpreter")).unwrap();
        assert_eq!(verified.interpreter(), Some(&interpreter));
        assert_eq!(with(None).unwrap_err(), VerifyError::NoInterpreter);
        let longer = with(Some(b"\0asm-interpreter.")).unwrap_err();
        assert!(matches!(
            longer,
            VerifyError::InterpreterSizeMismatch { .. }
        ));
        let other = with(Some(b"\0asm-interpreteR")).unwrap_err();
        assert!(matches!(
            &other,
            VerifyError::DigestMismatch {
                file: "interpreter.wasm",
                ..
            }
        ));
        assert!(longer.is_refusal() && other.is_refusal());
    }

    #[test]
    fn an_interpreter_that_no_manifest_names_is_not_used() {
        let package = Package {
            interpreter: Some(Interpreter::hashed(b"\0asm".to_vec())),
            ..package()
        };
        assert_eq!(Verified::check(package).unwrap().interpreter(), None);
    }

    #[test]
    fn a_bill_of_materials_is_the_one_that_the_manifest_names() {
        let mut package = package();
        let mut manifest = Manifest::from_bytes(&package.manifest).unwrap();
        manifest.sbom = Some(SbomClaim::of(b"{}"));
        let unnamed = Package {
            sbom: Some(b"{}".to_vec()),
            ..package.clone()
        };
        assert_eq!(Verified::check(unnamed).unwrap().sbom(), None);
        package.manifest = manifest.to_toml().into_bytes();
        let with = |sbom: Option<&[u8]>| {
            Verified::check(Package {
                sbom: sbom.map(<[u8]>::to_vec),
                ..package.clone()
            })
        };
        assert_eq!(with(Some(b"{}")).unwrap().sbom(), Some(&b"{}"[..]));
        assert_eq!(with(None).unwrap_err(), VerifyError::NoSbom);
        let other = with(Some(b"[]")).unwrap_err();
        assert!(other.is_refusal() && other.to_string().starts_with("sbom.cdx.json has digest"));
    }

    #[test]
    fn an_author_s_manifest_is_not_a_claim() {
        let manifest = Manifest::new("demo".parse().unwrap(), semver::Version::new(0, 1, 0));
        let package = Package {
            manifest: manifest.to_toml().into_bytes(),
            component: vec![],
            interpreter: None,
            sbom: None,
        };
        assert_eq!(
            Verified::check(package).unwrap_err(),
            VerifyError::NoComponentClaim
        );
    }
}
