//! Reads the address of the next page from the `Link` header of RFC 8288.

use reqwest::header::{HeaderMap, LINK};
use url::Url;

/// The address of the next page in the header, `from` being the address of this one.
pub(crate) fn next(headers: &HeaderMap, from: &Url) -> Option<Url> {
    let headers = headers.get_all(LINK).into_iter();
    headers
        .filter_map(|value| value.to_str().ok())
        .find_map(|value| next_of(value, from))
}

/// Reads `<target>; rel="next", <target>; …`. A target may hold commas and semicolons, so the
/// header is not cut at them.
fn next_of(mut value: &str, from: &Url) -> Option<Url> {
    loop {
        let (_, rest) = value.split_once('<')?;
        let (target, rest) = rest.split_once('>')?;
        let (parameters, after) = rest
            .split_once('<')
            .map_or((rest, ""), |(own, _)| (own, &rest[own.len()..]));
        let is_next = parameters.split([';', ',']).any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            name.trim().eq_ignore_ascii_case("rel") && value.trim().trim_matches('"') == "next"
        });
        if is_next {
            return from.join(target).ok();
        }
        value = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expect: Option<&str>) {
        let from = "https://example.org/api/models?limit=1".parse().unwrap();
        let found = next_of(header, &from);
        assert_eq!(found.as_ref().map(Url::as_str), expect, "{header}");
    }

    #[test]
    fn the_next_page_is_found() {
        let next = "https://example.org/api/models?cursor=a,b;c";
        check(&format!("<{next}>; rel=\"next\""), Some(next));
        check(&format!("<{next}>;rel=next"), Some(next));
        check(
            &format!("</first>; rel=\"first\", <{next}>; title=\"x\"; REL=\"next\""),
            Some(next),
        );
        check(
            "<?cursor=a>; rel=\"next\"",
            Some("https://example.org/api/models?cursor=a"),
        );
        check(&format!("<{next}>; rel=\"prev\""), None);
        for damaged in ["", "<", "<https://example.org", "rel=\"next\"", "<>;"] {
            check(damaged, None);
        }
    }
}
