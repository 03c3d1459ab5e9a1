//! Tests of signatures: honest ones are accepted; what was changed, moved or made up is not.

use data_encoding::BASE64;
use serde_json::{Value, json};
use tool_hub_manifest::{ClaimedSigner, ComponentClaim, Interpreter, Manifest, Package, Verified};

use super::*;
use crate::bundle::BUNDLE_BYTES_MAX;
use crate::claim::claimed_signer;
use crate::public_key::KeyKind;

const CARD: &[u8] = b"# Greeter";

fn package(version: &str) -> Verified {
    let component = b"\0asm-component".to_vec();
    let version = version.parse().unwrap();
    let mut manifest = Manifest::new("greeter".parse().unwrap(), version);
    manifest.component = Some(ComponentClaim::of(&component));
    let manifest = manifest.to_toml().into_bytes();
    Verified::check(Package {
        manifest,
        component,
        interpreter: None,
        sbom: None,
    })
    .unwrap()
}

fn with_interpreter() -> Verified {
    let component = b"program".to_vec();
    let interpreter = Interpreter::hashed(b"\0asm-interpreter".to_vec());
    let mut manifest = Manifest::new("greeter".parse().unwrap(), "1.0.0".parse().unwrap());
    manifest.component = Some(ComponentClaim::of(&component));
    manifest.interpreter = Some(interpreter.claim());
    Verified::check(Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: Some(interpreter),
        sbom: None,
    })
    .unwrap()
}

/// A signed package: its parts can be changed one by one.
struct Signed {
    package: Verified,
    card: Option<Vec<u8>>,
    signer: Option<String>,
    rotation: Option<Vec<u8>>,
    attestations: Option<Vec<u8>>,
    bundle: Vec<u8>,
    key: PrivateKey,
}

impl Signed {
    fn new(kind: KeyKind, package: Verified) -> Self {
        let key = PrivateKey::generate(kind).unwrap();
        let mut signed = Self {
            package,
            card: Some(CARD.to_vec()),
            signer: Some(key.public().to_pem()),
            rotation: None,
            attestations: None,
            bundle: Vec::new(),
            key,
        };
        signed.bundle = sign(&signed.files(), &signed.key).unwrap();
        signed
    }

    fn honest() -> Self {
        Self::new(KeyKind::P256, package("1.0.0"))
    }

    fn files(&self) -> PackageFiles<'_> {
        PackageFiles {
            package: &self.package,
            card: self.card.as_deref(),
            signer: self.signer.as_deref().map(str::as_bytes),
            rotation: self.rotation.as_deref(),
            attestations: self.attestations.as_deref(),
        }
    }

    fn check(&self, known: &[PublicKey]) -> Result<VerifiedSigner, SigningError> {
        let trust = Trust {
            keys: known,
            ..Trust::none()
        };
        let checked = VerifiedSigner::check(&self.bundle, &self.files(), &trust);
        self.check_claim(&checked, &trust);
        checked
    }

    /// Whoever has only the digests of the files names the same signer, and nobody where the
    /// signature is wrong.
    #[track_caller]
    fn check_claim(&self, checked: &Result<VerifiedSigner, SigningError>, trust: &Trust<'_>) {
        let files = self.files();
        let claimed = claimed_signer(&self.bundle, &files.hashed(), files.signer, trust);
        match checked {
            Ok(verified) => assert_eq!(
                PackageSigner::Key(match claimed {
                    ClaimedSigner::Key(key) => key,
                    other => panic!("{other:?}"),
                }),
                *verified.signer()
            ),
            // Of a rotation nothing is claimed.
            Err(SigningError::WrongRotation { .. }) => {}
            Err(_) => assert_eq!(claimed, ClaimedSigner::Unknown),
        }
    }

    /// Changes the bundle as JSON.
    fn edit(&mut self, edit: impl FnOnce(&mut Value)) {
        let mut bundle = serde_json::from_slice(&self.bundle).unwrap();
        edit(&mut bundle);
        self.bundle = serde_json::to_vec(&bundle).unwrap();
    }

    /// Signs the statement anew once `edit` changed it: what a signer can do who means harm.
    fn sign_edited(&mut self, edit: impl FnOnce(&mut Value)) {
        let bundle: Value = serde_json::from_slice(&self.bundle).unwrap();
        let payload = bundle["dsseEnvelope"]["payload"].as_str().unwrap();
        let payload = BASE64.decode(payload.as_bytes()).unwrap();
        let mut statement = serde_json::from_slice(&payload).unwrap();
        edit(&mut statement);
        self.sign_payload(&serde_json::to_vec(&statement).unwrap());
    }

    fn sign_payload(&mut self, payload: &[u8]) {
        let signature = self
            .key
            .sign(&pre_authentication_encoding(payload))
            .unwrap();
        self.edit(|bundle| {
            bundle["dsseEnvelope"]["payload"] = json!(BASE64.encode(payload));
            bundle["dsseEnvelope"]["signatures"][0]["sig"] = json!(BASE64.encode(&signature));
        });
    }

    #[track_caller]
    fn refused(&self, expect: &str) {
        let error = self.check(&[]).unwrap_err();
        assert!(error.is_refusal() && !error.is_unverifiable(), "{error:?}");
        assert!(error.to_string().contains(expect), "{error}");
    }
}

