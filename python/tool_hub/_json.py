"""Writes Python values as the JSON that tools take, and reads the JSON that they answer."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from tool_hub._parts import Audio, Image

#: The value of JSON text.
loads = json.JSONDecoder().decode


def _other(value: Any) -> Any:
    """What JSON has for a value that it does not know."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Image, Audio)):
        data = base64.b64encode(value.data).decode("ascii")
        return {"media_type": value.media_type, "data": data}
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        return item()
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a {type(value).__name__} cannot be given to a tool")


dumps = json.JSONEncoder(
    separators=(",", ":"), default=_other, allow_nan=False, check_circular=False
).encode
