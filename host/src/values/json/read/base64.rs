//! Decodes base64 in arguments to bytes, and words the errors in it.

use std::fmt;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, Engine as _};

/// Padding is what agents forget most.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A text is not base64.
pub(super) struct Base64Error(DecodeError);

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            DecodeError::InvalidByte(at, byte) => {
                write!(
                    f,
                    "`{}` at position {at} is not a base64 digit",
                    byte.escape_ascii()
                )
            }
            _ => f.write_str("its end is missing"),
        }
    }
}

/// The bytes that `text` stands for.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    BASE64.decode(text).map_err(Base64Error)
}
