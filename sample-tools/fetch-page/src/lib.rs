//! The component `fetch-page`: fetches a web page with [`http_get`] and reads it with [`page`].

pub mod http_get;
pub mod nesting;
pub mod page;
pub mod text;

mod failure;
#[cfg(target_arch = "wasm32")]
mod wasi;

use bindings::exports::demo::fetch_page::pages::{Guest, Link, Page};
use bindings::tool_hub::tool::types::Failure;
use http_get::{Fault, FetchedPage, Transport};

#[allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated from wit/world.wit, where the documentation is"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "demo:fetch-page/fetch-page",
        generate_all,
    });
    use super::FetchPage;
    export!(FetchPage);
}

const CHARACTERS_DEFAULT: u32 = 20_000;
const CHARACTERS_MIN: u32 = 100;
const CHARACTERS_MAX: u32 = 200_000;

/// The exports of the component.
struct FetchPage;

impl Guest for FetchPage {
    fn fetch_page(
        url: String,
        max_characters: Option<u32>,
        links: Option<bool>,
    ) -> Result<Page, Failure> {
        fetch(&transport(), &url, max_characters, links)
    }
}

fn fetch(
    transport: &impl Transport,
    url: &str,
    max_characters: Option<u32>,
    links: Option<bool>,
) -> Result<Page, Failure> {
    let max_characters = max_characters.unwrap_or(CHARACTERS_DEFAULT);
    if !(CHARACTERS_MIN..=CHARACTERS_MAX).contains(&max_characters) {
        return Err(failure::out_of_range(
            "max_characters",
            max_characters,
            CHARACTERS_MIN,
            CHARACTERS_MAX,
        ));
    }
    let answer = http_get::get(transport, url).map_err(failure::describe)?;
    let read = read(&answer).map_err(failure::describe)?;
    let (text, cut) = text::cut(&read.text, max_characters as usize);
    Ok(Page {
        url: answer.url.to_string(),
        title: read.title,
        description: read.description,
        language: read.language,
        media_type: answer.media_type,
        truncated: cut || answer.truncated || read.truncated,
        text: text.to_owned(),
        links: if links == Some(true) {
            let listed = read.links.into_iter();
            listed.map(|(text, url)| Link { text, url }).collect()
        } else {
            Vec::new()
        },
    })
}

fn read(answer: &FetchedPage) -> Result<page::PageContent, Fault> {
    let body = text::decode(&answer.body, answer.charset.as_deref());
    match answer.media_type.as_str() {
        "text/html" | "application/xhtml+xml" => Ok(page::read(&body, &answer.url)),
        plain if text::is_plain(plain) => Ok(page::PageContent {
            text: body,
            ..page::PageContent::default()
        }),
        other => Err(Fault::NotText(other.to_owned())),
    }
}

#[cfg(target_arch = "wasm32")]
fn transport() -> impl Transport {
    wasi::Http
}

/// Outside a component there is no network to be granted.
#[cfg(not(target_arch = "wasm32"))]
fn transport() -> impl Transport {
    |url: &url::Url| Err(Fault::Denied(url.origin().ascii_serialization()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::tool_hub::tool::types::FailureKind;
    use crate::http_get::Response;

    const HTML: &str =
        "<html lang=en><title>Hi</title><body><h1>Hello</h1><p>One <a href=/two>two</a>.";

    fn served(media_type: &'static str, body: &'static str) -> impl Transport {
        move |_: &url::Url| {
            Ok(Response {
                status: 200,
                location: None,
                content_type: Some(media_type.to_owned()),
                encoded: false,
                body: body.as_bytes().to_vec(),
                truncated: false,
            })
        }
    }

    #[test]
    fn html_becomes_text_with_links_on_demand() {
        let web = served("text/html; charset=utf-8", HTML);
        let page = fetch(&web, "https://a.example/x", None, Some(true)).unwrap();
        assert_eq!(page.title.as_deref(), Some("Hi"));
        assert_eq!(page.language.as_deref(), Some("en"));
        assert!(page.text.contains("# Hello"), "{}", page.text);
        assert!(page.text.contains("One two."), "{}", page.text);
        assert_eq!(page.links.len(), 1);
        assert_eq!(page.links[0].url, "https://a.example/two");
        assert!(!page.truncated);
        assert!(
            fetch(&web, "https://a.example/x", None, None)
                .unwrap()
                .links
                .is_empty()
        );
    }

    #[test]
    fn plain_texts_stay_and_pictures_are_refused() {
        let web = served("application/json", "{\"a\": 1}");
        assert_eq!(
            fetch(&web, "https://a.example", None, None).unwrap().text,
            "{\"a\": 1}"
        );
        let web = served("image/png", "x");
        let failure = fetch(&web, "https://a.example", None, None).unwrap_err();
        assert!(failure.message.contains("image/png"));
    }

    #[test]
    fn texts_are_cut() {
        let body: &'static str = Box::leak("é".repeat(300).into_boxed_str());
        let page = fetch(
            &served("text/plain", body),
            "https://a.example",
            Some(100),
            None,
        )
        .unwrap();
        assert_eq!((page.text.chars().count(), page.truncated), (100, true));
        let failure = fetch(
            &served("text/plain", ""),
            "https://a.example",
            Some(9),
            None,
        )
        .unwrap_err();
        assert_eq!(failure.argument.as_deref(), Some("max_characters"));
    }

    #[test]
    fn without_a_grant_the_call_names_the_origin() {
        let failure =
            FetchPage::fetch_page("https://a.example/x".to_owned(), None, None).unwrap_err();
        assert_eq!(failure.kind, FailureKind::PermissionDenied);
        assert!(failure.message.contains("https://a.example"));
    }
}
