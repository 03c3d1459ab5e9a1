//! Measures how long it takes to verify who signed a package, against the bare signature.
//!
//! `cargo bench -p tool-hub-signing --bench verify`

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(
    clippy::expect_used,
    reason = "a benchmark that cannot go on has failed"
)]

use std::hint::black_box;
use std::time::Instant;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _,
    UnparsedPublicKey,
};
use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified};
use tool_hub_signing::{KeyKind, PackageFiles, PrivateKey, Trust, VerifiedSigner, sign};

const REPEATS: usize = 201;
/// The size of a Rust tool, and of one in Python.
const COMPONENT_BYTES: [usize; 2] = [100 << 10, 20 << 20];

fn main() {
    let bare = bare();
    println!("a signature on P-256 by aws-lc-rs alone: {bare:.0} µs");
    for bytes in COMPONENT_BYTES {
        let package = package(bytes);
        for kind in [KeyKind::P256, KeyKind::Ed25519] {
            let key = PrivateKey::generate(kind).expect("a key");
            let public = key.public().to_pem();
            let files = PackageFiles {
                package: &package,
                card: Some(b"# Measured"),
                signer: Some(public.as_bytes()),
                rotation: None,
                attestations: None,
            };
            let bundle = sign(&files, &key).expect("a signature");
            let took = median(|| {
                VerifiedSigner::check(black_box(&bundle), &files, &Trust::none())
                    .expect("the signer");
            });
            println!(
                "{kind:?}, a component of {bytes} bytes: {took:.0} µs, ratio {:.1}; model.sig and \
                 signer.pem have {} bytes",
                took / bare,
                bundle.len() + public.len()
            );
        }
    }
}

fn package(bytes: usize) -> Verified {
    let component = vec![7; bytes];
    let mut manifest = Manifest::new(
        "measured".parse().expect("a name"),
        "1.0.0".parse().expect("a version"),
    );
    manifest.component = Some(ComponentClaim::of(&component));
    let manifest = manifest.to_toml().into_bytes();
    Verified::check(Package {
        manifest,
        component,
        interpreter: None,
        sbom: None,
    })
    .expect("a package")
}

/// The time for one signature and nothing else.
fn bare() -> f64 {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("a key");
    let message = [7; 1024];
    let signature = pair
        .sign(&SystemRandom::new(), &message)
        .expect("a signature");
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, pair.public_key().as_ref());
    median(|| {
        key.verify(black_box(&message), signature.as_ref())
            .expect("a signature");
    })
}

/// The median of microseconds.
fn median(run: impl Fn()) -> f64 {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[REPEATS / 2]
}
