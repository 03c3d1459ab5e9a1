"""The component `slugify`: checks arguments, calls `slugs` and `tables`, and converts results.

`componentize-py` makes the module `wit_world` from the world; a class named like an interface
implements it. An error of a `result` is raised as `Err`.
"""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import tables as tables_types

import slugs
import tables

_SEPARATORS = {"HYPHEN": "-", "UNDERSCORE": "_", "DOT": "."}


class Slugs(exports.Slugs):
    """The interface `slugs`."""

    def slugify(self, text, options):
        slug = slugs.slugify(text, **_style(options))
        if not slug:
            raise Err("`text` holds no letter or digit; pass a text that does")
        return slug

    def slugify_all(self, texts, options):
        if len(texts) > slugs.TEXTS_MAX:
            raise Err(f"`texts` has more than {slugs.TEXTS_MAX} items; pass them in parts")
        try:
            return slugs.slugify_all(texts, **_style(options))
        except ValueError as error:
            raise Err(str(error)) from error

    def transliterate(self, text):
        return slugs.transliterate(text)


class Tables(exports.Tables):
    """The interface `tables`."""

    def summarise_csv(self, csv, delimiter):
        try:
            table = tables.summarise(csv, delimiter)
        except ValueError as error:
            raise Err(str(error)) from error
        return tables_types.TableSummary(table.rows, [_column(entry) for entry in table.columns])


def _style(options):
    style = {}
    if options is None:
        return style
    if options.separator is not None:
        style["separator"] = _SEPARATORS[options.separator.name]
    if options.longest is not None:
        if not 1 <= options.longest <= slugs.LONGEST_MAX:
            raise Err(f"`options.longest` is {options.longest}; use 1 to {slugs.LONGEST_MAX}")
        style["longest"] = options.longest
    if options.keep_case is not None:
        style["keep_case"] = options.keep_case
    return style


def _column(column):
    match column.values:
        case None:
            values = tables_types.ColumnValues_Empty()
        case tables.Numbers() as found:
            values = tables_types.ColumnValues_Numbers(tables_types.NumberSummary(
                found.count, found.least, found.greatest, found.mean, found.median,
                found.deviation,
            ))
        case tables.Texts() as found:
            frequent = [tables_types.TextFrequency(*entry) for entry in found.frequent]
            values = tables_types.ColumnValues_Texts(tables_types.TextSummary(
                found.count, found.distinct, found.longest, frequent,
            ))
    return tables_types.ColumnSummary(column.name, column.missing, values)
