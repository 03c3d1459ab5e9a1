//! Reads from a signature the `ClaimedSigner` of a package whose files are known by digest alone.

use tool_hub_manifest::ClaimedSigner;

use crate::bundle::{Bundle, Material};
use crate::certificate::SigningCertificate;
use crate::error::SigningError;
use crate::keyless;
use crate::package_files::HashedFile;
use crate::signature::{Trust, check_no_key_in, key_of};
use crate::statement::Statement;

/// The signer that `bundle`, the content of `model.sig`, names for `files`, which are all others of
/// the package in the order of their names. `signer_pem` is the content of `signer.pem`, if it is
/// there.
///
/// The signature over the files is verified with the key or certificate that it names. A name in a
/// certificate for which no root of `trust` vouches is taken as it stands there. Where anything is
/// wrong, nobody is named.
pub fn claimed_signer(
    bundle: &[u8],
    files: &[HashedFile],
    signer_pem: Option<&[u8]>,
    trust: &Trust<'_>,
) -> ClaimedSigner {
    read(bundle, files, signer_pem, trust).unwrap_or(ClaimedSigner::Unknown)
}

fn read(
    bundle: &[u8],
    files: &[HashedFile],
    signer_pem: Option<&[u8]>,
    trust: &Trust<'_>,
) -> Result<ClaimedSigner, SigningError> {
    let read = Bundle::from_json(bundle)?;
    let chain = match &read.material {
        Material::Key { hint } => {
            let key = key_of(hint.as_ref(), signer_pem, trust.keys)?;
            read.check(&key, files)?;
            return Ok(key.fingerprint().into());
        }
        Material::Certificates(chain) => chain,
    };
    check_no_key_in(files)?;
    let certificate = SigningCertificate::read(chain)?;
    read.check(certificate.key(), files)?;
    let subject = Statement::digest_of(files);
    match read.identity(&certificate, bundle, subject, trust) {
        Ok(identity) => Ok(identity.into()),
        Err(error) if !error.is_unverifiable() => Err(error),
        Err(_) => {
            let (subject, issuer) = match read.is_logged {
                true => keyless::claimed(&certificate)?,
                false => (certificate.subject().to_owned(), None),
            };
            Ok(ClaimedSigner::unvouched(subject, issuer))
        }
    }
}
