"""Offers the functions of `{{module}}` to agents. `tool build` writes this for each build."""

import importlib
import json

from tool_hub_functions import as_any, as_case, as_float, as_integer, as_json, as_text, as_truth, hints_of, result

source = importlib.import_module({{module_text}})
HINTS = {name: hints_of(getattr(source, name)) for name in {{names}}}


{{functions}}


EXPORTS = {{exports}}


def call(export, arguments):
    """Calls a function by the name of its export, whose last part is its own."""
    return EXPORTS[export.rpartition(".")[2]](*arguments)
