"""Pages in HTML as Markdown. The tools `fetch` and `html-to-markdown` have this file in common."""

import re
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from markdownify import MarkdownConverter

# What is no text, and what stands around the text of most pages.
NO_TEXT = [
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "iframe",
    "object",
    "canvas",
    "button",
    "input",
    "select",
]
AROUND = ["nav", "header", "footer", "aside", "form", "dialog"]
# Elements whose end tag may be missing: what they end, unless they are within what stands after it.
ENDS = {
    "li": (["li"], ["ul", "ol"]),
    "dt": (["dt", "dd"], ["dl"]),
    "dd": (["dt", "dd"], ["dl"]),
    "tr": (["tr"], ["table"]),
    "td": (["td", "th"], ["tr", "table"]),
    "th": (["td", "th"], ["tr", "table"]),
}
FOLLOWED = re.compile(r"(?:https?|mailto|ftp|tel):|[^:]*$|[^:]*[/?#]", re.IGNORECASE)
TOO_DEEP = "the page has too many elements within each other: pass a part of it"


class Page:
    """A page that was read."""

    def __init__(self, html, address=None):
        self._soup, self._address = BeautifulSoup(html, "html.parser"), address
        for element in self._soup.find_all(list(ENDS)):
            ended, around = ENDS[element.name]
            above = element.find_parent(ended + around)
            if above is not None and above.name in ended:
                above.insert_after(element)

    def title(self):
        title = self._soup.title
        return " ".join(title.get_text().split()) if title else ""

    def markdown(self, main_only):
        """All of the page's text, or what stands in its main part."""
        self._drop(self._soup, NO_TEXT + (["title"] if main_only else []))
        start = self._main() if main_only else self._soup
        if main_only:
            self._drop(start, AROUND)
        for element in start.find_all(["a", "img"]):
            name = "href" if element.name == "a" else "src"
            target = self._target(element.get(name))
            if target is None:
                element.attrs.pop(name, None)
            else:
                element[name] = target
        converter = MarkdownConverter(heading_style="ATX", bullets="-", escape_underscores=False)
        try:
            text = converter.convert_soup(start)
        except RecursionError:
            raise ValueError(TOO_DEEP) from None
        return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)).strip()

    def links(self):
        """Addresses with what the links say, each once, in the order of the page."""
        found = {}
        for element in self._soup.find_all("a"):
            target = self._target(element.get("href"))
            if target and not target.startswith("#") and target not in found:
                try:
                    found[target] = " ".join(element.get_text().split())
                except RecursionError:
                    raise ValueError(TOO_DEEP) from None
        return found

    def _main(self):
        """What the page marks as its main part; else its only article, else its body."""
        soup = self._soup
        articles = soup.find_all("article")
        main = soup.find("main") or soup.find(attrs={"role": "main"}) or (articles[0] if len(articles) == 1 else None)
        return main or soup.body or soup

    def _drop(self, start, names):
        for element in start.find_all(names):
            element.decompose()

    def _target(self, link):
        """A link as an agent can follow it; None for one that runs code or holds data."""
        link = re.sub(r"[\x00-\x20]+", "", link or "")
        if not link or not FOLLOWED.match(link):
            return None
        return urljoin(self._address, link) if self._address and not link.startswith("#") else link
