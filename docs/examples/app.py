"""An example tool: draws a picture, reads one, and fails with advice."""

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports.types import (
    Content, ContentBody_Text, Failure, FailureKind, Image, Reply,
)

FILLS = {"red": "#f00", "blue": "#00f"}


class Dots(exports.Dots):
    def draw(self, colour: str) -> Image:
        if colour not in FILLS:
            raise Err(Failure(
                kind=FailureKind.INVALID_ARGUMENT,
                message=f"`{colour}` is no colour of mine",
                fix="use `red` or `blue`",
                argument="colour",
                retryable=False,
            ))
        text = (
            '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
            f'<circle cx="4" cy="4" r="4" fill="{FILLS[colour]}"/></svg>'
        )
        return Image(media_type="image/svg+xml", data=text.encode())

    def look_at(self, picture: Image) -> Reply:
        count = len(picture.data)
        text = f"{count} bytes of {picture.media_type}"
        return Reply(
            content=[Content(body=ContentBody_Text(text), annotations=None)],
            structured=f'{{"bytes":{count}}}',
            next="Draw another one with `draw`.",
        )
