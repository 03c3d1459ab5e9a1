//! Signs tool packages and verifies their signatures, in the format of OpenSSF model signing v1.
//!
//! A signature is a Sigstore bundle v0.3 with a DSSE envelope around an in-toto statement v1
//! whose predicate names each file of the package with its SHA-256 digest. `model_signing` (PyPI)
//! 1.1 writes and verifies the same for keys on the NIST curves; it has no Ed25519.
//!
//! An attestation is a statement of somebody else, such as a build service, on the same files.
//!
//! In place of a key there may be a certificate, for which a root has to vouch that the user
//! trusts, or a keyless one of a Sigstore, with the proofs of its log in the bundle.
//! [`KeylessSigning`] writes the messages by which one is made; whoever calls it sends them.
//!
//! The crate is pure: bytes in, bytes out. It opens no file, and keeps no key. Only
//! `sigstore-verify` looks at the clock, to refuse times that are yet to come and services that
//! have ended.
//!
//! ```
//! use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified};
//! use tool_hub_signing::{KeyKind, PackageFiles, PrivateKey, Trust, VerifiedSigner, sign};
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
//!     attestations: None,
//! };
//! let bundle = sign(&files, &key)?;
//! let signer = VerifiedSigner::check(&bundle, &files, &Trust::none())?;
//! assert_eq!(*signer.signer(), key.public().fingerprint().into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attestation;
mod bundle;
mod certificate;
mod claim;
mod envelope;
mod error;
mod keyless;
mod keyless_signing;
mod package_files;
mod pem;
mod private_key;
mod public_key;
mod rotation;
mod signature;
mod signing_services;
mod statement;
mod trust_config;
mod trusted_root;

pub use attestation::{
    ATTESTATIONS_BYTES_MAX, AttestationKind, AttestedFiles, CheckedAttestations,
    VerifiedAttestation, attestation_lines,
};
pub use bundle::BUNDLE_BYTES_MAX;
pub use certificate::{CERTIFICATE_CHAIN_BYTES_MAX, CertificateChain};
pub use claim::claimed_signer;
pub use error::SigningError;
pub use keyless_signing::{CertifiedSignature, KeylessSigning};
pub use package_files::{HashedFile, PackageFiles};
pub use private_key::{PRIVATE_KEY_BYTES_MAX, PrivateKey};
pub use public_key::{KeyKind, PUBLIC_KEY_BYTES_MAX, PublicKey};
pub use rotation::rotate;
pub use signature::{Trust, VerifiedSigner, sign, sign_with_certificate};
pub use signing_services::{LogVersion, SigningServices};
pub use trusted_root::{TRUSTED_ROOT_BYTES_MAX, TrustedRoot};
