"""A SQLite database for agents, as an MCP server."""

import sqlite3
import time
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

mcp = FastMCP("sqlite")

ROOT = "/database"
ENDINGS = (".db", ".sqlite", ".sqlite3")
SECONDS_MAX = 6
STEPS_BETWEEN_LOOKS = 10_000
ROWS_MAX = 1000
ANSWER_CHARACTERS_MAX = 1_000_000
VALUE_BYTES_MAX = 16_000_000


@mcp.tool
def read_query(
    query: Annotated[str, Field(description="One SELECT of SQLite, such as `SELECT name FROM ports LIMIT 10`.")],
    database: Annotated[str, Field(description="The file, where there are several, such as `harbour.db`.")] = "",
) -> list[dict]:
    """Asks the database with a SELECT.

    Returns a list of rows, each an object of columns and values, at most 1000. Data in bytes are hexadecimal.
    """
    if not query.lstrip().upper().startswith(("SELECT", "WITH", "VALUES", "EXPLAIN")):
        raise ToolError("`query` is not a SELECT: use write_query to change rows and create_table for new tables")
    with Opened(database, may_write=False) as opened:
        return opened.rows(query)


@mcp.tool
def write_query(
    query: Annotated[
        str, Field(description="One INSERT, UPDATE or DELETE, such as `DELETE FROM ports WHERE id = 7`.")
    ],
    database: Annotated[str, Field(description="The file, where there are several, such as `harbour.db`.")] = "",
) -> list[dict]:
    """Changes rows of the database by an INSERT, UPDATE or DELETE. Returns `affected_rows`, how many it changed."""
    if not query.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH")):
        raise ToolError("`query` changes no rows: use read_query for a SELECT and create_table for a new table")
    with Opened(database, may_write=True) as opened:
        return [{"affected_rows": opened.changed(query)}]


@mcp.tool
def create_table(
    query: Annotated[
        str, Field(description="One CREATE TABLE, such as `CREATE TABLE ports (id INTEGER, name TEXT)`.")
    ],
    database: Annotated[
        str, Field(description="The file, such as `harbour.db`; it is made where it is missing.")
    ] = "",
) -> str:
    """Adds a table to the database. Returns a sentence that says so."""
    if query.split()[:2] and [word.upper() for word in query.split()[:2]] not in (
        ["CREATE", "TABLE"],
        ["CREATE", "VIRTUAL"],
    ):
        raise ToolError("`query` is not a CREATE TABLE: use write_query to change rows")
    with Opened(database, may_write=True, may_create=True) as opened:
        opened.changed(query)
    return "Table created successfully"


@mcp.tool
def list_tables(
    database: Annotated[str, Field(description="The file, where there are several, such as `harbour.db`.")] = "",
) -> list[dict]:
    """Names the tables of the database. Returns a list of objects with `name`."""
    with Opened(database, may_write=False) as opened:
        return opened.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )


@mcp.tool
def describe_table(
    table_name: Annotated[str, Field(description="The table's name, as list_tables gives it.")],
    database: Annotated[str, Field(description="The file, where there are several, such as `harbour.db`.")] = "",
) -> list[dict]:
    """Says what columns a table has.

    Returns an object for each, with `cid`, `name`, `type`, `notnull`, `dflt_value` and `pk`, as SQLite tells them.
    """
    with Opened(database, may_write=False) as opened:
        columns = opened.rows(
            'SELECT cid, name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', table_name
        )
        if not columns:
            tables = opened.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
            known = ", ".join(table["name"] for table in tables[:50])
            raise ToolError(f"there is no table `{table_name}`; there are {known or 'none'}")
        return columns


