"""A tool that greets people."""

from typing import Optional

from componentize_py_types import Err
from wit_world import exports

GREETINGS = {"en": "Hello, {}!", "de": "Hallo, {}!", "fr": "Bonjour, {} !"}


class Functions(exports.Functions):
    def greet(self, name: str, language: Optional[str]) -> str:
        greeting = GREETINGS.get(language or "en")
        if greeting is None:
            # An agent reads this: say what was wrong and what would have been right.
            raise Err(f"`{language}` is not a language I speak; use en, de or fr")
        return greeting.format(name)
