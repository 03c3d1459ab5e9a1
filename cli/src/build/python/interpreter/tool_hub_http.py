"""Sockets whose other end speaks HTTP, for a sandbox that has none.

What a client writes becomes a request of `wasi:http`, and what it reads is the response. So
`http.client` works, and the clients that are built on sockets. The host makes the connection, and
checks the certificates of `https`.

Each connection takes one request: the response says that the connection is closed then.
"""

import io
import re
import select
import socket
from http import HTTPStatus

from componentize_py_types import Err, Ok
from wit_world.imports import monotonic_clock, poll, wasi_http_types as wasi
from wit_world.imports.outgoing_handler import handle
from wit_world.imports.streams import StreamError_Closed

# What a client writes in place of a TLS handshake, where it has no socket to say it to.
START_OF_TLS = b"\x16tool-hub: TLS\n"
HEAD_BYTES_MAX = 1 << 20
# WASI takes no more at once.
WRITTEN_BYTES_MAX = 4096
# Fields that are about the connection, which is the host's.
FIELDS_OF_CONNECTIONS = {
    "connection", "expect", "host", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
}
METHODS = {
    "GET": wasi.Method_Get, "HEAD": wasi.Method_Head, "POST": wasi.Method_Post, "PUT": wasi.Method_Put,
    "DELETE": wasi.Method_Delete, "OPTIONS": wasi.Method_Options, "PATCH": wasi.Method_Patch,
    "TRACE": wasi.Method_Trace,
}  # fmt: skip
REASONS = {status.value: status.phrase for status in HTTPStatus}
TIMEOUTS = (
    wasi.ErrorCode_ConnectionTimeout, wasi.ErrorCode_ConnectionReadTimeout, wasi.ErrorCode_ConnectionWriteTimeout,
    wasi.ErrorCode_HttpResponseTimeout, wasi.ErrorCode_DnsTimeout,
)  # fmt: skip
FAILURES_OF_TLS = (
    wasi.ErrorCode_TlsCertificateError, wasi.ErrorCode_TlsProtocolError, wasi.ErrorCode_TlsAlertReceived,
)  # fmt: skip


