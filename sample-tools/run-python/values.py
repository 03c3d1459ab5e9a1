"""Pictures and sounds as values of Python, and values as JSON."""

import base64
import json


class Media:
    """A picture or a sound: its media type and the bytes that a file of it has."""

    def __init__(self, media_type, data):
        self.media_type = media_type
        self.data = bytes(data)

    def __repr__(self):
        return f"<{self.media_type}, {len(self.data)} bytes>"

    def __eq__(self, other):
        return isinstance(other, Media) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.media_type, self.data))


def from_json(value):
    """A value of JSON, with pictures and sounds for the objects that stand for them."""
    match value:
        case {"media_type": str(media_type), "data": str(data), **rest} if not rest:
            return Media(media_type, base64.b64decode(data))
        case dict():
            return {name: from_json(member) for name, member in value.items()}
        case list():
            return [from_json(item) for item in value]
        case _:
            return value


def to_json(value):
    """The same the other way round. Raises TypeError for what JSON cannot say."""
    return json.dumps(value, default=_plain, allow_nan=False)


def _plain(value):
    match value:
        case Media():
            return {"media_type": value.media_type, "data": base64.b64encode(value.data).decode()}
        case set() | frozenset():
            return sorted(value, key=repr)
    raise TypeError(f"{type(value).__name__} is nothing that a tool can be given")
