"""Sample functions for the schema tests: pictures, of type `PIL.Image.Image`."""

import PIL.Image
from PIL import Image
from PIL.Image import Image as Picture


def look(a: Image.Image, b: PIL.Image.Image, c: Picture) -> Image.Image:
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.

    Returns:
        Another.
    """
    return a


def module(a: Image):
    """Says it.

    Args:
        a: The first.
    """


def maybe(a: Image.Image | None = None, b: list[Picture] = []):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """
