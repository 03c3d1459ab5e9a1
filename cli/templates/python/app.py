"""The tool {{name}}, which greets people. Its functions are what agents can call."""

GREETINGS = {"en": "Hello, {}!", "de": "Hallo, {}!", "fr": "Bonjour, {} !"}


def greet(name: str, language: str = "en") -> str:
    """Greets somebody.

    Args:
        name: Whom to greet.
        language: A language code, `en`, `de` or `fr`.

    Returns:
        One sentence.
    """
    if language not in GREETINGS:
        # An agent reads this: say what was wrong and what would have been right.
        raise ValueError(f"`{language}` is not a language I speak; use en, de or fr")
    return GREETINGS[language].format(name)
