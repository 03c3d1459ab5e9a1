"""Papers of arXiv for agents, as an MCP server."""

import re
import time
from typing import Annotated, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen
from xml.etree import ElementTree

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

mcp = FastMCP("arxiv")

API = "https://export.arxiv.org/api/query"
BYTES_MAX = 4_000_000
SECONDS = 20
ATOM, ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
IDENTIFIER = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?")
SORTS = {"relevance": "relevance", "newest": "submittedDate", "updated": "lastUpdatedDate"}


@mcp.tool
def search_papers(
    query: Annotated[
        str,
        Field(
            description="Words, all of which have to occur, such as `sparse attention`; or a query of arXiv with fields, "
            'such as `ti:attention AND au:vaswani` or `abs:"language model"`.'
        ),
    ],
    max_results: Annotated[int, Field(description="How many papers to return.", ge=1, le=50)] = 10,
    start: Annotated[int, Field(description="How many to pass over, for what follows.", ge=0, le=5000)] = 0,
    categories: Annotated[
        list[str], Field(description='Only papers of one of these, such as `["cs.LG", "stat.ML"]`.')
    ] = [],
    sort_by: Annotated[
        Literal["relevance", "newest", "updated"], Field(description="What comes first.")
    ] = "relevance",
) -> dict:
    """Searches the papers on arXiv.

    Returns `total` (how many there are), `papers`, each with `id`, `title`, `authors`, `published`, `categories` and the
    beginning of its `summary`, and `next_start` where there are more.
    """
    if not query.strip():
        raise ToolError("`query` is empty: say what the papers are about")
    wanted = query if re.search(r"\b(?:ti|au|abs|co|jr|cat|all):", query) else " AND ".join(map(term, words(query)))
    if categories:
        for category in categories:
            if not re.fullmatch(r"[a-z-]+(?:\.[A-Za-z-]+)?", category):
                raise ToolError(f"`{category}` is not a category: write one such as cs.LG or hep-th")
        wanted = f"({wanted}) AND ({' OR '.join(f'cat:{category}' for category in categories)})"
    feed = ask(
        {
            "search_query": wanted,
            "start": start,
            "max_results": max_results,
            "sortBy": SORTS[sort_by],
            "sortOrder": "descending",
        }
    )
    found = feed.findtext("{http://a9.com/-/spec/opensearch/1.1/}totalResults", "0").strip()
    papers = [paper(entry, summary_length=400) for entry in feed.iter(f"{ATOM}entry")]
    answer = {"total": int(found) if found.isdigit() else len(papers), "papers": papers}
    if papers and start + len(papers) < answer["total"]:
        answer["next_start"] = start + len(papers)
    return answer


@mcp.tool
def get_papers(
    paper_ids: Annotated[
        list[str], Field(description='One to 20 identifiers, such as `["1706.03762"]` or `["hep-th/9901001v2"]`.')
    ],
) -> dict:
    """Reads what arXiv knows of papers.

    Returns `papers`, each with `id`, `title`, `authors`, `published`, `updated`, `categories`, the whole `summary`, `comment`,
    `journal`, `doi` where there are such, and the addresses `page` and `pdf`.
    """
    if not 1 <= len(paper_ids) <= 20:
        raise ToolError(f"{len(paper_ids)} identifiers were given: pass 1 to 20")
    wanted = []
    for given in paper_ids:
        identifier = re.sub(
            r"^(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:)|\.pdf$", "", given.strip(), flags=re.IGNORECASE
        )
        if not IDENTIFIER.fullmatch(identifier):
            raise ToolError(
                f"`{given}` is not an identifier of arXiv: write one such as 1706.03762, as search_papers gives it"
            )
        wanted.append(identifier)
    feed = ask({"id_list": ",".join(wanted), "max_results": len(wanted)})
    papers = [paper(entry) for entry in feed.iter(f"{ATOM}entry") if entry.find(f"{ATOM}title") is not None]
    if not papers:
        raise ToolError(f"arXiv has no paper {', '.join(wanted)}")
    return {"papers": papers}


def words(query):
    """The words of a query; what stands in quotes is one."""
    return [quoted or word for quoted, word in re.findall(r'("[^"]+")|([^\s"()]+)', query)]


def term(word):
    return f"all:{word}"


def paper(entry, summary_length=None):
    """What a feed says of a paper; with `summary_length` as it stands in a list."""
    page = text(entry, f"{ATOM}id").replace("http:", "https:", 1)
    summary = text(entry, f"{ATOM}summary")
    known = {
        "id": page.rpartition("/abs/")[2],
        "title": text(entry, f"{ATOM}title"),
        "authors": [text(author, f"{ATOM}name") for author in entry.iter(f"{ATOM}author")],
        "published": text(entry, f"{ATOM}published")[:10],
        "categories": [category.get("term", "") for category in entry.iter(f"{ATOM}category")],
    }
    if summary_length is not None:
        cut = summary if len(summary) <= summary_length else summary[:summary_length].rsplit(" ", 1)[0] + " […]"
        return known | {"summary": cut}
    more = {
        name: text(entry, f"{ARXIV}{tag}")
        for name, tag in (("comment", "comment"), ("journal", "journal_ref"), ("doi", "doi"))
    }
    return (
        known
        | {"updated": text(entry, f"{ATOM}updated")[:10], "summary": summary}
        | {name: value for name, value in more.items() if value}
        | {"page": page, "pdf": page.replace("/abs/", "/pdf/")}
    )


def text(element, tag):
    return " ".join((element.findtext(tag) or "").split())


def ask(query):
    """A feed of arXiv's interface, which wants three seconds between requests and says so by 429 or 503."""
    asking = Request(f"{API}?{urlencode(query)}", headers={"User-Agent": "tool-hub-arxiv/0.1"})
    for wait in (3, None):
        try:
            with urlopen(asking, timeout=SECONDS) as answer:
                return ElementTree.fromstring(answer.read(BYTES_MAX))
        except HTTPError as error:
            if error.code not in (429, 503):
                raise ToolError(f"arXiv answered with status {error.code}: change the query") from error
            if wait is None:
                raise ToolError("arXiv is busy: try again in some minutes") from error
            time.sleep(wait)
        except (URLError, OSError) as error:
            raise ToolError(f"arXiv cannot be reached: {getattr(error, 'reason', error)}") from error
        except ElementTree.ParseError as error:
            raise ToolError("arXiv answered with something that is not a feed: try again later") from error


if __name__ == "__main__":
    mcp.run()
