"""Prints the schemas that Transformers makes of functions in Python files, as JSON lines.

Where Transformers refuses a function, the line says what is missing.

usage: get_json_schema.py FILE…
"""

import importlib.util
import inspect
import json
import sys
from pathlib import Path

from transformers.utils import get_json_schema
from transformers.utils.chat_template_utils import DocstringParsingException, TypeHintParsingException


def missing(error):
    """What is missing, in the words of our own test."""
    text = str(error)
    if isinstance(error, DocstringParsingException):
        if "has no docstring" in text:
            return "no description"
        return "no description of " + text.rsplit("'", 2)[1]
    if isinstance(error, TypeHintParsingException):
        if "is missing a type hint" in text:
            return "no type of " + text.split()[1]
        return "unsupported type"
    if isinstance(error, NameError):
        return "unknown name " + error.name
    if isinstance(error, (json.JSONDecodeError, TypeError)):
        return "choices"
    return f"{type(error).__name__}: {error}"


def main(files):
    for file in files:
        specification = importlib.util.spec_from_file_location(Path(file).stem, file)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        for name, function in vars(module).items():
            if name.startswith("_") or not inspect.isfunction(function) or function.__name__ != name:
                continue
            if function.__module__ != module.__name__:
                continue
            case = {"file": Path(file).name, "function": name}
            try:
                case["schema"] = json.dumps(get_json_schema(function), ensure_ascii=False, separators=(",", ":"))
            except Exception as error:  # whatever it is: it is the answer
                case["error"] = missing(error)
            print(json.dumps(case, ensure_ascii=False))


main(sys.argv[1:])
