"""The event loop of `asyncio` in a sandbox: it waits for responses of HTTP and for the clock."""

import asyncio
import asyncio.events

from tool_hub_http import START_OF_TLS, Exchange, HttpSocket, getaddrinfo, wait

READ_BYTES = 65536


class Transport(asyncio.Transport):
    """A connection that takes a request of HTTP, and gives its response to a protocol."""

    def __init__(self, loop, protocol, address):
        self._loop, self._protocol = loop, protocol
        self._socket = HttpSocket()
        self._socket.connect(address)
        self._is_paused = self._is_closing = False
        super().__init__({"socket": self._socket, "peername": address, "sockname": ("0.0.0.0", 0)})

    @property
    def exchange(self):
        return self._socket.exchange

    def start_tls(self, context, hostname):
        self.exchange.write(START_OF_TLS)
        self._extra["sslcontext"] = context
        self._extra["ssl_object"] = context.wrap_bio(None, None, server_hostname=hostname)

    def get_protocol(self):
        return self._protocol

    def set_protocol(self, protocol):
        self._protocol = protocol

    def write(self, data):
        if self._is_closing:
            return
        try:
            self.exchange.write(data)
        except OSError as error:
            self._lose(error)
            return
        self._wait()

    def _wait(self):
        if self.exchange.is_asked and not self._is_paused and not self._is_closing:
            self._loop.waiting[self] = True

    def receive(self):
        """Gives the protocol what was received. The event loop calls it when there is something."""
        try:
            data = self.exchange.read(READ_BYTES)
        except OSError as error:
            self._lose(error)
            return
        if data:
            try:
                self._protocol.data_received(data)
            except Exception as error:
                self._loop.call_exception_handler({"message": "a protocol failed", "exception": error})
                self._lose(error)
        elif data is not None:
            self._loop.waiting.pop(self, None)
            self._protocol.eof_received()
            self._lose(None)

    def _lose(self, error):
        if not self._is_closing:
            self._is_closing = True
            self._loop.waiting.pop(self, None)
            self._loop.call_soon(self._protocol.connection_lost, error)
            self.exchange.close()

    def pause_reading(self):
        self._is_paused = True
        self._loop.waiting.pop(self, None)

    def resume_reading(self):
        self._is_paused = False
        self._wait()

    def is_reading(self):
        return not self._is_paused and not self._is_closing

    def is_closing(self):
        return self._is_closing

    def close(self):
        self._lose(None)

    abort = close

    def can_write_eof(self):
        return False

    def get_write_buffer_size(self):
        return 0

    def set_write_buffer_limits(self, high=None, low=None):
        pass


class Selector:
    """What `BaseEventLoop` waits with."""

    def __init__(self, loop):
        self._loop = loop

    def select(self, timeout):
        waiting = list(self._loop.waiting)
        ready = [transport.exchange.ready() for transport in waiting]
        if None in ready:
            return [transport for transport, it in zip(waiting, ready) if it is None]
        if not ready and timeout is None:
            raise RuntimeError("the function waits for something that never comes in a sandbox")
        if not ready and timeout <= 0:
            return []
        return [waiting[index] for index in wait(ready, timeout)]


class EventLoop(asyncio.BaseEventLoop):
    """An event loop of one thread, in which only requests of HTTP are made."""

    def __init__(self):
        super().__init__()
        # The transports that wait for a response, in the order in which they came.
        self.waiting = {}
        self._selector = Selector(self)

    def _process_events(self, ready):
        for transport in ready:
            transport.receive()

    def _write_to_self(self):
        pass  # There is no other thread that could wake it.

    async def getaddrinfo(self, host, port, *, family=0, type=0, proto=0, flags=0):
        return getaddrinfo(host, port, family, type, proto, flags)

    async def create_connection(
        self, protocol_factory, host=None, port=None, *, ssl=None, server_hostname=None, sock=None, **_
    ):
        if sock is not None or host is None:
            raise OSError("a tool has no sockets: it can make requests of HTTP, and nothing else")
        protocol = protocol_factory()
        transport = Transport(self, protocol, (host, port))
        if ssl:
            transport.start_tls(self._context(ssl), server_hostname or host)
        protocol.connection_made(transport)
        return transport, protocol

    async def start_tls(self, transport, protocol, sslcontext, *, server_hostname=None, **_):
        transport.set_protocol(protocol)
        transport.start_tls(self._context(sslcontext), server_hostname)
        return transport

    def _context(self, given):
        import ssl

        return given if isinstance(given, ssl.SSLContext) else ssl.create_default_context()

    def run_in_executor(self, executor, func, *args):
        """Calls the function at once: there are no threads."""
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    """Makes event loops of this kind."""

    _loop_factory = EventLoop


def install():
    """Makes this the event loop of `asyncio.run`."""
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.new_event_loop = asyncio.events.new_event_loop