#[test]
fn honest_packages_of_every_kind_of_key_are_accepted() {
    for kind in KeyKind::ALL {
        for package in [package("1.0.0"), with_interpreter()] {
            let signed = Signed::new(kind, package);
            let signer = signed.check(&[]).unwrap();
            assert_eq!(*signer.signer(), signed.key.public().fingerprint().into());
            assert_eq!(signer.package(), signed.package.pin());
        }
    }
}

#[test]
fn a_signature_is_of_one_version_of_one_package() {
    let mut signed = Signed::honest();
    signed.package = package("1.0.1");
    signed.refused("signs another tool.toml");

    let mut signed = Signed::honest();
    signed.card = Some(b"# Another".to_vec());
    signed.refused("signs another README.md");

    let mut signed = Signed::honest();
    signed.card = None;
    signed.refused("signs `README.md`, which the package does not have");

    let mut signed = Signed::new(KeyKind::P256, package("1.0.0"));
    signed.card = None;
    signed.bundle = sign(&signed.files(), &signed.key).unwrap();
    signed.check(&[]).unwrap();
    signed.card = Some(CARD.to_vec());
    signed.refused("does not sign README.md");
}

#[test]
fn every_changed_byte_of_the_signature_is_refused() {
    for kind in [KeyKind::P256, KeyKind::Ed25519] {
        let mut signed = Signed::new(kind, package("1.0.0"));
        let honest = signed.bundle.clone();
        let bundle: Value = serde_json::from_slice(&honest).unwrap();
        let envelope = &bundle["dsseEnvelope"];
        for place in ["/payload", "/signatures/0/sig"] {
            let text = envelope.pointer(place).unwrap().as_str().unwrap();
            let bytes = BASE64.decode(text.as_bytes()).unwrap();
            for index in 0..bytes.len() {
                let mut bytes = bytes.clone();
                bytes[index] ^= 1;
                signed.bundle = honest.clone();
                signed.edit(|bundle| {
                    let envelope = &mut bundle["dsseEnvelope"];
                    *envelope.pointer_mut(place).unwrap() = json!(BASE64.encode(&bytes));
                });
                signed.refused("was not made with the key");
            }
        }
    }
}

#[test]
fn the_key_decides_and_not_the_bundle() {
    // The key of another kind, or of somebody else, in the package.
    for kind in KeyKind::ALL {
        let mut signed = Signed::honest();
        let other = PrivateKey::generate(kind).unwrap();
        signed.signer = Some(other.public().to_pem());
        signed.refused("is not of SHA256:");
        // The bundle says that it is of that one, too.
        signed.edit(|bundle| {
            bundle["verificationMaterial"]["publicKey"] = json!({
                "hint": other.public().hint(),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "rawBytes": "",
            });
        });
        signed.refused("was not made with the key");
    }
    let mut signed = Signed::honest();
    signed.signer = Some("x".to_owned());
    signed.refused("signer.pem: this is not a public key");
}

