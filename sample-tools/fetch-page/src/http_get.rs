//! An HTTP GET that follows redirects one by one, so that each of them is checked.

use url::Url;

const REDIRECTS_MAX: usize = 5;

/// The reason why a page could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The text is no address that can be fetched; the reason reads on from `it`.
    Address(String, &'static str),
    /// This origin was not granted.
    Denied(String),
    /// The server answered with this status.
    Status(u16, String),
    /// There were too many redirects.
    Redirects(String),
    /// A page fetched with encryption leads to one without.
    Downgrade(String),
    /// The host could not be reached, or broke off; the text says how.
    Unreachable(String, String),
    /// The body is compressed although nobody asked for it.
    Encoded(String),
    /// The page is of a kind that is no text.
    NotText(String),
}

/// A server's response to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The header `location`.
    pub location: Option<String>,
    /// The header `content-type`.
    pub content_type: Option<String>,
    /// True if the body is compressed.
    pub encoded: bool,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
    /// True if the body is longer.
    pub truncated: bool,
}

/// One GET request, without following anything.
pub trait Transport {
    /// Fetches `url`.
    ///
    /// # Errors
    /// When the origin is not granted or the host does not answer.
    fn get(&self, url: &Url) -> Result<Response, Fault>;
}

impl<F: Fn(&Url) -> Result<Response, Fault>> Transport for F {
    fn get(&self, url: &Url) -> Result<Response, Fault> {
        self(url)
    }
}

/// A page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// The address that it came from, after redirects.
    pub url: Url,
    /// Media type in lower case, without parameters.
    pub media_type: String,
    /// The parameter `charset` in lower case.
    pub charset: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// True if the body is longer.
    pub truncated: bool,
}

/// Fetches `address` and what it redirects to.
///
/// # Errors
/// When the address is none, a redirect is refused, or the server does not give a page.
pub fn get(transport: &impl Transport, address: &str) -> Result<FetchedPage, Fault> {
    let mut url = parse(address)?;
    for _ in 0..=REDIRECTS_MAX {
        let response = transport.get(&url)?;
        let target = match (response.status, &response.location) {
            (301 | 302 | 303 | 307 | 308, Some(location)) => location,
            (200..=299, _) => return answer(url, response),
            (status, _) => return Err(Fault::Status(status, url.to_string())),
        };
        let next = url.join(target).map_err(|_| {
            Fault::Address(
                target.clone(),
                "it is where the page redirects to, and no address",
            )
        })?;
        let next = parse(next.as_str())?;
        if url.scheme() == "https" && next.scheme() == "http" {
            return Err(Fault::Downgrade(next.to_string()));
        }
        url = next;
    }
    Err(Fault::Redirects(url.to_string()))
}

fn parse(address: &str) -> Result<Url, Fault> {
    let refused = |reason| Fault::Address(address.to_owned(), reason);
    let mut url = Url::parse(address.trim())
        .map_err(|_| refused("it must be absolute, such as `https://example.com/page`"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("it must begin with `https://` or `http://`"));
    }
    // A secret in an address would end up in logs of servers and conversations.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("it must not hold a user name or password"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn answer(url: Url, response: Response) -> Result<FetchedPage, Fault> {
    if response.encoded {
        return Err(Fault::Encoded(url.to_string()));
    }
    let content_type = response
        .content_type
        .unwrap_or_else(|| "text/html".to_owned());
    let mut parts = content_type.split(';');
    let media_type = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts
        .filter_map(|part| part.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase());
    Ok(FetchedPage {
        url,
        media_type,
        charset,
        body: response.body,
        truncated: response.truncated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Response {
        Response {
            status: 200,
            location: None,
            content_type: Some("Text/HTML; Charset=\"UTF-8\"".to_owned()),
            encoded: false,
            body: b"x".to_vec(),
            truncated: false,
        }
    }

    fn redirect(status: u16, location: &str) -> Response {
        Response {
            status,
            location: Some(location.to_owned()),
            ..page()
        }
    }

    fn web(url: &Url) -> Result<Response, Fault> {
        Ok(match url.as_str() {
            "https://a.example/" | "http://b.example/" => page(),
            "https://a.example/relative" => redirect(301, "/"),
            "https://a.example/other" => redirect(307, "https://a.example/relative"),
            "https://a.example/down" => redirect(302, "http://b.example/"),
            "http://b.example/up" => redirect(302, "https://a.example/"),
            "https://a.example/file" => redirect(302, "file:///etc/passwd"),
            "https://a.example/user" => redirect(302, "https://u:p@a.example/"),
            "https://a.example/denied" => redirect(302, "https://c.example/"),
            "https://c.example/" => return Err(Fault::Denied("https://c.example".to_owned())),
            "https://a.example/loop" => redirect(302, "/loop"),
            "https://a.example/nowhere" => Response {
                location: None,
                ..redirect(302, "")
            },
            "https://a.example/gzip" => Response {
                encoded: true,
                ..page()
            },
            _ => Response {
                status: 404,
                ..page()
            },
        })
    }

    #[track_caller]
    fn check(address: &str, expected: Result<&str, Fault>) {
        let found = get(&web, address).map(|answer| answer.url.to_string());
        assert_eq!(found, expected.map(str::to_owned), "{address}");
    }

    #[test]
    fn redirects_are_followed_as_far_as_they_are_safe() {
        check("https://a.example", Ok("https://a.example/"));
        check(" https://a.example/#part ", Ok("https://a.example/"));
        check("https://a.example/relative", Ok("https://a.example/"));
        check("https://a.example/other", Ok("https://a.example/"));
        check("http://b.example/up", Ok("https://a.example/"));
        check(
            "https://a.example/down",
            Err(Fault::Downgrade("http://b.example/".to_owned())),
        );
        check(
            "https://a.example/denied",
            Err(Fault::Denied("https://c.example".to_owned())),
        );
        check(
            "https://a.example/loop",
            Err(Fault::Redirects("https://a.example/loop".to_owned())),
        );
        check(
            "https://a.example/nowhere",
            Err(Fault::Status(302, "https://a.example/nowhere".to_owned())),
        );
        check(
            "https://a.example/none",
            Err(Fault::Status(404, "https://a.example/none".to_owned())),
        );
        check(
            "https://a.example/gzip",
            Err(Fault::Encoded("https://a.example/gzip".to_owned())),
        );
    }

    #[test]
    fn only_plain_web_addresses_are_fetched() {
        for address in [
            "",
            "example.com",
            "/page",
            "file:///etc/passwd",
            "ftp://a.example",
            "data:text/html,x",
            "https://u:p@a.example/",
            "https://a.example/file",
            "https://a.example/user",
        ] {
            let fault = get(&web, address).unwrap_err();
            assert!(matches!(fault, Fault::Address(..)), "{address}: {fault:?}");
        }
    }

    #[test]
    fn the_content_type_is_taken_apart() {
        let answer = get(&web, "https://a.example/").unwrap();
        assert_eq!(answer.media_type, "text/html");
        assert_eq!(answer.charset.as_deref(), Some("utf-8"));
    }
}
