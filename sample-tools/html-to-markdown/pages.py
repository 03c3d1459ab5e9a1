# /// script
# dependencies = ["beautifulsoup4>=4.13", "markdownify>=1.2"]
# ///
"""Converts pages in HTML for agents."""

from page import Page

CHARACTERS_MAX = 1_000_000
LINKS_MAX = 1000


def html_to_markdown(html: str, main_only: bool = False, base_url: str = "") -> str:
    """Converts HTML to Markdown: headings, lists, tables, links, code and emphasis stay, scripts and styles go.

    Args:
        html: A page or a part of one, such as `<h1>Tides</h1><p>High at <b>noon</b>.</p>`; at most a million
            characters.
        main_only: True to leave out menus, headers, footers and forms, and to begin with what the page marks as
            its main part.
        base_url: Where the page came from, such as `https://example.com/docs/`: relative links become whole ones.

    Returns:
        The Markdown.
    """
    return _read(html, base_url).markdown(main_only)


def extract_links(html: str, base_url: str = "") -> list[str]:
    """Lists where the links of a page lead.

    Args:
        html: The page, such as `<a href="/tides">Tides</a>`; at most a million characters.
        base_url: Where the page came from, such as `https://example.com/docs/`: relative links become whole ones.

    Returns:
        Links in Markdown, such as `[Tides](https://example.com/tides)`, each address once, at most 1000.
    """
    links = _read(html, base_url).links()
    return [f"[{text[:200]}]({address})" for address, text in list(links.items())[:LINKS_MAX]]


def _read(html, base_url):
    if len(html) > CHARACTERS_MAX:
        raise ValueError(
            f"`html` has {len(html)} characters, and at most {CHARACTERS_MAX} are read: pass a part of it"
        )
    return Page(html, base_url)
