//! Random bytes and ids from the operating system.

use data_encoding::HEXLOWER;

use crate::error::RegistryError;

/// Random bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], RegistryError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(RegistryError::Randomness)?;
    Ok(bytes)
}

/// An id of 24 hexadecimal digits, the form the Hub's `_id` fields have.
pub(crate) fn id() -> Result<String, RegistryError> {
    Ok(HEXLOWER.encode(&bytes::<12>()?))
}

/// An id for a request; without randomness it is all zeros, which is no reason to refuse the
/// request.
pub(crate) fn hex_id() -> String {
    HEXLOWER.encode(&bytes::<16>().unwrap_or_default())
}
