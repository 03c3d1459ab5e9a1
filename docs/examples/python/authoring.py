"""A function of Python that becomes a tool, built and published."""

from tool_hub import tool

WORDS_A_MINUTE = 230


@tool(version="0.2.0")
def reading_time(text: str, rate: int = WORDS_A_MINUTE) -> float:
    """Estimates how long somebody reads a text.

    Args:
        text: The text.
        rate: Words that are read in a minute.

    Returns:
        Minutes.
    """
    return round(len(text.split()) / rate, 1)


def publish():
    package = reading_time.build("reading-time")  # load it, try it in the sandbox
    return package, reading_time.push("ada/reading-time", directory="reading-time")