class Exchange:
    """A request that is written, and its response, to be read as the bytes of HTTP/1.1."""

    # Why a request failed, the last that did.
    failure = None

    def __init__(self, host, port):
        self.host, self.port = host if host.isascii() else host.encode("idna").decode(), port
        self.is_tls = False
        self._head = bytearray()
        # The body of the request, and the bytes that are missing of it; `None` where it is chunked.
        self._body, self._writing, self._missing, self._chunk = None, None, 0, bytearray()
        # The response: a future, then the head's bytes and the stream of its body.
        self._coming, self._response, self._incoming, self._reading = None, None, None, None
        self._received = b""
        self._ready = None
        self.is_at_end = False

    @property
    def origin(self):
        host = f"[{self.host}]" if ":" in self.host else self.host
        standard = self.port == (443 if self.is_tls else 80)
        return f"{'https' if self.is_tls else 'http'}://{host}{'' if standard else f':{self.port}'}"

    @property
    def is_asked(self):
        """Whether the head of the request was written, so that a response will come."""
        return self._coming is not None or self._response is not None

    def write(self, data):
        """Takes bytes of the request."""
        if self.is_asked:
            self._write_body(bytes(data))
            return
        self._head += data
        if self._head.startswith(START_OF_TLS):
            self.is_tls = True
            del self._head[: len(START_OF_TLS)]
        head, end, rest = self._head.partition(b"\r\n\r\n")
        if end:
            self._head.clear()
            self._ask(head.decode("latin-1"))
            self._write_body(bytes(rest))
        elif len(self._head) > HEAD_BYTES_MAX:
            raise OSError(f"the head of a request is longer than {HEAD_BYTES_MAX} bytes")

    def _ask(self, head):
        line, *lines = head.split("\r\n")
        method, _, rest = line.partition(" ")
        target, _, version = rest.rpartition(" ")
        if not version.startswith("HTTP/1."):
            raise OSError("a tool has no sockets: it can make requests of HTTP/1.1, and nothing else")
        if not target.startswith("/"):
            raise OSError("a tool cannot use a proxy of its own: the host has one where it needs it")
        fields = [(name.strip().lower(), value.strip()) for name, _, value in (field.partition(":") for field in lines)]
        found = dict(fields)
        is_chunked = "chunked" in found.get("transfer-encoding", "").lower()
        self._missing = None if is_chunked else int(found.get("content-length") or 0)
        left_out = FIELDS_OF_CONNECTIONS | ({"content-length"} if is_chunked else set())
        kept = [(name, value.encode("latin-1")) for name, value in fields if name not in left_out]
        try:
            request = wasi.OutgoingRequest(wasi.Fields.from_list(kept))
            request.set_method(METHODS[method]() if method in METHODS else wasi.Method_Other(method))
            request.set_scheme(wasi.Scheme_Https() if self.is_tls else wasi.Scheme_Http())
            request.set_authority(self.origin.partition("://")[2])
            request.set_path_with_query(target)
        except Err:
            raise OSError(f"the request to {self.origin} has a method, path or header that is not valid") from None
        self._body = request.body()
        try:
            self._coming = handle(request, None)
        except Err as error:
            raise self._failure(error.value) from None
        if self._missing != 0:
            self._writing = self._body.write()
        else:
            self._finish_body()

    def _write_body(self, data):
        if self._body is None:
            return
        if self._missing is not None:
            self._send(data[: self._missing])
            self._missing -= min(len(data), self._missing)
            if self._missing == 0:
                self._finish_body()
            return
        self._chunk += data
        while self._body is not None:
            size, end, rest = self._chunk.partition(b"\r\n")
            if not end:
                return
            length = int(size.partition(b";")[0], 16)
            if length == 0:
                if rest.endswith(b"\r\n"):
                    self._finish_body()
                return
            if len(rest) < length + 2:
                return
            self._send(bytes(rest[:length]))
            del self._chunk[: len(size) + 2 + length + 2]

    def _send(self, data):
        try:
            for start in range(0, len(data), WRITTEN_BYTES_MAX):
                self._writing.blocking_write_and_flush(data[start : start + WRITTEN_BYTES_MAX])
        except Err:
            pass  # The response says why the body was not taken.

    def _finish_body(self):
        if self._writing is not None:
            self._writing.__exit__(None, None, None)
        body, self._body, self._writing = self._body, None, None
        try:
            wasi.OutgoingBody.finish(body, None)
        except Err:
            pass  # The response says so too.

    def read(self, size):
        """Bytes of the response: none at its end, `None` where one has to wait."""
        if self._coming is not None and not self._take_response():
            return None
        if self._received:
            data, self._received = self._received[:size], self._received[size:]
            return data
        if self._reading is None:
            return b""
        self._stop_waiting()
        try:
            return self._reading.read(size) or None
        except Err as error:
            if not isinstance(error.value, StreamError_Closed):
                raise ConnectionResetError(f"the response of {self.origin} broke off") from None
        self._drop("_reading", "_incoming", "_response")
        return b""

    def ready(self):
        """What to poll until there is something to read; `None` where there is already."""
        if self._ready is None:
            source = self._coming if self._coming is not None else self._reading
            if source is None or self._received:
                return None
            self._ready = source.subscribe()
        return self._ready

    def _take_response(self):
        answer = self._coming.get()
        if answer is None:
            return False
        self._drop("_ready", "_coming")
        while isinstance(answer, Ok):
            answer = answer.value
        if isinstance(answer, Err):
            raise self._failure(answer.value)
        self._response = answer
        with answer.headers() as fields:
            entries = fields.entries()
        status = answer.status()
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, '')}".encode()]
        lines += [name.encode("latin-1") + b": " + value for name, value in entries if name not in FIELDS_OF_CONNECTIONS]
        self._received = b"\r\n".join([*lines, b"connection: close", b"", b""])
        self._incoming = answer.consume()
        self._reading = self._incoming.stream()
        return True

    def _failure(self, code):
        Exchange.failure = self._error(code)
        return Exchange.failure

    def _error(self, code):
        if isinstance(code, wasi.ErrorCode_HttpRequestDenied):
            return PermissionError(f"the tool was not granted {self.origin}")
        name = type(code).__name__.removeprefix("ErrorCode_")
        said = f"{self.origin} cannot be reached ({name})"
        if isinstance(code, FAILURES_OF_TLS):
            import ssl  # It imports this module.

            return ssl.SSLCertVerificationError(said)
        if isinstance(code, TIMEOUTS):
            return TimeoutError(said)
        if isinstance(code, wasi.ErrorCode_ConnectionRefused):
            return ConnectionRefusedError(said)
        if isinstance(code, (wasi.ErrorCode_DnsError, wasi.ErrorCode_DestinationNotFound)):
            return socket.gaierror(said)
        return ConnectionError(said)

    def _stop_waiting(self):
        self._drop("_ready")

    def _drop(self, *names):
        for name in names:
            held = getattr(self, name)
            setattr(self, name, None)
            if held is not None:
                held.__exit__(None, None, None)

    def close(self):
        # The host takes a thing back only after those that were made of it.
        self._drop("_ready", "_reading", "_incoming", "_response", "_writing", "_body", "_coming")
        self._received = b""

    def __del__(self):
        self.close()


def wait(ready, seconds=None):
    """Waits for one of the pollables `ready`, at most `seconds`; the indices of those that are."""
    timer = None if seconds is None else monotonic_clock.subscribe_duration(max(0, int(seconds * 1e9)))
    try:
        found = poll.poll([*ready, *([] if timer is None else [timer])])
    finally:
        if timer is not None:
            timer.__exit__(None, None, None)
    return [index for index in found if index < len(ready)]


