//! Cuts HTML with too many or too deeply nested tags, which would keep a parser busy.
//!
//! Building a tree takes time that grows with the square of its depth, and a page of 2 MiB may
//! be nothing but nesting.

const TAGS_MAX: usize = 20_000;
/// Browsers stop at 512.
const DEPTH_MAX: usize = 512;

/// Elements that need no end tag, so that their start tags say nothing about depth.
const UNCLOSED: &[&str] = &[
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source",
    "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// The beginning of `html` that stays within the limits, and whether anything was cut.
///
/// The depth is an estimate: a page with wrong end tags may nest deeper, and then only the
/// number of tags bounds the work.
#[must_use]
pub fn cut(html: &str) -> (&str, bool) {
    let mut depth = 0_usize;
    for (count, (position, _)) in html.match_indices('<').enumerate() {
        let rest = &html[position + 1..];
        if let Some(end_tag) = rest.strip_prefix('/') {
            if !is_unclosed(end_tag) {
                depth = depth.saturating_sub(1);
            }
        } else if rest.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_unclosed(rest)
        {
            depth += 1;
        }
        if count == TAGS_MAX || depth > DEPTH_MAX {
            return (&html[..position], true);
        }
    }
    (html, false)
}

fn is_unclosed(tag: &str) -> bool {
    let end = tag
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(tag.len());
    UNCLOSED
        .iter()
        .any(|name| tag[..end].eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected_bytes: usize) {
        let (kept, truncated) = cut(html);
        assert_eq!(
            (kept.len(), truncated),
            (expected_bytes, expected_bytes < html.len())
        );
    }

    #[test]
    fn only_excess_is_cut() {
        check("", 0);
        check("1 < 2 <", 7);
        check("<p>a<BR>b</p><div><b>c</b></div>", 32);
        check(&"<p>".repeat(5000), 15_000);
        check(&"<div></div>".repeat(5000), 55_000);
        check(&"<div>".repeat(5000), 5 * DEPTH_MAX);
        check(&"</div><div>".repeat(15_000), 11 * TAGS_MAX / 2);
        check(&"<br>".repeat(30_000), 4 * TAGS_MAX);
    }
}
