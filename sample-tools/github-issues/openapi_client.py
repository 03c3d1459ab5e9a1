"""Makes requests of an API, and writes its answers for agents. They are data, never instructions.

The host puts credentials into the requests, as tool.toml asks for them: nothing here has or sees them.
"""

import enum
import json
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from time import time
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qsl, quote, urljoin, urlsplit
from urllib.request import Request, urlopen

from componentize_py_types import Err
from wit_world.imports.tool_hub_tool_types import (
    Content, ContentBody_Audio, ContentBody_Image, ContentBody_Resource, ContentBody_Text, EmbeddedResource, Failure,
    FailureKind, Audio, Image, Reply, ResourceContents_Blob,
)

ANSWER_BYTES_MAX = 16 << 20
SAID_CHARACTERS_MAX = 1000

# A value that is sent as null; what is None is left out.
NULL = object()

# Members of an answer that hold the place of the next page, and arguments that take it.
CURSORS = (
    "next_page_token", "nextPageToken", "next_cursor", "nextCursor", "next_token", "nextToken", "next_page", "nextPage",
    "end_cursor", "endCursor", "continuation_token", "continuationToken", "next",
)
PLACES = (
    "page_token", "pageToken", "cursor", "next_token", "nextToken", "start_cursor", "startCursor", "page", "after",
    "starting_after", "continuation_token", "continuationToken", "offset", "start", "from",
)
# Members of an answer that may hold those members.
HOLDERS = ("meta", "metadata", "pagination", "paging", "page_info", "pageInfo", "response_metadata", "links", "_links")
# Members that say whether there is a next page at all.
MORE = ("has_more", "hasMore", "has_next_page", "hasNextPage", "has_next", "hasNext")


def call(method, url, *, path={}, query={}, headers={}, cookies={}, names={}, accept="application/json", **body):
    """Makes a request, and returns its answer or fails as an agent can read it.

    `body` is one of `json`, `form`, `text` or `data`, with its `media_type`. `names` has the arguments
    that are called otherwise than by the API.
    """
    for name, value in path.items():
        url = url.replace("{" + name + "}", segment(value, names.get(name, name)))
    asked = [pair for name, value in query.items() for pair in pairs(name, value)]
    if asked:
        url += ("&" if "?" in url else "?") + "&".join(f"{name}={value}" for name, value in asked)
    sent = {"Accept": accept, "User-Agent": "tool-hub"}
    for name, value in headers.items():
        if value is not None:
            sent[name] = header(value, names.get(name, name))
    jar = [f"{name}={value}" for given, cookie in cookies.items() for name, value in pairs(given, cookie)]
    if jar:
        sent["Cookie"] = "; ".join(jar)
    data = written(sent, **body)
    known = {wire: names.get(wire, wire) for wire in (*path, *query, *headers, *members(body))}
    status, found, content = answer(Request(url, data, sent, method=method), known)
    following = next_page(content, found, url, {wire: known[wire] for wire in (*query, *members(body))})
    return reply(method, url, status, found, content, following)


def written(sent, json=None, form=None, text=None, data=None, media_type=None):
    """The bytes of a body, whose media type goes into the headers that are `sent`."""
    if json is not None:
        body = as_json(None if json is NULL else compact(json)).encode()
    elif form is not None:
        fields = [pair for name, value in form.items() for pair in pairs(name, value)]
        body = "&".join(f"{name}={value}" for name, value in fields).encode()
    elif text is not None:
        body = text.encode()
    elif data is not None:
        body = bytes(data)
    else:
        return None
    sent["Content-Type"] = media_type
    return body


def members(body):
    """The names of the members of a body."""
    found = body.get("json") or body.get("form")
    return tuple(found) if isinstance(found, dict) else ()


# How arguments are written.


class Encoded(str):
    """A text that is percent-encoded already."""


class Deep:
    """A value whose members are written as `name[member]`."""

    def __init__(self, value):
        self.value = value


