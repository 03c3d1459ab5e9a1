//! Keyless signatures: a certificate of minutes, and proofs of a public log that it signed in them.
//!
//! `sigstore-verify` does all of it by what is in the bundle: the certificate's registration
//! (SCT), the log's entry with its proof of inclusion, and the times. Nothing is asked for.

use sigstore_verify::crypto::{FulcioCiClaims, parse_certificate_info};
use sigstore_verify::types::{Bundle, DerCertificate, Sha256Hash};
use sigstore_verify::{VerificationPolicy, VerificationResult};
use tool_hub_manifest::{Digest, KeyFingerprint, SignerIdentity};

use crate::certificate::{PathError, SigningCertificate};
use crate::error::{SigningError, escaped};
use crate::trusted_root::TrustedRoot;

/// The identity that signed `bundle`, the JSON, with `certificate`, under one of `roots`. `subject`
/// is the digest that the statement is about.
pub(crate) fn identity_under(
    roots: &[&TrustedRoot],
    certificate: &SigningCertificate<'_>,
    bundle: &[u8],
    subject: Digest,
) -> Result<SignerIdentity, SigningError> {
    let mut roots = roots.iter();
    let Some((verifier, root)) = roots.find_map(|root| root.verifier_of(certificate)) else {
        return Err(certificate.untrusted(&PathError::NoRoot));
    };
    let wrong = |reason: &str| SigningError::WrongProof {
        reason: escaped(reason, 300),
    };
    let text = str::from_utf8(bundle).map_err(|_| wrong("its bundle is not text"))?;
    let bundle = Bundle::from_json(text).map_err(|error| wrong(&error.to_string()))?;
    let subject = Sha256Hash::new(*subject.as_bytes());
    // Whose identity is accepted, the user decides, who sees it and pins it.
    let policy = VerificationPolicy::any_identity();
    let result = verifier.verify(subject, &bundle, &policy);
    let result = result.map_err(|error| wrong(&error.to_string()))?;
    let is_proved =
        result.certificate_verified() && result.sct_verified() && result.tlog_verified();
    if !is_proved {
        return Err(wrong("not all of it was verified"));
    }
    identity(&result, certificate, root)
}

fn identity(
    result: &VerificationResult,
    certificate: &SigningCertificate<'_>,
    root: KeyFingerprint,
) -> Result<SignerIdentity, SigningError> {
    let unnamed = || certificate.untrusted(&PathError::Name);
    let issuer = result.issuer().ok_or_else(unnamed)?;
    let subject = certificate.subject();
    // Two readers have to agree on the name.
    if result.identity().is_none_or(|it| it.as_str() != subject) {
        return Err(unnamed());
    }
    let claims = result.certificate().map(|it| &it.ci_claims);
    let subject = claims.map_or(Ok(subject), |claims| workflow(claims, subject))?;
    SignerIdentity::new(subject.to_owned(), Some(issuer.to_owned()), root).map_err(|_| unnamed())
}

/// The name in `certificate` and the issuer who told of it, as it says itself. Nobody vouches for
/// that.
pub(crate) fn claimed(
    certificate: &SigningCertificate<'_>,
) -> Result<(String, Option<String>), SigningError> {
    let info = parse_certificate_info(&DerCertificate::new(certificate.der().to_vec()));
    let info = info.map_err(|_| SigningError::malformed("its certificate cannot be read"))?;
    let subject = workflow(&info.ci_claims, certificate.subject())?;
    Ok((subject.to_owned(), info.issuer))
}

/// The name of a workflow without the branch or tag that it ran for, which is another one for each
/// version. A workflow of another repository signs for whoever calls it, so it is nobody's name.
fn workflow<'a>(claims: &FulcioCiClaims, subject: &'a str) -> Result<&'a str, SigningError> {
    let Some(repository) = claims.source_repository_uri.as_deref() else {
        return Ok(subject);
    };
    let is_inside = subject.strip_prefix(repository);
    if is_inside.is_none_or(|path| !path.starts_with('/')) {
        return Err(SigningError::Unsupported {
            what: "the certificate of a workflow that is not in the repository which it built",
        });
    }
    let workflow = subject.split_once("@refs/").map(|(workflow, _)| workflow);
    Ok(workflow.unwrap_or(subject))
}
