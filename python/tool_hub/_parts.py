"""The parts of an answer that are more than text: images, audio, links and resources."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from tool_hub._fork import importing

if TYPE_CHECKING:
    import PIL.Image


@dataclass(frozen=True)
class Image:
    """A picture as a file would hold it.

    >>> picture = Image(b"\\x89PNG", "image/png")
    >>> picture
    Image(4 bytes of image/png)
    """

    data: bytes
    media_type: str

    def pil(self) -> PIL.Image.Image:
        """The picture for Pillow, which has to be installed."""
        with importing:
            import PIL.Image

        return PIL.Image.open(io.BytesIO(self.data))

    def _repr_mimebundle_(self, **_: object) -> dict[str, bytes]:
        return {self.media_type: self.data}

    def __repr__(self) -> str:
        return f"Image({len(self.data)} bytes of {self.media_type})"


@dataclass(frozen=True)
class Audio:
    """A sound as a file would hold it."""

    data: bytes
    media_type: str

    def __repr__(self) -> str:
        return f"Audio({len(self.data)} bytes of {self.media_type})"


@dataclass(frozen=True)
class Link:
    """Points at a resource. Nothing is fetched."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    media_type: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class Resource:
    """A resource that is carried whole, as ``text`` or as ``data``."""

    uri: str
    media_type: str | None = None
    text: str | None = None
    data: bytes | None = None


Part = Union[str, Image, Audio, Link, Resource]


def parts(plain: list[tuple[Any, ...]]) -> list[Part]:
    """The parts that the native half describes."""
    return [_part(*part) for part in plain]


def _part(kind: str, *fields: Any) -> Part:
    if kind == "text":
        return str(fields[0])
    if kind == "image":
        return Image(fields[1], fields[0])
    if kind == "audio":
        return Audio(fields[1], fields[0])
    if kind == "link":
        return Link(*fields)
    uri, media_type, contents = fields
    if isinstance(contents, str):
        return Resource(uri, media_type, text=contents)
    return Resource(uri, media_type, data=contents)
