"""Summarises tables in CSV, column by column, with Python's own library alone."""

import csv
import io
import math
import statistics
from collections import Counter
from dataclasses import dataclass

CSV_BYTES_MAX = 4 * 1024 * 1024
DELIMITERS = ",;\t|"
FREQUENT_MAX = 5


@dataclass(frozen=True)
class Numbers:
    """A column whose cells hold numbers."""

    count: int
    least: float
    greatest: float
    mean: float
    median: float
    deviation: float


@dataclass(frozen=True)
class Texts:
    """A column of which at least one cell holds something other than a number."""

    count: int
    distinct: int
    longest: int
    frequent: list


@dataclass(frozen=True)
class Column:
    """A column; `values` is `Numbers`, `Texts`, or `None` when every cell is empty."""

    name: str
    missing: int
    values: object


@dataclass(frozen=True)
class Table:
    """A table at a glance."""

    rows: int
    columns: list


def summarise(text, delimiter=None):
    """Summarises a table; a `ValueError` says what is wrong with it."""
    if len(text.encode()) > CSV_BYTES_MAX:
        raise ValueError(
            f"the table is longer than {CSV_BYTES_MAX} bytes; summarise it in parts"
        )
    text = text.removeprefix("\ufeff")
    if delimiter is None:
        delimiter = _guess(text)
    elif delimiter in '"\r\n':
        raise ValueError(
            f"`delimiter` {delimiter!r} cannot stand between fields; use one such as ',' or ';'"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((reader.line_num, row))
    except csv.Error as error:
        raise ValueError(
            f"line {reader.line_num} is not valid CSV: {error}; a double quote inside a quoted "
            "field is written twice"
        ) from error
    if not rows:
        raise ValueError("the text holds no table; its first row must name the columns")
    _, names = rows.pop(0)
    for line, row in rows:
        if len(row) > len(names):
            raise ValueError(
                f"the row that ends in line {line} has {len(row)} fields, but the first row names "
                f"{len(names)} columns; put fields that contain {delimiter!r} in double quotes, "
                "or name another `delimiter`"
            )
    columns = [
        _column(index, name.strip(), [row[index] if index < len(row) else "" for _, row in rows])
        for index, name in enumerate(names)
    ]
    return Table(rows=len(rows), columns=columns)


def _guess(text):
    first = text.lstrip().partition("\n")[0]
    return max(DELIMITERS, key=lambda delimiter: (first.count(delimiter), delimiter == ","))


def _column(index, name, cells):
    present = [cell.strip() for cell in cells if cell.strip()]
    numbers = [_number(cell) for cell in present]
    if not present:
        values = None
    elif None in numbers:
        counts = Counter(present)
        frequent = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        values = Texts(
            count=len(present),
            distinct=len(counts),
            longest=max(map(len, present)),
            frequent=frequent[:FREQUENT_MAX],
        )
    else:
        values = Numbers(
            count=len(numbers),
            least=min(numbers),
            greatest=max(numbers),
            mean=statistics.fmean(numbers),
            median=statistics.median(numbers),
            deviation=statistics.stdev(numbers) if len(numbers) > 1 else 0.0,
        )
    return Column(name=name or f"column {index + 1}", missing=len(cells) - len(present),
                  values=values)


def _number(cell):
    # Python reads `1_000` and `nan` as numbers; in a table they are texts.
    if "_" in cell:
        return None
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
