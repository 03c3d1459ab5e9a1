"""The text of PDF files for agents, as an MCP server."""

import posixpath
import re
import zlib
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

from pypdf import PdfReader, overwrite_configuration
from pypdf.errors import DependencyError, PyPdfError

mcp = FastMCP("pdf-text")

ROOT = "/papers"
FILE_BYTES_MAX = 16 << 20
PAGES_AT_ONCE = 50
PAGES_MAX = 5000
FOUND_MAX = 100
# A stream of a PDF may unpack to a thousand times its size.
STREAM_BYTES_MAX = 16 << 20


@mcp.tool
def read_pdf(
    path: Annotated[str, Field(description="A PDF of the directory, such as `2026/report.pdf`.")],
    first_page: Annotated[int, Field(description="Which page to begin with.", ge=1)] = 1,
    last_page: Annotated[int, Field(description="Which page to end with; 0 for ten pages.", ge=0)] = 0,
) -> dict:
    """Reads the text of pages.

    Returns `pages`, each with `page` (its number) and `text`, `total_pages`, and `next_page` where there are more.
    A page whose `text` is empty is a picture, such as a scan.
    """
    reader, total = opened(path)
    last = min(last_page or first_page + 9, total)
    if first_page > total:
        raise ToolError(f"{path} has {total} pages, so none is page {first_page}")
    if last < first_page:
        raise ToolError(f"`last_page` is {last_page}, before `first_page`: pass a later one")
    if last - first_page >= PAGES_AT_ONCE:
        raise ToolError(f"at most {PAGES_AT_ONCE} pages are read at once: pass an earlier `last_page`")
    pages = [{"page": number, "text": text_of(reader, number, path)} for number in range(first_page, last + 1)]
    answer = {"pages": pages, "total_pages": total}
    return answer | ({"next_page": last + 1} if last < total else {})


@mcp.tool
def search_pdf(
    path: Annotated[str, Field(description="A PDF of the directory, such as `2026/report.pdf`.")],
    query: Annotated[str, Field(description="The text to find, in upper or lower case, such as `tidal range`.")],
    first_page: Annotated[int, Field(description="Which page to begin with.", ge=1)] = 1,
) -> dict:
    """Finds a text in a PDF.

    Returns `found`, each with `page` and the words around it, at most 100, and `next_page` where not all pages were
    searched: 50 are in a call.
    """
    if not query.strip():
        raise ToolError("`query` is empty: say what to find")
    reader, total = opened(path)
    if first_page > total:
        raise ToolError(f"{path} has {total} pages, so none is page {first_page}")
    wanted = re.compile(r"\s+".join(map(re.escape, query.split())), re.IGNORECASE)
    last, found = min(first_page + PAGES_AT_ONCE - 1, total), []
    for number in range(first_page, last + 1):
        text = " ".join(text_of(reader, number, path).split())
        for match in wanted.finditer(text):
            if len(found) < FOUND_MAX:
                found.append({"page": number, "around": text[max(0, match.start() - 80) : match.end() + 80]})
    return {"found": found} | ({"next_page": last + 1} if last < total else {})


@mcp.tool
def describe_pdf(
    path: Annotated[str, Field(description="A PDF of the directory, such as `2026/report.pdf`.")],
) -> dict:
    """Says what a PDF is.

    Returns `total_pages`, what its author says of it (`title`, `author`, `subject`, `created` where there are such),
    and `outline`, the titles of its chapters with their pages and `level`, at most 500.
    """
    reader, total = opened(path)
    answer = {"total_pages": total}
    try:
        said = reader.metadata or {}
        for name, key in (
            ("title", "/Title"),
            ("author", "/Author"),
            ("subject", "/Subject"),
            ("created", "/CreationDate"),
        ):
            if isinstance(said.get(key), str) and said[key].strip():
                answer[name] = said[key].strip()[:500]
        answer["outline"] = list(chapters(reader, reader.outline, 1))[:500]
    except MISTAKES as error:
        raise broken(path, error) from None
    return answer


def chapters(reader, entries, level):
    for entry in entries:
        if isinstance(entry, list):
            if level < 10:
                yield from chapters(reader, entry, level + 1)
            continue
        page = reader.get_destination_page_number(entry)
        yield {"title": str(entry.title)[:200], "level": level} | (
            {"page": page + 1} if page is not None and page >= 0 else {}
        )


# What pypdf raises for files that are not what they say. It checks less than it trusts.
MISTAKES = (PyPdfError, DependencyError, ValueError, KeyError, IndexError, TypeError, AttributeError)
MISTAKES += (RecursionError, OverflowError, AssertionError, NotImplementedError, EOFError, zlib.error, MemoryError)


def opened(path):
    """A file's reader, and how many pages there are."""
    place = posixpath.normpath(posixpath.join(ROOT, path))
    if not place.startswith(ROOT + "/") or "\0" in path:
        raise ToolError(f"{path} is not in the directory: write a path from there, such as 2026/report.pdf")
    if not Path(ROOT).is_dir():
        raise ToolError("no directory was granted to this tool")
    try:
        size = Path(place).stat().st_size
        if size > FILE_BYTES_MAX:
            raise ToolError(f"{path} has {size} bytes, and at most {FILE_BYTES_MAX} are read")
        overwrite_configuration(
            zlib_maximum_output_length=STREAM_BYTES_MAX,
            lzw_maximum_output_length=STREAM_BYTES_MAX,
            run_length_maximum_output_length=STREAM_BYTES_MAX,
            array_based_stream_maximum_output_length=STREAM_BYTES_MAX,
        )
        reader = PdfReader(place)
        if reader.is_encrypted and not reader.decrypt(""):
            raise ToolError(f"{path} opens with a password only: ask for a copy without one")
        total = len(reader.pages)
    except FileNotFoundError:
        raise ToolError(f"{path} is not there; there are {', '.join(known()) or 'no PDF files'}") from None
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}") from None
    except MISTAKES as error:
        raise broken(path, error) from None
    if not 1 <= total <= PAGES_MAX:
        raise ToolError(f"{path} has {total} pages, and 1 to {PAGES_MAX} are read")
    return reader, total


def text_of(reader, number, path):
    try:
        return reader.pages[number - 1].extract_text().strip()
    except MISTAKES as error:
        raise broken(f"page {number} of {path}", error) from None


def broken(what, error):
    if "AES" in str(error) or isinstance(error, DependencyError):
        return ToolError(f"{what} is encrypted in a way that this tool cannot read: ask for a copy that is not")
    return ToolError(f"{what} is not a PDF that can be read ({type(error).__name__}: {str(error)[:200]})")


def known():
    found = (file for file in sorted(Path(ROOT).rglob("*")) if file.suffix.lower() == ".pdf")
    return [str(file.relative_to(ROOT)) for file, _ in zip(found, range(20))]


if __name__ == "__main__":
    mcp.run()
