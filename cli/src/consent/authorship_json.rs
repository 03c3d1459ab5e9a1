//! Writes the signer and the attestations of a package for programs.

use serde_json::{Value, json};
use tool_hub_manifest::PackageSigner;
use tool_hub_signing::AttestationKind;
use tool_hub_toolbox::open_toolbox::Member;
use tool_hub_toolbox::package_attestations::PackageAttestations;
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::signing_keys::SigningKeys;

/// The signer for programs: the fingerprint of a key and the user's name for it, or an identity and
/// the user's name for its root; `null` where there is none.
pub(crate) fn signer_json(signature: &PackageSignature) -> Value {
    let name = signature.signer_name();
    match signature.signer() {
        Some(PackageSigner::Key(key)) => json!({ "fingerprint": key, "name": name }),
        Some(signer @ PackageSigner::Identity(identity)) => json!({
            "identity": signer,
            "subject": identity.subject(),
            "issuer": identity.issuer(),
            "root": identity.root(),
            "name": name,
        }),
        None => Value::Null,
    }
}

/// The signer of a tool of the toolbox, as [`signer_json`].
pub(crate) fn signer_of(member: Member<'_>, keys: &SigningKeys) -> Value {
    signer_json(&PackageSignature::recorded(member.locked, keys))
}

/// The attestations that were verified, for programs: who made each, what it says, and the user's
/// name for the root.
pub(crate) fn attestations_json(attestations: &PackageAttestations) -> Value {
    let verified = attestations.verified().iter();
    verified
        .map(|attestation| {
            json!({
                "publisher": attestation.publisher,
                "says": match attestation.kind {
                    Some(AttestationKind::Built) => Some("built"),
                    Some(AttestationKind::Published) => Some("published"),
                    None => None,
                },
                "root_name": attestation.root_name,
            })
        })
        .collect()
}