#[test]
fn a_key_that_does_not_travel_has_to_be_known() {
    let mut signed = Signed::honest();
    signed.signer = None;
    signed.bundle = sign(&signed.files(), &signed.key).unwrap();
    let known = [
        PrivateKey::generate(KeyKind::Ed25519)
            .unwrap()
            .public()
            .clone(),
        signed.key.public().clone(),
    ];
    let signer = signed.check(&known).unwrap();
    assert_eq!(*signer.signer(), signed.key.public().fingerprint().into());

    let error = signed.check(&known[..1]).unwrap_err();
    assert_eq!(error, SigningError::UnknownKey);
    assert!(error.is_unverifiable() && !error.is_refusal());
    // Nothing says of which of them it would be.
    signed.edit(|bundle| bundle["verificationMaterial"]["publicKey"] = json!({}));
    assert_eq!(signed.check(&known).unwrap_err(), SigningError::UnknownKey);
}

#[test]
fn a_certificate_is_there_and_not_mixed_with_a_key() {
    let mut signed = Signed::honest();
    signed.edit(|bundle| {
        bundle["verificationMaterial"] =
            json!({ "x509CertificateChain": { "certificates": [] }, "tlogEntries": [] });
    });
    signed.refused("it has not between 1 and 8 certificates");

    let mut signed = Signed::honest();
    signed.edit(|bundle| bundle["verificationMaterial"]["certificate"] = json!({ "rawBytes": "" }));
    signed.refused("exactly one kind of key material");
}

#[test]
fn statements_of_another_form_are_refused_whoever_signed_them() {
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 14] = [
        (
            |it| it["_type"] = json!("https://in-toto.io/Statement/v0.1"),
            "`_type`",
        ),
        (
            |it| it["predicateType"] = json!("https://slsa.dev/provenance/v1"),
            "`predicateType`",
        ),
        (
            |it| it["predicate"]["serialization"]["method"] = json!("shards"),
            "`method`",
        ),
        (
            |it| it["predicate"]["serialization"]["hash_type"] = json!("blake3"),
            "`hash_type`",
        ),
        (
            |it| it["predicate"]["resources"][0]["algorithm"] = json!("md5"),
            "another digest than SHA-256",
        ),
        (
            |it| it["subject"][0]["digest"]["sha256"] = json!("00".repeat(32)),
            "the digest of its subject",
        ),
        (
            |it| {
                let subject = it["subject"][0].clone();
                it["subject"].as_array_mut().unwrap().push(subject);
            },
            "exactly one subject",
        ),
        (|it| it["subject"] = json!([]), "exactly one subject"),
        // The same file again, with a digest that fits.
        (
            |it| {
                let resource = it["predicate"]["resources"][0].clone();
                it["predicate"]["resources"]
                    .as_array_mut()
                    .unwrap()
                    .push(resource);
            },
            "names a file twice",
        ),
        (
            |it| {
                it["predicate"]["resources"].as_array_mut().unwrap().pop();
                rooted(it);
            },
            "does not sign tool.wasm",
        ),
        (
            |it| {
                let resource =
                    json!({ "name": "evil.py", "algorithm": "sha256", "digest": "00".repeat(32) });
                it["predicate"]["resources"]
                    .as_array_mut()
                    .unwrap()
                    .push(resource);
                rooted(it);
            },
            "signs `evil.py`, which the package does not have",
        ),
        (
            |it| it["predicate"]["resources"][2]["name"] = json!("./tool.toml"),
            "does not sign tool.toml",
        ),
        (
            |it| it["predicate"]["resources"][0]["digest"] = json!("sha256:00"),
            "64 lower-case digits",
        ),
        (|it| *it = json!([]), "its statement"),
    ];
    for (edit, expect) in edits {
        let mut signed = Signed::honest();
        signed.sign_edited(edit);
        signed.refused(expect);
    }
}

/// Writes the digest of the subject that fits the resources.
fn rooted(statement: &mut Value) {
    let resources = statement["predicate"]["resources"].as_array().unwrap();
    let mut hasher = tool_hub_manifest::Hasher::new();
    for resource in resources {
        let digest: tool_hub_manifest::Digest =
            resource["digest"].as_str().unwrap().parse().unwrap();
        hasher.update(digest.as_bytes());
    }
    statement["subject"][0]["digest"]["sha256"] = json!(hasher.finish().hex());
}