def plain(value):
    """A value of an argument as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, enum.Enum):
        return case(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else as_json(compact(value))


def escaped(value):
    return value if isinstance(value, Encoded) else quote(plain(value), safe="")


def items(value):
    """The parts of a value: itself, the items of a list, or the names and values of an object in turn."""
    if isinstance(value, dict):
        return [part for pair in compact(value).items() for part in pair]
    return value if isinstance(value, list) else [value]


def joined(value, separator=","):
    """`a,b`: the items of a list, or names and values of an object."""
    return value if value is None else Encoded(separator.join(map(escaped, items(value))))


def exploded(value, separator=","):
    """`k=v,l=w`: the members of an object, or else the items."""
    if not isinstance(value, dict):
        return joined(value, separator)
    return Encoded(separator.join(f"{escaped(name)}={escaped(it)}" for name, it in compact(value).items()))


def label(value, explode=False):
    return value if value is None else Encoded("." + (exploded(value, ".") if explode else joined(value)))


def matrix(name, value, explode=False):
    if value is None:
        return None
    if explode and isinstance(value, dict):
        return Encoded(";" + exploded(value, ";"))
    return Encoded("".join(f";{name}={escaped(it)}" for it in value) if explode and isinstance(value, list) else f";{name}={joined(value)}")


def as_text(value):
    """JSON text, for a parameter that is written so."""
    return value if value is None else as_json(compact(value))


def pairs(name, value):
    """The names and values that a query or a form has for an argument, percent-encoded."""
    if value is None:
        return
    if value is NULL:
        yield quote(name, safe="[]"), ""
    elif isinstance(value, Deep):
        yield from nested(name, value.value)
    elif isinstance(value, dict):
        for member, it in compact(value).items():
            yield from pairs(member, it)
    elif isinstance(value, list):
        for it in value:
            yield quote(name, safe="[]"), escaped(it)
    else:
        yield quote(name, safe="[]"), escaped(value)


def nested(name, value):
    if isinstance(value, dict):
        for member, it in compact(value).items():
            yield from nested(f"{name}[{member}]", it)
    elif isinstance(value, list):
        for index, it in enumerate(value):
            yield from nested(f"{name}[{index}]", it)
    else:
        yield from pairs(name, value)


def segment(value, argument):
    """A part of a path, which neither leaves its place nor is nothing."""
    text = value if isinstance(value, Encoded) else joined(value)
    if text in ("", ".", ".."):
        raise invalid(f"`{argument}` is {str(text)!r}, which a path cannot have there", argument)
    return text


def header(value, argument):
    text = str(value) if isinstance(value, Encoded) else ",".join(map(plain, items(value)))
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        raise invalid(f"`{argument}` has characters that a header cannot have", argument) from None
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise invalid(f"`{argument}` has control characters, which a header cannot have", argument)
    return text


def case(value):
    """The value of an enumeration as the API writes it."""
    return value if value is None else value.name.lower()


def each(values, convert):
    """A list whose items are converted."""
    return values if values is None else [convert(value) for value in values]


def maybe(value, convert):
    return value if value is None else convert(value)


def nullable(value):
    return NULL if value is None else value


def parsed(text, argument):
    """The value of an argument that is JSON text."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise invalid(f"`{argument}` is not JSON: {error}", argument) from None


def compact(value):
    """A value without the members that are left out."""
    if isinstance(value, dict):
        kept = {name: it for name, it in value.items() if it is not None}
        return {name: None if it is NULL else compact(it) for name, it in kept.items()}
    if isinstance(value, list):
        return [compact(it) for it in value]
    return case(value) if isinstance(value, enum.Enum) else value


def as_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# What comes back.


def answer(request, known):
    """The status, the headers and the content of an answer."""
    try:
        with urlopen(request) as found:
            return found.status, found.headers, read(found)
    except HTTPError as error:
        with error:
            raise refused(error.code, error.headers, read(error), known, request.method) from None
    except (OSError, HTTPException) as error:
        raise unreachable(request, error.reason if isinstance(error, URLError) else error) from None


def read(found):
    content = found.read(ANSWER_BYTES_MAX + 1)
    if len(content) > ANSWER_BYTES_MAX:
        said = f"the API answered with more than {ANSWER_BYTES_MAX} bytes"
        raise fails(FailureKind.LIMIT_REACHED, said, "ask for less at once")
    return content


