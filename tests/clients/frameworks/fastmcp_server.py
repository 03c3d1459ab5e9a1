"""An MCP server of the package `fastmcp`, as its users write them."""

import asyncio
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, Optional

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, Field

mcp = FastMCP("Library", instructions="Finds books.")


class Shelf(str, Enum):
    FICTION = "fiction"
    SCIENCE = "science"


class Filter(BaseModel):
    """Which books to find."""

    author: str = Field(description="A part of the author's name.")
    years: list[int] = Field(default_factory=list, description="The years of publication.")
    shelf: Shelf = Shelf.FICTION
    pages: Optional[int] = Field(default=None, ge=1, le=5000)


@dataclass
class Place:
    row: int
    board: int = 0


@mcp.tool
def add(a: int, b: int = 1) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second one.
    """
    return a + b


@mcp.tool()
async def find(
    filter: Filter,
    limit: Annotated[int, Field(description="How many.", ge=1, le=50)] = 10,
    order: Literal["title", "year"] = "title",
    ctx: Context = None,
) -> str:
    """Finds books."""
    await asyncio.sleep(0)
    if ctx is not None:
        await ctx.info("searching")
        await ctx.report_progress(1, 1)
    return f"{filter.author} {filter.years} {filter.shelf.value} {filter.pages} {limit} {order}"


@mcp.tool(name="lend_book", description="Lends a book to a reader.", tags={"desk"})
def lend(
    title: Annotated[str, "The book's title."],
    reader: str = Field(description="Who takes it.", min_length=2),
    until: date | None = None,
    notes: dict[str, str] | None = None,
) -> dict[str, Any]:
    return {"title": title, "reader": reader, "until": until and until.isoformat(), "notes": notes}


@mcp.tool
def where(places: list[Place], scale: float = 1.5, exact: bool = False) -> list[str]:
    """Says where books stand."""
    return [f"{place.row * scale}/{place.board} {exact}" for place in places]


@mcp.tool
def burn(title: str) -> str:
    """Burns a book."""
    raise ToolError(f"{title} is not burnt here")


@mcp.resource("library://hours")
def hours() -> str:
    return "9 to 5"


@mcp.prompt
def ask_for_book(title: str) -> str:
    return f"Please find {title}"


if __name__ == "__main__":
    mcp.run()
