"""Tables in CSV and Excel files for agents, as an MCP server."""

import csv
import io
import posixpath
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

import tables
from queries import asked

mcp = FastMCP("spreadsheets")

ROOT = "/sheets"
ROWS_MAX = 1000


@mcp.tool
def list_sheets(
    path: Annotated[str, Field(description="A `.csv`, `.tsv` or `.xlsx` of the directory, such as `sales.xlsx`.")],
) -> dict:
    """Lists the sheets of a file.

    Returns `sheets`, each with `name`, `columns` (what stands in the first row) and `rows` (how many are below).
    A CSV file has one sheet.
    """
    return {
        "sheets": [{"name": table.name, "columns": table.columns, "rows": len(table.rows)} for table in opened(path)]
    }


@mcp.tool
def read_rows(
    path: Annotated[str, Field(description="A `.csv`, `.tsv` or `.xlsx` of the directory, such as `sales.xlsx`.")],
    sheet: Annotated[str, Field(description="The sheet's name; left out, the first one.")] = "",
    columns: Annotated[list[str], Field(description='Only these columns, such as `["port", "high"]`.')] = [],
    first_row: Annotated[int, Field(description="Which row to begin with; 1 is the one below the names.", ge=1)] = 1,
    count: Annotated[int, Field(description="How many rows to return.", ge=1, le=1000)] = 100,
) -> dict:
    """Reads rows of a sheet.

    Returns `columns`, `rows` (lists of values in that order; dates as `2026-11-27`, empty cells as null),
    `total_rows`, and `next_row` where there are more.
    """
    table = chosen(opened(path), sheet)
    places = [table.place(name) for name in columns] or range(len(table.columns))
    rows = table.rows[first_row - 1 : first_row - 1 + count]
    answer = {
        "columns": [table.columns[place] for place in places],
        "rows": [[row[place] for place in places] for row in rows],
        "total_rows": len(table.rows),
    }
    if first_row - 1 + count < len(table.rows):
        answer["next_row"] = first_row + count
    return answer


@mcp.tool
def describe_columns(
    path: Annotated[str, Field(description="A `.csv`, `.tsv` or `.xlsx` of the directory, such as `sales.xlsx`.")],
    sheet: Annotated[str, Field(description="The sheet's name; left out, the first one.")] = "",
) -> dict:
    """Summarises each column of a sheet.

    Returns `rows` (how many) and `columns`, each with `name`, `kind` (`number`, `date`, `text`, `truth`, `mixed` or
    `empty`), `empty`, `distinct`, `least` and `greatest`, for numbers `mean` and `sum`, and for others the
    `most_common` values.
    """
    table = chosen(opened(path), sheet)
    return {"rows": len(table.rows), "columns": [table.summary(place) for place in range(len(table.columns))]}


@mcp.tool
def query(
    path: Annotated[str, Field(description="A `.csv`, `.tsv` or `.xlsx` of the directory, such as `sales.xlsx`.")],
    sql: Annotated[
        str, Field(description="One SELECT of SQLite, such as `SELECT port, sum(catch) FROM data GROUP BY port`.")
    ],
) -> dict:
    """Answers a question in SQL about the sheets of a file.

    The first sheet is the table `data`, and each sheet is a table of its own name. Returns `columns` and `rows`,
    at most 1000, and `more`, true if there were more. The file stays as it is.
    """
    return asked(opened(path), sql, ROWS_MAX)


@mcp.tool
def write_table(
    path: Annotated[str, Field(description="The new file, `.csv` or `.xlsx`, such as `2026/totals.xlsx`.")],
    table: Annotated[
        str, Field(description="The table in CSV, names of columns first, such as `port,catch\\nEmden,12`.")
    ],
) -> str:
    """Writes a table to a new file. Returns a sentence that says how many rows it has.

    In an `.xlsx` what looks like a number becomes one. A file that is there already is not replaced.
    """
    place = inside(path)
    rows = list(csv.reader(io.StringIO(table)))
    if not rows:
        raise ToolError("`table` is empty: write the names of the columns, and rows below them")
    try:
        tables.write(place, rows)
    except FileExistsError:
        raise ToolError(f"{path} is there already: choose another name") from None
    except FileNotFoundError:
        raise ToolError(f"{posixpath.dirname(path)} is not a directory: choose one that is there") from None
    except PermissionError:
        raise ToolError("the directory was granted for reading only, so nothing can be written") from None
    except ValueError as error:
        raise ToolError(str(error)) from None
    return f"Wrote {len(rows) - 1} rows of {len(rows[0])} columns to {path}"


def opened(path):
    place = inside(path)
    try:
        return tables.read(place)
    except FileNotFoundError:
        raise ToolError(f"{path} is not there; there are {', '.join(known()) or 'no tables'}") from None
    except (ValueError, OSError) as error:
        raise ToolError(f"{path} cannot be read: {error}") from None


def chosen(found, name):
    if not name:
        return found[0]
    for table in found:
        if table.name.lower() == name.lower():
            return table
    raise ToolError(f"there is no sheet `{name}`; the file has {', '.join(table.name for table in found)}")


def inside(path):
    place = posixpath.normpath(posixpath.join(ROOT, path))
    if not place.startswith(ROOT + "/") or "\0" in path:
        raise ToolError(f"{path} is not in the directory: write a path from there, such as 2026/sales.xlsx")
    if not Path(ROOT).is_dir():
        raise ToolError("no directory was granted to this tool")
    if Path(place).suffix.lower() not in tables.KINDS:
        raise ToolError(f"{path} is not a table: take one of {', '.join(tables.KINDS)}")
    return place


def known():
    """Some tables of the directory, for whoever named one that is not there."""
    found = (file for file in sorted(Path(ROOT).rglob("*")) if file.suffix.lower() in tables.KINDS)
    return [str(file.relative_to(ROOT)) for file, _ in zip(found, range(20))]


if __name__ == "__main__":
    mcp.run()