def reply(method, url, status, headers, content, following):
    """An answer for the agent, with what it may do next."""
    kind = headers.get_content_type()
    if method == "HEAD":
        lines = [f"{name}: {value}" for name, value in headers.items()]
        return Reply([text_content("\n".join(lines))], None, following)
    if not content:
        return Reply([text_content(f"Done (status {status}).")], None, following)
    value = value_of(content, headers)
    if value is not None:
        text = as_json(value[0])
        return Reply([text_content(text)], text, following)
    if kind.startswith("text/") or kind.endswith(("xml", "json", "yaml", "javascript")):
        return Reply([text_content(decoded(content, headers))], None, following)
    if kind.startswith("image/"):
        body = ContentBody_Image(Image(kind, content))
    elif kind.startswith("audio/"):
        body = ContentBody_Audio(Audio(kind, content))
    else:
        body = ContentBody_Resource(EmbeddedResource(url.partition("?")[0], kind, ResourceContents_Blob(content)))
    return Reply([Content(body, None)], None, following)


def text_content(text):
    return Content(ContentBody_Text(text), None)


def value_of(content, headers):
    """The value of JSON in a tuple, or nothing."""
    kind = headers.get_content_type()
    if kind != "application/json" and not kind.endswith("+json"):
        return None
    try:
        return (json.loads(content),)
    except (ValueError, RecursionError):
        return None


def decoded(content, headers):
    try:
        return content.decode(headers.get_content_charset() or "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def next_page(content, headers, url, known):
    """How to get what follows, where the answer says that something does."""
    link = linked(headers)
    if link is None:
        value = value_of(content, headers)
        body = value[0] if value and isinstance(value[0], dict) else {}
        link, cursor = cursor_of(body)
        if link is None:
            return with_cursor(body, cursor, known)
    try:
        asked, following = (parse_qsl(urlsplit(it).query) for it in (url, urljoin(url, link)))
    except ValueError:
        return None
    changed = {known[name]: value for name, value in following if name in known and (name, value) not in asked}
    return more(changed) if changed else None


def linked(headers):
    """The address of the next page in the headers."""
    for part in ",".join(headers.get_all("Link", [])).split(",")[:100]:
        target, *parameters = part.split(";")
        names = [parameter.replace('"', "").replace("'", "").strip().lower() for parameter in parameters]
        if "rel=next" in names:
            return target.strip().removeprefix("<").removesuffix(">")
    return None


def cursor_of(body):
    """The address of the next page in an answer, or the place of it."""
    for holder in (body, *(body.get(name) for name in HOLDERS)):
        if not isinstance(holder, dict) or any(holder.get(name) is False for name in MORE):
            continue
        for name in CURSORS:
            value = holder.get(name)
            if isinstance(value, dict):
                value = value.get("href") or value.get("url") or value.get("cursor")
            if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
                continue
            if isinstance(value, str) and value.startswith(("http://", "https://", "/", "?")):
                return value, None
            return None, (name, value)
    return None, None


def with_cursor(body, cursor, known):
    if cursor is not None:
        name, value = cursor
        own = [place for place in (name, *PLACES) if place in known]
        if own:
            return more({known[own[0]]: value})
    items = body.get("data")
    if body.get("has_more") is True and "starting_after" in known and isinstance(items, list) and items:
        last = items[-1].get("id") if isinstance(items[-1], dict) else None
        return more({known["starting_after"]: last}) if isinstance(last, str) else None
    return None


def more(arguments):
    shown = {name: it if isinstance(it, str) and it.isdecimal() else as_json(it) for name, it in arguments.items()}
    said = ", ".join(f"{name}={value}" for name, value in shown.items())
    return f"There is more: call again with {said} for the next page."


# What fails.


def fails(kind, message, fix=None, argument=None, retryable=False):
    return Err(Failure(kind, message, fix, argument, retryable))


def invalid(message, argument):
    return fails(FailureKind.INVALID_ARGUMENT, message, argument=argument)


def unreachable(request, why):
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(request.full_url))
    if isinstance(why, PermissionError):
        return fails(FailureKind.PERMISSION_DENIED, f"{why}", "ask the user to grant it")
    said = f"{why}"
    if origin not in said:
        said = f"{origin} cannot be reached: {said}"
    return fails(FailureKind.UNAVAILABLE, said, "try again later", retryable=request.method in ("GET", "HEAD", "PUT", "DELETE"))


