//! `GET …/{id}/provenance/{rev}`: the attestations of a version, as PEP 740's provenance object.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{json as answer, target, version_rules};
use crate::access::{Call, ReadRepository};
use crate::attestations::{ATTESTATIONS, Attestation};
use crate::database::publishers::Publisher;
use crate::http::{ErrorBody, Refusal, Reply};

/// The attestations of a revision, with what this registry checked of them.
///
/// Whoever loads a tool checks the attestations themselves, and does not believe this.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/provenance/{revision}",
    responses(
        (status = 200, description = "The attestations, by their publishers", body = Provenance),
        (status = 404, description = "The revision has no attestations", body = ErrorBody),
        (status = 422, description = "They do not count, or not any more", body = ErrorBody),
    ),
)]
pub(crate) async fn show(call: Call<ReadRepository>) -> Reply {
    let (registry, repository) = (&call.registry, &call.admitted.repository);
    let revision = call.admitted.address.rest_text().unwrap_or_default();
    let commit = target::find_commit(registry, repository, &revision).await?;
    let attestations = version_rules::attestations(registry, repository, &commit).await?;
    if attestations.is_empty() {
        return Err(Refusal::entry_not_found(ATTESTATIONS));
    }
    Ok(answer(Provenance {
        version: 1,
        attestation_bundles: attestations.iter().map(AttestationBundle::of).collect(),
    }))
}

/// A provenance object of PEP 740.
#[derive(Serialize, ToSchema)]
pub(crate) struct Provenance {
    version: u32,
    attestation_bundles: Vec<AttestationBundle>,
}

/// The attestations of one publisher.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttestationBundle {
    publisher: ProvenancePublisher,
    /// Attestation objects of PEP 740.
    #[schema(value_type = Vec<Object>)]
    attestations: Vec<Value>,
}

/// A trusted publisher of the repository.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProvenancePublisher {
    /// `Unchecked` where this registry trusts no root that could vouch for one.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
}

impl AttestationBundle {
    fn of(attestation: &Attestation) -> Self {
        Self {
            publisher: ProvenancePublisher::of(attestation.publisher.as_ref()),
            attestations: vec![object(&attestation.bundle)],
        }
    }
}

impl ProvenancePublisher {
    fn of(publisher: Option<&Publisher>) -> Self {
        Self {
            kind: match publisher {
                Some(_) => "TrustedPublisher",
                None => "Unchecked",
            },
            issuer: publisher.map(|it| it.issuer.clone()),
            repository: publisher.map(|it| it.project.clone()),
            workflow: publisher.map(|it| it.workflow.clone()),
        }
    }
}

/// The attestation object of a Sigstore bundle: the same parts under the names of PEP 740. It was
/// checked, so whatever is missing is nothing.
fn object(bundle: &[u8]) -> Value {
    let bundle: Value = serde_json::from_slice(bundle).unwrap_or_default();
    let part = |pointer| bundle.pointer(pointer).cloned().unwrap_or_default();
    let certificate = match part("/verificationMaterial/certificate/rawBytes") {
        Value::Null => part("/verificationMaterial/x509CertificateChain/certificates/0/rawBytes"),
        certificate => certificate,
    };
    json!({
        "version": 1,
        "verification_material": {
            "certificate": certificate,
            "transparency_entries": part("/verificationMaterial/tlogEntries"),
        },
        "envelope": {
            "statement": part("/dsseEnvelope/payload"),
            "signature": part("/dsseEnvelope/signatures/0/sig"),
        },
    })
}
