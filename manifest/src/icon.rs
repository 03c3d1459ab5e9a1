//! The icon of a tool: a small picture as a `data:` URI.

use std::fmt;
use std::str::FromStr;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::string_conversions::string_conversions;

/// A small picture, carried whole as a `data:` URI: whoever shows it fetches nothing, so nobody
/// learns who looks at a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Icon(String);

/// A picture is none that a tool can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IconError {
    /// It is not written as such a picture is.
    #[error("an icon is a `data:` URI of a PNG, JPEG or WebP picture in base64")]
    NotAPicture,
    /// The bytes are those of another kind of picture than the URI says.
    #[error("the icon says that it is {stated}, and its bytes are {found}")]
    Mislabelled {
        /// The media type that was stated.
        stated: String,
        /// The media type of the picture.
        found: String,
    },
    /// It is too big.
    #[error("the icon has {actual} bytes, at most {max} are allowed")]
    TooBig {
        /// The number of its bytes.
        actual: usize,
        /// The number of bytes that are allowed.
        max: usize,
    },
}

impl Icon {
    /// The most bytes of a picture. Agents are sent it with every list of tools.
    pub const BYTES_MAX: usize = 16 << 10;

    /// The picture in a file with these `bytes`.
    ///
    /// # Errors
    /// When it is neither PNG, JPEG nor WebP, or too big.
    pub fn of(bytes: &[u8]) -> Result<Self, IconError> {
        let media_type = media_type(bytes).ok_or(IconError::NotAPicture)?;
        if bytes.len() > Self::BYTES_MAX {
            return Err(IconError::TooBig {
                actual: bytes.len(),
                max: Self::BYTES_MAX,
            });
        }
        let text = BASE64.encode(bytes);
        Ok(Self(format!("data:{media_type};base64,{text}")))
    }

    /// The picture as a `data:` URI.
    pub fn uri(&self) -> &str {
        &self.0
    }

    /// Such as `image/png`.
    pub fn media_type(&self) -> &str {
        parts(&self.0).map_or("", |(media_type, _)| media_type)
    }
}

/// The media type by a picture's first bytes. SVG is not accepted: it is a document that can hold
/// more than a picture.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

/// The media type of a `data:` URI and its bytes in base64.
fn parts(uri: &str) -> Option<(&str, &str)> {
    uri.strip_prefix("data:")?.split_once(";base64,")
}

impl FromStr for Icon {
    type Err = IconError;

    fn from_str(uri: &str) -> Result<Self, IconError> {
        let (stated, text) = parts(uri).ok_or(IconError::NotAPicture)?;
        let bytes = BASE64.decode(text.as_bytes());
        let icon = Self::of(&bytes.map_err(|_| IconError::NotAPicture)?)?;
        match icon.media_type() == stated {
            true => Ok(icon),
            false => Err(IconError::Mislabelled {
                stated: stated
                    .chars()
                    .take(60)
                    .flat_map(char::escape_debug)
                    .collect(),
                found: icon.media_type().to_owned(),
            }),
        }
    }
}

string_conversions!(Icon, IconError);

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand so on";

    #[test]
    fn what_is_written_reads_back_equal() {
        for (bytes, media_type) in [
            (PNG, "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"RIFF\0\0\0\0WEBP", "image/webp"),
        ] {
            let icon = Icon::of(bytes).unwrap();
            assert_eq!(icon.media_type(), media_type);
            assert_eq!(icon.uri().parse::<Icon>().unwrap(), icon);
        }
    }

    #[test]
    fn what_is_no_small_picture_is_refused() {
        let mislabelled = Icon::of(PNG).unwrap().uri().replace("png", "webp");
        let long = [PNG, &[0; Icon::BYTES_MAX]].concat();
        let long = format!("data:image/png;base64,{}", BASE64.encode(&long));
        for (uri, expect) in [
            ("https://example.com/icon.png", "an icon is a `data:` URI"),
            ("data:image/png;base64,***", "an icon is a `data:` URI"),
            (
                "data:image/svg+xml;base64,PHN2Zy8+",
                "an icon is a `data:` URI",
            ),
            (
                &mislabelled,
                "says that it is image/webp, and its bytes are image/png",
            ),
            (&long, "the icon has 16401 bytes, at most 16384 are allowed"),
        ] {
            let refused = uri.parse::<Icon>().unwrap_err().to_string();
            assert!(refused.contains(expect), "{refused}");
        }
    }
}
