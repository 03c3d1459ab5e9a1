//! Finds the parts of a value that are secrets of their own: trimmed text, long lines and words.
//! Programs also use such a part without the rest of the value.

/// Shorter values are not looked for in texts: they would make holes everywhere.
pub(crate) const MASKED_BYTES_MIN: usize = 4;
/// Shorter lines and words are often ordinary text: `Bearer`.
const PART_BYTES_MIN: usize = 16;
/// A longer value is no key and no chain of certificates, and has too many parts to look for.
const VALUE_BYTES_MAX: usize = 16 << 10;

/// The parts of `value`, itself among them, each once.
pub(super) fn of(value: &str) -> Vec<&str> {
    let trimmed = value.trim();
    let bare = unquoted(trimmed);
    let mut parts = vec![value, trimmed, bare];
    parts.retain(|part| part.len() >= MASKED_BYTES_MIN);
    let lines = match value.len() {
        0..=VALUE_BYTES_MAX => bare.lines(),
        _ => "".lines(),
    };
    for line in lines.map(str::trim).filter(|line| !is_border(line)) {
        let pieces = std::iter::once(line).chain(line.split_whitespace());
        parts.extend(pieces.filter(|piece| piece.len() >= PART_BYTES_MIN));
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// `text` without one pair of quotes around it.
fn unquoted(text: &str) -> &str {
    let between = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    between('"').or_else(|| between('\'')).unwrap_or(text)
}

/// True for `-----BEGIN CERTIFICATE-----` and its like, which are the same in every file.
fn is_border(line: &str) -> bool {
    line.starts_with("-----") && line.ends_with("-----")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::{Secret, Secrets};

    const KEY: &str = "sk-Canary77aa01secretX";

    #[track_caller]
    fn check(secret: &str, text: &str, expect: &str) {
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        assert_eq!(secrets.mask(text.to_owned()), expect);
    }

    #[test]
    fn values_are_found_without_what_is_around_them() {
        for value in [
            format!("{KEY} "),
            format!("\t{KEY}\r\n"),
            format!("\"{KEY}\""),
            format!(" '{KEY}'\n"),
        ] {
            check(&value, &format!("key is {KEY}."), "key is ***.");
            check(&value, &format!("key is {value}."), "key is ***.");
        }
        check("\"ab\"", "ab \"ab\"", "ab ***");
        check("a   ", "a a   .", "a ***.");
    }

    #[test]
    fn long_words_of_a_value_are_found_alone() {
        let value = format!("Bearer {KEY}");
        check(&value, &format!("Bearer, {KEY}."), "Bearer, ***.");
        check(&format!("\"{value}\""), &format!("{KEY}."), "***.");
        check("correct horse battery", "horse", "horse");
    }

    #[test]
    fn long_lines_of_a_value_are_found_alone() {
        let lines = ["MIIEvQIBADANBgkq", "hkiG9w0BAQEFAASC and", "short"];
        let pem = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            lines.join("\n")
        );
        for (line, expect) in lines.iter().zip(["***", "***", "short"]) {
            check(
                &pem,
                &format!("    {line}\r\n"),
                &format!("    {expect}\r\n"),
            );
        }
        let border = "-----BEGIN CERTIFICATE-----";
        check(&pem, border, border);
        check(&pem, &pem, "***");
        let long = pem.repeat(VALUE_BYTES_MAX / pem.len() + 1);
        check(&long, lines[0], lines[0]);
        check(&long, &long, "***");
    }
}