class HttpSocket:
    """A socket of TCP whose other end speaks HTTP."""

    # Why a tool connects to nothing, where it does not.
    refusal = None

    def __init__(self, family=socket.AF_INET, type=socket.SOCK_STREAM, proto=0, fileno=None):
        if family not in (-1, socket.AF_INET, socket.AF_INET6) or type not in (-1, socket.SOCK_STREAM) or fileno is not None:
            raise OSError("a tool has no sockets: it can make requests of HTTP, and nothing else")
        self.family, self.type, self.proto = socket.AF_INET, socket.SOCK_STREAM, 0
        self.exchange = None
        self._timeout = socket.getdefaulttimeout()
        # As `socket.SocketIO` wants it: the socket is closed after the files that were made of it.
        self._io_refs, self._closed = 0, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def connect(self, address):
        if self.refusal is not None:
            raise PermissionError(self.refusal)
        self.exchange = Exchange(*address[:2])

    def connect_ex(self, address):
        self.connect(address)
        return 0

    def _open(self):
        if self.exchange is None or self._closed and not self._io_refs:
            raise OSError("the socket is not connected")
        return self.exchange

    def send(self, data, flags=0):
        self.sendall(data, flags)
        return len(data)

    def sendall(self, data, flags=0):
        self._open().write(data)

    def recv(self, size, flags=0):
        exchange = self._open()
        while (data := exchange.read(size)) is None:
            if not wait([exchange.ready()], self._timeout):
                raise BlockingIOError("nothing was received yet") if self._timeout == 0 else TimeoutError("timed out")
        return data

    def recv_into(self, buffer, size=0, flags=0):
        data = self.recv(size or len(buffer), flags)
        memoryview(buffer)[: len(data)] = data
        return len(data)

    def makefile(self, mode="r", buffering=None, *, encoding=None, errors=None, newline=None):
        raw = socket.SocketIO(self, "".join(letter for letter in mode if letter in "rw"))
        self._io_refs += 1
        if buffering == 0:
            return raw
        size = io.DEFAULT_BUFFER_SIZE if buffering is None or buffering < 0 else buffering
        kinds = {"r": io.BufferedReader, "w": io.BufferedWriter}
        file = kinds[raw.mode[0]](raw, size) if len(raw.mode) < 3 else io.BufferedRWPair(raw, raw, size)
        return file if "b" in mode else io.TextIOWrapper(file, encoding, errors, newline)

    def _decref_socketios(self):
        self._io_refs = max(0, self._io_refs - 1)
        if self._closed:
            self.close()

    def close(self):
        self._closed = True
        if not self._io_refs and self.exchange is not None:
            self.exchange.close()

    def detach(self):
        return -1

    def shutdown(self, how):
        pass

    def fileno(self):
        return -1

    def gettimeout(self):
        return self._timeout

    def settimeout(self, seconds):
        self._timeout = seconds

    def setblocking(self, is_blocking):
        self._timeout = None if is_blocking else 0

    def getblocking(self):
        return self._timeout != 0

    def setsockopt(self, *_):
        pass

    def getsockopt(self, *_):
        return 0

    def bind(self, address):
        pass

    def getsockname(self):
        return ("0.0.0.0", 0)

    def getpeername(self):
        exchange = self._open()
        return (exchange.host, exchange.port)


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    """The name itself: the host looks it up, when the request is made."""
    name = host.decode() if isinstance(host, bytes) else host or "localhost"
    if not re.fullmatch(r"[\w.:%-]+", name):
        # No name has such characters, so nobody need be asked.
        raise socket.gaierror(-2, "Name or service not known")
    number = {"http": 80, "https": 443}.get(port) or int(port or 0)
    is_new = ":" in name
    place = (name, number, 0, 0) if is_new else (name, number)
    return [(socket.AF_INET6 if is_new else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place)]


def create_connection(address, timeout=socket._GLOBAL_DEFAULT_TIMEOUT, source_address=None, *, all_errors=False):
    """A socket that is connected to the address."""
    made = HttpSocket()
    if timeout is not socket._GLOBAL_DEFAULT_TIMEOUT:
        made.settimeout(timeout)
    made.connect(address)
    return made


def select_sockets(reading, writing, failing, timeout=None):
    """`select.select` for sockets of HTTP. Nothing comes on a connection that nobody asked."""
    if writing:
        return [], list(writing), []
    asked = [it for it in reading if it.exchange is not None and it.exchange.is_asked]
    ready = [it.exchange.ready() for it in asked]
    if None in ready:
        return [it for it, pollable in zip(asked, ready) if pollable is None], [], []
    return [asked[index] for index in wait(ready, timeout)] if ready else [], [], []


class Poll:
    """`select.poll` for sockets of HTTP."""

    def __init__(self):
        self._registered = {}

    def register(self, file, events=0):
        self._registered[file] = events

    def unregister(self, file):
        self._registered.pop(file, None)

    def poll(self, timeout=None):
        writing = [(it, select.POLLOUT) for it, events in self._registered.items() if events & select.POLLOUT]
        if writing:
            return writing
        found, _, _ = select_sockets(list(self._registered), [], [], None if timeout is None else timeout / 1000)
        return [(it, select.POLLIN) for it in found]


def install():
    """Puts these sockets into the place of those that are not there."""
    socket.socket = socket.SocketType = HttpSocket
    socket.getaddrinfo = getaddrinfo
    socket.create_connection = create_connection
    socket.has_ipv6 = False
    select.poll = Poll
    select.select = select_sockets
