"""Tests that the picture which one call of a tool returns can be the argument of the next."""

import tool_hub


def test_a_picture_that_a_tool_gave_can_be_given_to_another(approved):
    """The picture of one call is the argument of the next."""
    import io

    import PIL.Image

    file = io.BytesIO()
    PIL.Image.new("RGB", (64, 32)).save(file, format="PNG")
    shrink = approved("thumbnail")["thumbnail__shrink"]
    small = shrink(picture=tool_hub.Image(file.getvalue(), "image/png"), longest_side=32)
    assert small.pil().size == (32, 16)
    assert shrink(picture=small, longest_side=8).pil().size == (8, 4)