#[test]
fn bundles_of_another_form_are_refused() {
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 7] = [
        (
            |it| it["mediaType"] = json!("application/vnd.dev.sigstore.bundle+json;version=0.2"),
            "its media type",
        ),
        (
            |it| it["dsseEnvelope"]["payloadType"] = json!("text/plain"),
            "the type of its payload",
        ),
        (|it| it["dsseEnvelope"] = Value::Null, "no DSSE envelope"),
        (
            |it| it["dsseEnvelope"]["signatures"] = json!([]),
            "exactly one signature",
        ),
        (
            |it| {
                let signature = it["dsseEnvelope"]["signatures"][0].clone();
                it["dsseEnvelope"]["signatures"]
                    .as_array_mut()
                    .unwrap()
                    .push(signature);
            },
            "exactly one signature",
        ),
        (
            |it| it["dsseEnvelope"]["payload"] = json!("e30"),
            "`payload` is not base64",
        ),
        (
            |it| it["verificationMaterial"] = json!({}),
            "exactly one kind of key material",
        ),
    ];
    for (edit, expect) in edits {
        let mut signed = Signed::honest();
        signed.edit(edit);
        signed.refused(expect);
    }
    let mut signed = Signed::honest();
    signed.bundle = vec![b' '; BUNDLE_BYTES_MAX + 1];
    signed.refused("more than 65536 bytes");
    for text in ["", "null", "[]", "{}", "\u{feff}{}", &"[".repeat(60_000)] {
        signed.bundle = text.as_bytes().to_vec();
        signed.refused("its bundle");
    }
}

/// A member that is there twice is read as its first value by some, and as its last by others.
#[test]
fn members_that_are_there_twice_are_refused() {
    let honest = Signed::honest();
    let bundle = String::from_utf8(honest.bundle.clone()).unwrap();
    for (member, value) in [
        ("mediaType", "\"x\""),
        ("verificationMaterial", "{}"),
        ("dsseEnvelope", "null"),
    ] {
        let mut signed = Signed::honest();
        signed.bundle = bundle
            .replacen('{', &format!("{{\"{member}\":{value},"), 1)
            .into_bytes();
        signed.refused("duplicate field");
    }
    let json: Value = serde_json::from_str(&bundle).unwrap();
    let payload = json["dsseEnvelope"]["payload"].as_str().unwrap();
    let payload = String::from_utf8(BASE64.decode(payload.as_bytes()).unwrap()).unwrap();
    for (before, again) in [
        ("\"subject\":", "\"subject\":[],"),
        ("\"resources\":", "\"resources\":[],"),
        ("\"digest\":\"", "\"digest\":\"00\","),
    ] {
        assert!(payload.contains(before), "{payload}");
        let mut signed = Signed::honest();
        let twice = payload.replacen(before, &format!("{again}{before}"), 1);
        signed.sign_payload(twice.as_bytes());
        signed.refused("duplicate field");
    }
}

#[test]
fn members_that_are_not_known_are_ignored() {
    let mut signed = Signed::honest();
    signed.sign_edited(|statement| {
        statement["predicate"]["later"] = json!([1]);
        statement["later"] = json!({});
    });
    signed.edit(|bundle| bundle["verificationMaterial"]["timestampVerificationData"] = json!({}));
    signed.check(&[]).unwrap();
}

#[test]
fn a_key_that_replaces_another_says_which() {
    let mut signed = Signed::honest();
    assert_eq!(signed.check(&[]).unwrap().replaces(), None);
    let old = PrivateKey::generate(KeyKind::Ed25519).unwrap();
    signed.rotation = Some(crate::rotation::rotate(&old, signed.key.public()).unwrap());
    signed.refused("does not sign signer-rotation.sig");
    signed.bundle = sign(&signed.files(), &signed.key).unwrap();
    let signer = signed.check(&[]).unwrap();
    assert_eq!(signer.replaces(), Some(old.public().fingerprint()));

    // A statement on a package is none on a key, and the other way round.
    signed.rotation = Some(signed.bundle.clone());
    signed.bundle = sign(&signed.files(), &signed.key).unwrap();
    signed.refused("signer-rotation.sig does not count: its statement");
    signed.rotation = None;
    signed.bundle = crate::rotation::rotate(&signed.key, signed.key.public()).unwrap();
    signed.refused("its statement");
}
