//! Signs tool packages and verifies their signatures, in the format of OpenSSF model signing v1.
//!
//! A signature is a Sigstore bundle v0.3 with a DSSE envelope around an in-toto statement v1
//! whose predicate names each file of the package with its SHA-256 digest. `model_signing` (PyPI)
//! 1.1 writes and verifies the same for keys on the NIST curves; it has no Ed25519.
//!
//! The crate is pure: bytes in, bytes out. It opens no file, and keeps no key.
//!
//! ```
//! use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified};
//! use tool_hub_signing::{KeyKind, PackageFiles, PrivateKey, VerifiedSigner, sign};
//!
//! let component = b"\0asm".to_vec();
//! let mut manifest = Manifest::new("greeter".parse()?, "1.0.0".parse()?);
//! manifest.component = Some(ComponentClaim::of(&component));
//! let manifest = manifest.to_toml().into_bytes();
//! let package = Package { manifest, component, interpreter: None, sbom: None };
//! let package = Verified::check(package)?;
//!
//! let key = PrivateKey::generate(KeyKind::P256)?;
//! let public = key.public().to_pem();
//! let files = PackageFiles {
//!     package: &package,
//!     card: Some(b"# Greeter"),
//!     signer: Some(public.as_bytes()),
//!     rotation: None,
//! };
//! let bundle = sign(&files, &key)?;
//! let signer = VerifiedSigner::check(&bundle, &files, &[])?;
//! assert_eq!(signer.fingerprint(), key.public().fingerprint());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod envelope;
mod error;
mod package_files;
mod pem;
mod private_key;
mod public_key;
mod rotation;
mod signature;
mod statement;

pub use bundle::BUNDLE_BYTES_MAX;
pub use error::SigningError;
pub use package_files::PackageFiles;
pub use private_key::{PRIVATE_KEY_BYTES_MAX, PrivateKey};
pub use public_key::{KeyKind, PUBLIC_KEY_BYTES_MAX, PublicKey};
pub use rotation::rotate;
pub use signature::{VerifiedSigner, sign};