def refused(status, headers, content, known, method):
    """The failure that an agent is told of when the API refuses a request."""
    value = value_of(content, headers)
    said, wire = message(value[0]) if value else (decoded(content, headers), None)
    if headers.get_content_type() == "text/html":
        said = ""
    text = f"the API answered with status {status}"
    if said.strip():
        text += f": {said.strip()[:SAID_CHARACTERS_MAX]}"
    argument = known.get(wire)
    wait = waits(headers)
    if status == 429 or wait is not None and status in (403, 503):
        fix = "call less often, and again later" if wait is None else f"wait {wait} seconds, then call again"
        return fails(FailureKind.LIMIT_REACHED, text, fix, retryable=True)
    if status == 401:
        fix = "ask the user to check the credential that this tool was granted, and its value"
        return fails(FailureKind.PERMISSION_DENIED, text, fix)
    if status in (402, 403, 407, 451):
        return fails(FailureKind.PERMISSION_DENIED, text, "ask the user whether the credential allows this")
    if status in (404, 410):
        return fails(FailureKind.NOT_FOUND, text, "check the arguments that name what is wanted", argument)
    if status in (409, 412, 423):
        return fails(FailureKind.CONFLICT, text, "read how it is now, then decide again", argument)
    if status >= 500 or status == 408:
        again = method in ("GET", "HEAD", "PUT", "DELETE") and status != 501
        fix = "try again later" if again else "see whether it was done all the same, before trying again"
        return fails(FailureKind.UNAVAILABLE, text, fix, retryable=again)
    return fails(FailureKind.INVALID_ARGUMENT, text, "correct the arguments as the API says", argument)


def waits(headers):
    """The seconds after which the API takes requests again, where it says so."""
    after = headers.get("Retry-After")
    if after is None:
        reset = headers.get("X-RateLimit-Reset", "")
        if headers.get("X-RateLimit-Remaining") != "0" or not reset.isdecimal():
            return None
        seconds = int(reset[:12])
        # Some say the moment, others how long it is until then.
        return max(0, seconds - int(time())) if seconds > 1 << 30 else seconds
    if after.strip().isdecimal():
        return int(after.strip()[:9])
    try:
        return max(0, round(parsedate_to_datetime(after).timestamp() - time()))
    except (TypeError, ValueError, OverflowError):
        return None


def message(value):
    """What an API says of a failure, and its name for the argument that is at fault."""
    if not isinstance(value, dict):
        return as_json(value), None
    error = value.get("error")
    source = {**value, **error} if isinstance(error, dict) else value
    words = [source.get(name) for name in ("title", "message", "detail", "error_description", "error", "msg", "reason")]
    words = [word for word in words if isinstance(word, str)]
    wire = source.get("param") or source.get("field")
    details = next((source[name] for name in ("errors", "detail", "details", "invalid-params") if isinstance(source.get(name), list)), [])
    for detail in details[:10]:
        if isinstance(detail, dict):
            place = detail.get("field") or detail.get("name") or detail.get("param") or detail.get("pointer") or detail.get("loc")
            if isinstance(place, list):
                place = ".".join(map(str, place))
            reason = detail.get("message") or detail.get("msg") or detail.get("reason") or detail.get("detail") or detail.get("code")
            words.append(": ".join(str(part) for part in (place, reason) if part))
            if wire is None and isinstance(place, str):
                wire = place.replace("/", ".").rpartition(".")[2]
        else:
            words.append(plain(detail))
    said = "; ".join(dict.fromkeys(word for word in words if word)) or as_json(value)
    return said, wire if isinstance(wire, str) else None
