"""Questions in SQL about tables, answered by SQLite in memory."""

import re
import sqlite3
import time

from fastmcp.exceptions import ToolError

SECONDS_MAX = 6
STEPS_BETWEEN_LOOKS = 10_000
ANSWER_CHARACTERS_MAX = 1_000_000


def asked(tables, sql, rows_max):
    """The answer to one SELECT: its columns, its rows, and whether there are more."""
    database = sqlite3.connect(":memory:")
    try:
        for index, table in enumerate(tables):
            put(database, table, ["data", table.name] if index == 0 else [table.name])
        database.commit()
        database.execute("PRAGMA query_only = ON")
        database.set_authorizer(reading)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4_000_000)
        end = time.monotonic() + SECONDS_MAX
        database.set_progress_handler(lambda: time.monotonic() > end, STEPS_BETWEEN_LOOKS)
        found = database.execute(sql)
        if found.description is None:
            raise ToolError("`sql` asks for nothing: write one SELECT")
        rows, characters = [], 0
        for row in found:
            characters += sum(len(value) for value in row if isinstance(value, str))
            if len(rows) == rows_max or characters > ANSWER_CHARACTERS_MAX:
                return answer(found, rows, True)
            rows.append([value.hex() if isinstance(value, bytes) else value for value in row])
        return answer(found, rows, False)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if "interrupted" in str(error):
            raise ToolError(f"the query took more than {SECONDS_MAX} seconds: ask for less") from None
        columns = "; ".join(f"{table.name}: {', '.join(table.columns)}" for table in tables)
        raise ToolError(f"SQLite says: {error}. The tables and columns are {columns[:2000]}") from None
    finally:
        database.close()


def answer(found, rows, more):
    return {"columns": [column[0] for column in found.description], "rows": rows, "more": more}


def put(database, table, names):
    columns = ", ".join(quoted(column) for column in distinct(table.columns))
    first = names[0]
    database.execute(f"CREATE TABLE {quoted(first)} ({columns})")
    places = ", ".join("?" * len(table.columns))
    database.executemany(f"INSERT INTO {quoted(first)} VALUES ({places})", table.rows)
    for name in names[1:]:
        if name.lower() != first:
            database.execute(f"CREATE VIEW {quoted(name)} AS SELECT * FROM {quoted(first)}")


def distinct(columns):
    """Names that SQLite takes for different ones: it knows no upper and lower case."""
    seen, names = set(), []
    for place, name in enumerate(columns, 1):
        if name.lower() in seen:
            name = f"{name} {place}"
        seen.add(name.lower())
        names.append(name)
    return names


def quoted(name):
    return '"' + re.sub(r"[\x00\"]", "_", name) + '"'


READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def reading(action, *_):
    """Lets a statement read and compute, and neither attach a file nor change a setting."""
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY
