//! Decodes base64 that arrives in pieces of any size.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The text is not base64.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the content of a file is not valid base64")]
pub(super) struct NotBase64;

/// A decoder that keeps at most three characters between two pieces.
#[derive(Default)]
pub(super) struct Base64Stream {
    carry: Vec<u8>,
    padded: bool,
}

impl Base64Stream {
    /// Appends what `text` decodes to, as far as whole groups of four characters are there.
    pub(super) fn decode(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<(), NotBase64> {
        if !self.carry.is_empty() {
            let wanted = (4 - self.carry.len()).min(text.len());
            self.carry.extend_from_slice(&text[..wanted]);
            text = &text[wanted..];
            if self.carry.len() < 4 {
                return Ok(());
            }
            let group = std::mem::take(&mut self.carry);
            self.groups(&group, out)?;
        }
        let (whole, rest) = text.split_at(text.len() - text.len() % 4);
        if !whole.is_empty() {
            self.groups(whole, out)?;
        }
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    /// Decodes a last group that came without padding.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), NotBase64> {
        let last = std::mem::take(&mut self.carry);
        if last.is_empty() {
            Ok(())
        } else {
            self.groups(&last, out)
        }
    }

    fn groups(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), NotBase64> {
        // Padding ends the text, so nothing may follow it, also not in a later piece.
        if self.padded {
            return Err(NotBase64);
        }
        self.padded = text.ends_with(b"=");
        ENGINE.decode_vec(text, out).map_err(|_| NotBase64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&[u8]>) {
        for size in [1, 2, 3, 4, 5, text.len().max(1)] {
            let mut stream = Base64Stream::default();
            let mut out = Vec::new();
            let decoded = text
                .as_bytes()
                .chunks(size)
                .try_for_each(|piece| stream.decode(piece, &mut out))
                .and_then(|()| stream.finish(&mut out));
            assert_eq!(
                decoded.is_ok().then_some(out.as_slice()),
                expect,
                "{text:?} in pieces of {size}"
            );
        }
    }

    #[test]
    fn pieces() {
        check("", Some(b""));
        check("QUJD", Some(b"ABC"));
        check("QUJDRA==", Some(b"ABCD"));
        check("QUJDRA", Some(b"ABCD"));
        check("QUJDREU=", Some(b"ABCDE"));
        check("Q", None);
        check("QQ==QQ==", None);
        check("QQ==QUJD", None);
        check("QU D", None);
        check("-_-_", None);
    }
}
