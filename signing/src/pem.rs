//! Writes DER as PEM (RFC 7468), in lines of 64 characters, as OpenSSL does.

use data_encoding::BASE64;

const LINE_CHARS: usize = 64;

/// `der` between the lines for `label`, with a line break at the end.
pub(crate) fn write(label: &str, der: &[u8]) -> String {
    let encoded = BASE64.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE_CHARS));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}
