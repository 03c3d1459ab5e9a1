//! Fuzzes the parsers of signatures and keys: a stranger's bytes verify nothing that nobody signed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified};
use tool_hub_signing::{
    AttestedFiles, CheckedAttestations, PackageFiles, PrivateKey, PublicKey, SigningServices,
    Trust, TrustedRoot, VerifiedSigner,
};

/// A key that signs nothing: whatever is verified with it was forged.
const KEY: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzgbISp+v2fizV/XOz57IbslboO0s
8fJ9eWLm/ae2Xao4XOQ759wIA5JuP0KBwwEP7ocR/gvdbYRFmtwoidk3+g==
-----END PUBLIC KEY-----
";

fn package() -> Verified {
    let component = b"\0asm".to_vec();
    let name = "demo".parse().expect("a name");
    let mut manifest = Manifest::new(name, "1.0.0".parse().expect("a version"));
    manifest.component = Some(ComponentClaim::of(&component));
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    Verified::check(package).expect("an honest package")
}

fuzz_target!(|bytes: &[u8]| {
    let package = package();
    let files = PackageFiles {
        package: &package,
        card: None,
        signer: Some(KEY.as_bytes()),
        rotation: None,
        attestations: None,
    };
    assert!(VerifiedSigner::check(bytes, &files, &Trust::none()).is_err());
    if let Ok(key) = PublicKey::from_pem(bytes) {
        let again = PublicKey::from_pem(key.to_pem().as_bytes()).expect("what was written is read");
        assert_eq!(again, key);
    }
    let _ = PrivateKey::from_pem(bytes);
    let _ = TrustedRoot::read(bytes);
    let _ = SigningServices::read(bytes);
    let about = AttestedFiles::of(&files);
    if let Ok(checked) = CheckedAttestations::check(bytes, &about, &Trust::none()) {
        assert!(checked.0.iter().all(Result::is_err));
    }
    let files = PackageFiles {
        signer: None,
        ..files
    };
    assert!(VerifiedSigner::check(bytes, &files, &Trust::none()).is_err());
});
