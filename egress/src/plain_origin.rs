//! Writes the origin of a request's address in the one form in which origins are granted.

use http::Uri;

/// The origin of `uri` in its plain form: lower case, no default port. Users in the
/// authority are kept, so that they are refused with what they pretend to be.
pub fn plain_origin(uri: &Uri) -> Option<String> {
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let authority = uri.authority()?.as_str().to_ascii_lowercase();
    let default = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return Some(format!("{scheme}://{authority}")),
    };
    let authority = authority.strip_suffix(default).unwrap_or(&authority);
    Some(format!("{scheme}://{authority}"))
}
