//! The bytes that a DSSE envelope signs: its pre-authentication encoding (DSSE v1.0.0).

/// The type of the payload: an in-toto statement. The type is signed with the payload, so that the
/// signature of something else never counts as that of a package.
pub(crate) const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The signed bytes for `payload`. Lengths go before texts, so nothing can be moved from one to the
/// other.
pub(crate) fn pre_authentication_encoding(payload: &[u8]) -> Vec<u8> {
    let mut encoding = format!(
        "DSSEv1 {} {PAYLOAD_TYPE} {} ",
        PAYLOAD_TYPE.len(),
        payload.len()
    )
    .into_bytes();
    encoding.extend_from_slice(payload);
    encoding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_that_of_the_specification() {
        let encoding = pre_authentication_encoding(b"hello world");
        let text = "DSSEv1 28 application/vnd.in-toto+json 11 hello world";
        assert_eq!(encoding, text.as_bytes());
    }
}
