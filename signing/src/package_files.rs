//! The `PackageFiles` that a signature covers, with their names and digests.

use tool_hub_manifest::{Digest, Verified, package_file};

/// All files of a package but its signature.
#[derive(Debug, Clone, Copy)]
pub struct PackageFiles<'a> {
    /// Manifest, component, interpreter and bill of materials, which were hashed.
    pub package: &'a Verified,
    /// The bytes of `README.md`, where the package has one.
    pub card: Option<&'a [u8]>,
    /// The bytes of `signer.pem`, where the package has one.
    pub signer: Option<&'a [u8]>,
    /// The bytes of `signer-rotation.sig`, where the key replaces another one.
    pub rotation: Option<&'a [u8]>,
    /// The bytes of `attestations.jsonl`, where the package has one.
    pub attestations: Option<&'a [u8]>,
}

/// A file by its name and digest.
pub type HashedFile = (&'static str, Digest);

impl PackageFiles<'_> {
    /// The files in the order of their names, in which the root digest covers them.
    pub fn hashed(&self) -> Vec<HashedFile> {
        let pin = self.package.pin();
        let interpreter = self.package.interpreter().map(|it| it.digest());
        let mut files = vec![
            (package_file::MANIFEST, pin.manifest),
            (package_file::COMPONENT, pin.component),
        ];
        files.extend(interpreter.map(|digest| (package_file::INTERPRETER, digest)));
        let sbom = self.package.manifest().sbom;
        files.extend(sbom.map(|claim| (package_file::SBOM, claim.sha256)));
        files.extend(self.card.map(|it| (package_file::CARD, Digest::of(it))));
        files.extend(self.signer.map(|it| (package_file::SIGNER, Digest::of(it))));
        let rotation = self.rotation.map(Digest::of);
        files.extend(rotation.map(|digest| (package_file::ROTATION, digest)));
        let attestations = self.attestations.map(Digest::of);
        files.extend(attestations.map(|digest| (package_file::ATTESTATIONS, digest)));
        files.sort_unstable();
        files
    }
}
