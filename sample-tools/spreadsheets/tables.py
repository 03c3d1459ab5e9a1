"""Tables in CSV and Excel files: read whole, within bounds, and written anew."""

import csv
import datetime
import io
import math
import mimetypes
import os
import re
import zipfile
from collections import Counter
from xml.sax.saxutils import escape

# openpyxl would look for lists of media types, and so open the granted directory while it loads. Then modules
# are loaded anew in each call, which takes half a second.
mimetypes.knownfiles.clear()

import openpyxl  # noqa: E402
from openpyxl.utils.exceptions import InvalidFileException  # noqa: E402

KINDS = [".csv", ".tsv", ".xlsx"]
FILE_BYTES_MAX = 8 << 20
# A file of Excel is an archive, whose parts may be a thousand times as large as it is.
UNPACKED_BYTES_MAX = 48 << 20
PARTS_MAX = 1000
CELLS_MAX = 250_000
COLUMNS_MAX = 1000
CHARACTERS_MAX = 32_767


class Table:
    """A sheet: the names of its columns, and rows of that many values."""

    def __init__(self, name, rows, cells_max=CELLS_MAX):
        self.name, self.cells = name, 0
        first = next(rows, [])
        self.columns, self.rows = [], []
        for place, value in enumerate(first):
            name = str(plain(value)).strip() if value not in (None, "") else f"column {place + 1}"
            self.columns.append(name if name not in self.columns else f"{name} {place + 1}")
        if len(self.columns) > COLUMNS_MAX:
            raise ValueError(f"it has {len(self.columns)} columns, and at most {COLUMNS_MAX} are read")
        for row in rows:
            row = [plain(value) for value in row[: len(self.columns)]]
            if any(value is not None for value in row):
                self.rows.append(row + [None] * (len(self.columns) - len(row)))
            self.cells += max(1, len(row))
            if self.cells > cells_max:
                raise ValueError(f"it has more than {CELLS_MAX} cells: split it")

    def place(self, column):
        lowered = [name.lower() for name in self.columns]
        if column.lower() not in lowered:
            raise ValueError(f"there is no column `{column}`; there are {', '.join(self.columns)}")
        return lowered.index(column.lower())

    def summary(self, place):
        values = [row[place] for row in self.rows if row[place] is not None]
        kinds = {kind_of(value) for value in values}
        kind = kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "empty"
        known = {"name": self.columns[place], "kind": kind, "empty": len(self.rows) - len(values)}
        counts = Counter(values if kind != "mixed" else map(str, values))
        known["distinct"] = len(counts)
        if kind not in ("empty", "mixed"):
            known |= {"least": min(values), "greatest": max(values)}
        if kind == "number":
            known |= {"mean": round(math.fsum(values) / len(values), 6), "sum": round(math.fsum(values), 6)}
        elif values:
            known["most_common"] = [{"value": value, "count": count} for value, count in counts.most_common(5)]
        return known


def read(place):
    """The tables of a file, one at least."""
    size = os.stat(place).st_size
    if size > FILE_BYTES_MAX:
        raise ValueError(f"it has {size} bytes, and at most {FILE_BYTES_MAX} are read")
    if place.lower().endswith(".xlsx"):
        return read_workbook(place)
    return [read_csv(place)]


def read_csv(place):
    with open(place, "rb") as file:
        data = file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if place.lower().endswith(".tsv"):
        delimiter = "\t"
    else:
        first = text.partition("\n")[0]
        delimiter = max(",;\t|", key=first.count)
    csv.field_size_limit(len(text) + 1)
    name = os.path.splitext(os.path.basename(place))[0]
    lines = text.splitlines(keepends=True)
    try:
        return Table(name, ([number(cell) for cell in row] for row in csv.reader(lines, delimiter=delimiter)))
    except csv.Error as error:
        raise ValueError(f"it is not CSV: {error}") from None


def read_workbook(place):
    try:
        with zipfile.ZipFile(place) as archive:
            parts = archive.infolist()
        unpacked = sum(part.file_size for part in parts)
        if len(parts) > PARTS_MAX or unpacked > UNPACKED_BYTES_MAX:
            raise ValueError(
                f"it unpacks to {unpacked} bytes in {len(parts)} parts, "
                f"and at most {UNPACKED_BYTES_MAX} in {PARTS_MAX} are read"
            )
        book = openpyxl.load_workbook(place, read_only=True, data_only=True)
        try:
            found, left = [], CELLS_MAX
            for sheet in book.worksheets:
                found.append(Table(sheet.title, (list(row) for row in sheet.iter_rows(values_only=True)), left))
                left -= found[-1].cells
        finally:
            book.close()
    except (
        zipfile.BadZipFile,
        KeyError,
        InvalidFileException,
        SyntaxError,
        EOFError,
        TypeError,
        AttributeError,
    ) as error:
        raise ValueError(f"it is not a workbook of Excel ({type(error).__name__}: {error})") from None
    if not found:
        raise ValueError("it has no sheet with cells")
    return found


def write(place, rows):
    """Writes a new file; one that is there is an error of the system."""
    if place.lower().endswith(".xlsx"):
        data = workbook(rows)
        with open(place, "xb") as file:
            file.write(data)
        return
    with open(place, "x", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t" if place.lower().endswith(".tsv") else ",", lineterminator="\n").writerows(
            rows
        )


# The parts that Excel needs of a workbook. openpyxl would write it through temporary files, which a tool
# does not have.
PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


def workbook(rows):
    """The bytes of a workbook of one sheet. Text in it is never a formula, whatever it begins with."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        lines = "".join(f"<row>{''.join(map(cell_of, row))}</row>" for row in rows)
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
            f"<sheetData>{lines}</sheetData></worksheet>",
        )
    return data.getvalue()


def cell_of(text):
    if len(text) > CHARACTERS_MAX:
        raise ValueError(f"a cell of Excel has at most {CHARACTERS_MAX} characters")
    value = number(text)
    if value is None:
        return "<c/>"
    if isinstance(value, str):
        shown = escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", value))
        return f'<c t="inlineStr"><is><t xml:space="preserve">{shown}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def number(cell):
    """The number that a cell of CSV holds, None for an empty one, else its text. `007` stays a text."""
    text = cell.strip()
    if not text:
        return None
    digits = text.lstrip("+-")
    if not digits[:1].isdigit() or (digits[0] == "0" and digits[1:2].isdigit()) or len(digits) > 15:
        return cell
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return cell
    return value if math.isfinite(value) and "_" not in text else cell


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, datetime.datetime):
        at_midnight = value.time() == datetime.time()
        return value.date().isoformat() if at_midnight else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    return value


def kind_of(value):
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, (int, float)):
        return "number"
    try:
        datetime.date.fromisoformat(value[:10])
        return "date"
    except ValueError:
        return "text"