class Opened:
    """A database while a call is under way: `with Opened(name) as opened`."""

    def __init__(self, name, may_write, may_create=False):
        self.place, self.may_write = place_of(name, may_create), may_write

    def __enter__(self):
        mode = "rwc" if self.may_write else "ro"
        try:
            self.connection = sqlite3.connect(f"{self.place.as_uri()}?mode={mode}", uri=True)
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
            # A write-ahead log needs shared memory, unless one program has the file alone.
            self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self.connection.execute("PRAGMA temp_store = MEMORY")
            self.connection.set_authorizer(allowed(WRITING if self.may_write else READING))
            end = time.monotonic() + SECONDS_MAX
            self.connection.set_progress_handler(lambda: time.monotonic() > end, STEPS_BETWEEN_LOOKS)
        except sqlite3.Error as error:
            raise said(error, self.place) from None
        return self

    def __exit__(self, kind, *_):
        if kind is None and self.may_write:
            try:
                self.connection.commit()
            except sqlite3.Error as error:
                raise said(error, self.place) from None
            finally:
                self.connection.close()
        else:
            self.connection.close()

    def rows(self, query, *values):
        try:
            found = self.connection.execute(query, values)
            columns = [column[0] for column in found.description or []]
            rows, characters = [], 0
            for row in found:
                rows.append(dict(zip(columns, (value.hex() if isinstance(value, bytes) else value for value in row))))
                characters += sum(len(value) for value in rows[-1].values() if isinstance(value, str))
                if len(rows) > ROWS_MAX or characters > ANSWER_CHARACTERS_MAX:
                    raise ToolError(
                        f"the answer has more than {ROWS_MAX} rows or {ANSWER_CHARACTERS_MAX} characters: "
                        "ask for less, by LIMIT or fewer columns"
                    )
            return rows
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise said(error, self.place) from None

    def changed(self, query):
        try:
            return max(0, self.connection.execute(query).rowcount)
        except (sqlite3.Error, sqlite3.Warning) as error:
            self.connection.rollback()
            raise said(error, self.place) from None


def place_of(name, may_create):
    if not Path(ROOT).is_dir():
        raise ToolError("no directory was granted to this tool")
    known = sorted(file.name for file in Path(ROOT).iterdir() if file.suffix.lower() in ENDINGS and file.is_file())
    if not name and len(known) == 1:
        return Path(ROOT) / known[0]
    if not name:
        have = (
            f"there are {', '.join(known[:20])}" if known else "there is none yet, so name a new one such as notes.db"
        )
        raise ToolError(f"say which database by `database`: {have}")
    if name in known or (may_create and "/" not in name and "\0" not in name and name.lower().endswith(ENDINGS)):
        return Path(ROOT) / name
    raise ToolError(f"there is no database `{name}`; there are {', '.join(known[:20]) or 'none'}")


READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
# All but what opens other files (also VACUUM INTO, which attaches one) and what changes settings.
NEVER = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA}
WRITING = None


def allowed(actions):
    def decide(action, first, second, *_):
        if action == sqlite3.SQLITE_PRAGMA and first == "table_info":
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and second == "load_extension":
            return sqlite3.SQLITE_DENY
        fits = action not in NEVER if actions is WRITING else action in actions
        return sqlite3.SQLITE_OK if fits else sqlite3.SQLITE_DENY

    return decide


def said(error, place):
    """What SQLite says, and what to do about it."""
    text = str(error)
    if "interrupted" in text:
        return ToolError(f"the query took more than {SECONDS_MAX} seconds: ask for less, or make an index first")
    if "readonly" in text or "unable to open" in text:
        return ToolError(
            f"{place.name} cannot be written: the directory was granted for reading only, or it is no file"
        )
    if "not a database" in text or "malformed" in text:
        return ToolError(f"{place.name} is not a database of SQLite, or it is broken: {text}")
    if "no such table" in text:
        return ToolError(f"{text}; list_tables names those that there are")
    if "no such column" in text:
        return ToolError(f"{text}; describe_table names those that there are")
    return ToolError(f"SQLite says: {text}")


if __name__ == "__main__":
    mcp.run()
