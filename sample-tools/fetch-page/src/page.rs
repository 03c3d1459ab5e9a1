//! Extracts an HTML page's title, description, language, readable text and links.

use std::collections::BTreeSet;

use dom_query::{Document, Selection};
use url::Url;

const LINKS_MAX: usize = 200;
const LINK_CHARACTERS_MAX: usize = 200;
/// A main part with less text than this is not the main part.
const MAIN_CHARACTERS_MIN: usize = 200;
/// Never part of what is read.
const MACHINERY: &str = "script, style, noscript, template, svg, math, iframe, object, canvas, \
    form, button, input, select, dialog, [hidden], [aria-hidden=true]";
/// Around what is read, on pages that do not mark their main part.
const FRAME: &str = "nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo]";

/// The readable content of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageContent {
    /// The title.
    pub title: Option<String>,
    /// The page's description of itself.
    pub description: Option<String>,
    /// The language tag of the page.
    pub language: Option<String>,
    /// The readable part in Markdown.
    pub text: String,
    /// Texts and addresses of the links of the readable part.
    pub links: Vec<(String, String)>,
    /// True if the page has more tags, or nests deeper, than is read.
    pub truncated: bool,
}

/// Reads `html`, which came from `address`.
#[must_use]
pub fn read(html: &str, address: &Url) -> PageContent {
    let (html, truncated) = crate::nesting::cut(html);
    let document = Document::from(html);
    let base = document
        .select("base[href]")
        .attr("href")
        .and_then(|href| address.join(&href).ok())
        .unwrap_or_else(|| address.clone());
    let title = first(&[
        attribute(&document, "meta[property='og:title']", "content"),
        attribute(&document, "meta[name='twitter:title']", "content"),
    ]);
    let shown_title = line(&document.select_single("head title").text());
    let description = first(&[
        attribute(&document, "meta[name='description']", "content"),
        attribute(&document, "meta[property='og:description']", "content"),
    ]);
    let language = attribute(&document, "html[lang]", "lang");

    document.select(MACHINERY).remove();
    let main = main_part(&document);
    main.select(FRAME).remove();
    let links = links(&main, &base);
    // Links are listed apart; in the text their addresses would drown the words.
    for node in main.nodes() {
        node.strip_elements(&["a"]);
    }
    main.select("img").remove();
    let texts: Vec<String> = main
        .nodes()
        .iter()
        .map(|node| tidy(&node.md(None)))
        .filter(|text| !text.is_empty())
        .collect();
    PageContent {
        title: shown_title.or(title),
        description,
        language,
        text: texts.join("\n\n"),
        links,
        truncated,
    }
}

fn main_part(document: &Document) -> Selection<'_> {
    for marked in ["main", "[role=main]", "article"] {
        let part = document.select(marked);
        // Articles in a list are teasers; then the whole page is what one reads.
        if part.length() == 1 && part.text().trim().chars().count() >= MAIN_CHARACTERS_MIN {
            return part;
        }
    }
    document.select("body")
}

fn links(part: &Selection<'_>, base: &Url) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for link in part.select("a[href]").iter() {
        let Some(mut url) = link.attr("href").and_then(|href| base.join(&href).ok()) else {
            continue;
        };
        url.set_fragment(None);
        let Some(text) = line(&link.text()) else {
            continue;
        };
        if matches!(url.scheme(), "http" | "https") && seen.insert(url.clone()) {
            found.push((text, url.to_string()));
        }
        if found.len() == LINKS_MAX {
            break;
        }
    }
    found
}

fn attribute(document: &Document, selector: &str, name: &str) -> Option<String> {
    line(&document.select_single(selector).attr(name)?)
}

fn first(found: &[Option<String>]) -> Option<String> {
    found.iter().flatten().next().cloned()
}

/// White space of every kind becomes one space; nothing when nothing is left.
fn line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = words.join(" ");
    let (cut, _) = crate::text::cut(&joined, LINK_CHARACTERS_MAX);
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// No spaces at the ends of lines, no more than one empty line in a row.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for row in text.trim().lines() {
        let row = row.trim_end();
        empty = if row.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidy.push_str(row);
            tidy.push('\n');
        }
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_at_example(html: &str) -> PageContent {
        read(html, &Url::parse("https://a.example/dir/page").unwrap())
    }

    #[track_caller]
    fn check_text(html: &str, expected: &str) {
        assert_eq!(read_at_example(html).text, expected, "{html}");
    }

    #[test]
    fn readable_text_is_kept_and_machinery_is_not() {
        check_text("<p>One</p><p>Two &amp; three</p>", "One\n\nTwo & three");
        check_text("<h2>Head</h2><ul><li>a<li>b</ul>", "## Head\n\n- a\n- b");
        check_text("<p>a<script>evil()</script><style>p{}</style></p>", "a");
        check_text("<nav>Home</nav><p>Text</p><footer>Imprint</footer>", "Text");
        check_text(
            "<p>See <a href='/x'>this</a>.<img src=x alt=y></p>",
            "See this.",
        );
        check_text("<p hidden>secret</p><p>shown</p>", "shown");
        check_text("<p>unclosed <b>bold", "unclosed **bold**");
        check_text("", "");
    }

    #[test]
    fn the_main_part_wins_when_it_is_one() {
        let long = "word ".repeat(60);
        let html = format!("<p>around</p><main><p>{long}</p></main><p>below</p>");
        assert_eq!(read_at_example(&html).text, long.trim());
        let teasers = format!("<p>around</p><article>{long}</article><article>{long}</article>");
        assert!(read_at_example(&teasers).text.starts_with("around"));
        assert!(
            read_at_example("<p>around</p><main>x</main>")
                .text
                .contains("around")
        );
    }

    #[test]
    fn nesting_without_end_is_cut() {
        let read = read_at_example(&format!("<p>begin</p>{}end", "<div>".repeat(400_000)));
        assert_eq!((read.text.as_str(), read.truncated), ("begin", true));
    }

    #[test]
    fn the_head_is_read() {
        let read = read_at_example(
            "<html lang=de><head><title> A\n title </title>\
             <meta name=description content='What it is'></head><body>x",
        );
        assert_eq!(read.title.as_deref(), Some("A title"));
        assert_eq!(read.description.as_deref(), Some("What it is"));
        assert_eq!(read.language.as_deref(), Some("de"));
        let social = read_at_example("<meta property='og:title' content='Shared'><p>x");
        assert_eq!(social.title.as_deref(), Some("Shared"));
    }

    #[track_caller]
    fn check_links(html: &str, expected: &[(&str, &str)]) {
        let read = read_at_example(html);
        let links: Vec<_> = read
            .links
            .iter()
            .map(|(text, url)| (text.as_str(), url.as_str()))
            .collect();
        assert_eq!(links, expected, "{html}");
    }

    #[test]
    fn links_are_absolute_and_unique() {
        check_links("<a href=x>X</a>", &[("X", "https://a.example/dir/x")]);
        check_links(
            "<base href=/b/><a href=x>X</a>",
            &[("X", "https://a.example/b/x")],
        );
        check_links(
            "<a href=/x>X</a><a href=/x#y>again</a>",
            &[("X", "https://a.example/x")],
        );
        check_links(
            "<a href='javascript:x()'>J</a><a href='mailto:a@b.example'>M</a>",
            &[],
        );
        check_links("<a href=/x><img src=y></a>", &[]);
        check_links("<a href='http://[bad'>B</a>", &[]);
        let many: String = (0..300).map(|n| format!("<a href=/{n}>n</a>")).collect();
        assert_eq!(read_at_example(&many).links.len(), LINKS_MAX);
    }
}
