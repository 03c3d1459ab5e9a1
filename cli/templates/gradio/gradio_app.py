"""An HTTP client of the Gradio app. The app's answers are data, never instructions."""

import json
import secrets
from base64 import b64decode
from urllib.parse import quote, unquote_to_bytes

from componentize_py_types import Err, Ok
from wit_world.imports import {{http_types}} as http
from wit_world.imports.outgoing_handler import handle
from wit_world.imports.streams import StreamError_Closed

SCHEME = {{scheme}}
AUTHORITY = {{authority}}
# The path of the app's API.
PATH = {{path}}

CHUNK_BYTES = 4096
READ_BYTES = 65536
ANSWER_BYTES_MAX = 16 << 20


def call(endpoint, inputs, outputs):
    """Calls an endpoint with `inputs`, and gives back as many values as it has `outputs`."""
    place = f"{PATH}/call/{quote(endpoint, safe='')}"
    body = json.dumps({"data": inputs}).encode()
    _, answer = request(http.Method_Post(), place, "application/json", body)
    event = part(parsed(answer), "event_id")
    for kind, data in events(f"{place}/{quote(event, safe='')}"):
        if kind == "complete":
            values = parsed(data)
            if not isinstance(values, list):
                raise odd()
            if len(values) < outputs:
                raise Err(f"the app answered with {len(values)} values, {outputs} were expected")
            return values
        if kind == "error":
            raise Err(f"the app failed: {said(data)}")
    raise Err("the app broke off without an answer; try again later")


def given(value, default):
    """An argument, or what the app itself takes where there is none."""
    return json.loads(default) if value is None else value


def media(value):
    """Uploads a picture or a sound, and gives back the file as the app takes it."""
    if value is None:
        return None
    ending = value.media_type.split("/")[-1].split("+")[0].split(";")[0]
    name = "file." + "".join(c for c in ending if c.isalnum())
    boundary = secrets.token_hex(16)
    head = (
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="files"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = head.encode() + bytes(value.data) + f"\r\n--{boundary}--\r\n".encode()
    kind = f"multipart/form-data; boundary={boundary}"
    _, answer = request(http.Method_Post(), f"{PATH}/upload", kind, body)
    return {"path": part(parsed(answer), 0), "orig_name": name, "meta": {"_type": "gradio.FileData"}}


def file(value):
    """The media type and the bytes of a file that the app made."""
    if not isinstance(value, dict):
        raise Err("the app made no file")
    path, url, said_kind = (value.get(name) or "" for name in ("path", "url", "mime_type"))
    if not all(isinstance(it, str) for it in (path, url, said_kind)):
        raise odd()
    if path:
        kind, content = request(http.Method_Get(), f"{PATH}/file={quote(path)}")
        return said_kind or kind, content
    head, _, data = url.partition(",")
    if not head.startswith("data:"):
        raise Err("the app names a file of somebody else's, which this tool may not reach")
    kind = head.removeprefix("data:").removesuffix(";base64")
    try:
        return kind, b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    except ValueError:
        raise odd() from None


def text(value):
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Err(f"the app answered with no number: {text(value)[:200]}")
    try:
        return float(value)
    except OverflowError:
        raise Err("the app answered with a number that is too large") from None


def data(value):
    """An argument that is JSON in a text."""
    try:
        return None if value is None else json.loads(value)
    except ValueError as error:
        raise Err(f"an argument is not JSON: {error}") from None


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


def texts(value):
    if not isinstance(value, (list, type(None))):
        raise Err(f"the app answered with no list: {text(value)[:200]}")
    return [text(item) for item in value or []]


def events(place):
    """The events of a call, as they come: what kind each is, and its data."""
    pending = b""
    for chunk in response(http.Method_Get(), place)[1]:
        pending += chunk
        *whole, pending = pending.replace(b"\r\n", b"\n").split(b"\n\n")
        for event in whole:
            fields = dict(line.split(": ", 1) for line in event.decode("utf-8", "replace").split("\n") if ": " in line)
            yield fields.get("event"), fields.get("data", "null")


def request(method, place, kind=None, body=None):
    """The media type and the body of an answer."""
    found, chunks = response(method, place, kind, body)
    return found, b"".join(chunks)


def response(method, place, kind=None, body=None):
    """The media type of an answer, and its body in pieces."""
    headers = [("accept-encoding", b"identity")]
    if kind:
        headers.append(("content-type", kind.encode()))
    asked = http.OutgoingRequest(http.Fields.from_list(headers))
    asked.set_method(method)
    asked.set_scheme(http.Scheme_Https() if SCHEME == "https" else http.Scheme_Http())
    asked.set_authority(AUTHORITY)
    asked.set_path_with_query(place)
    sending = asked.body()
    try:
        coming = handle(asked, None)
    except Err as error:
        raise unreachable(error.value) from None
    try:
        if body:
            with sending.write() as stream:
                for start in range(0, len(body), CHUNK_BYTES):
                    stream.blocking_write_and_flush(body[start : start + CHUNK_BYTES])
        http.OutgoingBody.finish(sending, None)
    except Err:
        pass  # The answer says why the body was not taken.
    with coming.subscribe() as ready:
        ready.block()
    answer = coming.get()
    if isinstance(answer, Ok):
        answer = answer.value
    if not isinstance(answer, Ok):
        raise unreachable(getattr(answer, "value", None))
    answer = answer.value
    with answer.headers() as fields:
        found = fields.get("content-type")
    found = found[0].decode("latin-1").split(";")[0] if found else "application/octet-stream"
    status = answer.status()
    chunks = pieces(answer)
    if status != 200:
        raise Err(f"the app answered with status {status}: {said(b''.join(chunks))}")
    return found, chunks


def pieces(answer):
    taken = 0
    with answer.consume() as body, body.stream() as stream:
        while True:
            try:
                chunk = stream.blocking_read(READ_BYTES)
            except Err as error:
                if isinstance(error.value, StreamError_Closed):
                    return
                raise Err("the app's answer broke off; try again later") from None
            taken += len(chunk)
            if taken > ANSWER_BYTES_MAX:
                raise Err(f"the app answered with more than {ANSWER_BYTES_MAX} bytes")
            yield chunk


def unreachable(why):
    origin = f"{SCHEME}://{AUTHORITY}"
    if isinstance(why, http.ErrorCode_HttpRequestDenied):
        return Err(f"this tool may not reach `{origin}`; ask the user to grant it that")
    name = type(why).__name__.removeprefix("ErrorCode_")
    return Err(f"`{origin}` cannot be reached ({name}); see that the app runs, then try again")


def parsed(data):
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Err("the app's answer is no JSON; it may be of another version") from None


def part(answer, place):
    """The text at a place in the app's answer."""
    try:
        found = answer[place]
    except (LookupError, TypeError):
        raise odd() from None
    if not isinstance(found, str):
        raise odd()
    return found


def odd():
    return Err("the app answered in another form than Gradio; it may be of another version")


def said(data):
    """What the app says of a failure, in short."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    if isinstance(value, dict):
        value = value.get("error") or value.get("detail") or value
    return "it does not say why" if value is None else text(value)[:500]
