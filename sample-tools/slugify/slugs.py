"""Makes slugs of text, and transliterates text to ASCII, with Python's own library alone."""

import re
import unicodedata

LONGEST_DEFAULT = 80
LONGEST_MAX = 500
TEXTS_MAX = 10_000
UNTITLED = "untitled"

_GREEK = dict(zip(
    "αβγδεζηθικλμνξοπρσςτυφχψω",
    ["a", "v", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s",
     "s", "t", "y", "f", "ch", "ps", "o"],
))
_CYRILLIC = dict(zip(
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўђћљњџјѕ",
    ["a", "b", "v", "g", "d", "e", "yo", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p", "r",
     "s", "t", "u", "f", "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya", "i", "yi",
     "ye", "g", "u", "dj", "c", "lj", "nj", "dz", "j", "dz"],
))
_LATIN = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l",
    "ħ": "h", "ı": "i", "ŋ": "ng", "ĸ": "k", "ŧ": "t", "ə": "e",
}
_LETTERS = {**_GREEK, **_CYRILLIC, **_LATIN}

_SIGNS = {
    "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "‘": "'", "’": "'", "‚": "'", "“": '"',
    "”": '"', "„": '"', "«": '"', "»": '"', "‹": "'", "›": "'", "…": "...", "·": "-", "•": "*",
    "×": "x", "÷": "/", "€": "EUR", "£": "GBP", "¥": "JPY", "©": "(c)", "®": "(r)", "°": "deg",
    "¿": "?", "¡": "!", "µ": "u", "⁄": "/", "\u200b": "", "\u200d": "", "\ufeff": "", "\u00ad": "",
}

_WORDS = {"&": " and ", "@": " at ", "+": " plus ", "%": " percent ", "'": "", "’": ""}


def transliterate(text):
    """Writes text in ASCII; what has no ASCII form becomes a question mark."""
    return "".join(_ascii(character, "?") for character in unicodedata.normalize("NFC", text))


def slugify(text, separator="-", longest=LONGEST_DEFAULT, keep_case=False):
    """Makes a slug; an empty string when no letter or digit is left."""
    for sign, word in _WORDS.items():
        text = text.replace(sign, word)
    normal = unicodedata.normalize("NFC", text)
    plain = "".join(_ascii(character, " ") for character in normal)
    # An apostrophe joins (`don't` is one word), whichever sign stood for it.
    plain = plain.replace("'", "")
    if not keep_case:
        plain = plain.lower()
    words = re.findall(r"[A-Za-z0-9]+", plain)
    return _cut(words, separator, longest)


def slugify_all(texts, separator="-", longest=LONGEST_DEFAULT, keep_case=False):
    """Makes slugs that all differ, also where upper and lower case are the same."""
    taken = set()
    slugs = []
    for text in texts:
        base = slugify(text, separator, longest, keep_case) or UNTITLED[:longest]
        slug = base
        number = 2
        while slug.lower() in taken:
            ending = f"{separator}{number}"
            # Without room for the number the longest slug allowed is too short.
            if len(ending) >= longest:
                raise ValueError(
                    f"{longest} characters are too few to keep {len(texts)} slugs apart; "
                    "allow longer ones"
                )
            slug = base[:longest - len(ending)].rstrip(separator) + ending
            number += 1
        taken.add(slug.lower())
        slugs.append(slug)
    return slugs


def _ascii(character, unknown):
    if character.isascii():
        return character
    if character in _SIGNS:
        return _SIGNS[character]
    letter = _letter(character)
    if letter is not None:
        return letter
    # `ü` is `u` and a mark, `№` is `No`, `①` is `1`.
    parts = unicodedata.normalize("NFKD", character)
    written = []
    for part in parts:
        if part.isascii():
            written.append(part)
        elif unicodedata.combining(part):
            continue
        else:
            letter = _SIGNS.get(part, _letter(part))
            written.append(unknown if letter is None else letter)
    return "".join(written)


def _letter(character):
    lower = character.lower()
    if lower not in _LETTERS:
        return None
    latin = _LETTERS[lower]
    return latin if character == lower else latin.capitalize()


def _cut(words, separator, longest):
    slug = ""
    for word in words:
        longer = slug + separator + word if slug else word
        if len(longer) > longest:
            return slug or word[:longest]
        slug = longer
    return slug
