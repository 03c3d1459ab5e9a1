"""The module `ssl` for clients of HTTP: connections of TLS are the host's.

The host checks each certificate against the system's authorities, whatever a context says. What a
context is given of certificates and keys is not used.
"""

import collections
import enum
import socket as _socket

from tool_hub_http import START_OF_TLS, HttpSocket

OPENSSL_VERSION = "OpenSSL 3.0.0 (the TLS of the host stands for it)"
OPENSSL_VERSION_INFO = (3, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0x30000000
HAS_SNI = HAS_ALPN = HAS_TLSv1_2 = HAS_TLSv1_3 = HAS_NEVER_CHECK_COMMON_NAME = True
HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = False
CHANNEL_BINDING_TYPES = []
PEM_HEADER, PEM_FOOTER = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"

DefaultVerifyPaths = collections.namedtuple(
    "DefaultVerifyPaths", "cafile capath openssl_cafile_env openssl_cafile openssl_capath_env openssl_capath"
)


class VerifyMode(enum.IntEnum):
    CERT_NONE = 0
    CERT_OPTIONAL = 1
    CERT_REQUIRED = 2


class TLSVersion(enum.IntEnum):
    MINIMUM_SUPPORTED = -2
    SSLv3 = 768
    TLSv1 = 769
    TLSv1_1 = 770
    TLSv1_2 = 771
    TLSv1_3 = 772
    MAXIMUM_SUPPORTED = -1


class Purpose(enum.Enum):
    SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
    CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"


class VerifyFlags(enum.IntFlag):
    VERIFY_DEFAULT = 0
    VERIFY_CRL_CHECK_LEAF = 4
    VERIFY_CRL_CHECK_CHAIN = 12
    VERIFY_X509_STRICT = 32
    VERIFY_X509_TRUSTED_FIRST = 32768
    VERIFY_X509_PARTIAL_CHAIN = 524288


class Options(enum.IntFlag):
    OP_ALL = 0x80000050
    OP_NO_SSLv2 = 0
    OP_NO_SSLv3 = 1 << 25
    OP_NO_TLSv1 = 1 << 26
    OP_NO_TLSv1_1 = 1 << 28
    OP_NO_TLSv1_2 = 1 << 27
    OP_NO_TLSv1_3 = 1 << 29
    OP_NO_COMPRESSION = 1 << 17
    OP_NO_TICKET = 1 << 14
    OP_NO_RENEGOTIATION = 1 << 30
    OP_SINGLE_DH_USE = 0
    OP_SINGLE_ECDH_USE = 0
    OP_CIPHER_SERVER_PREFERENCE = 1 << 22
    OP_IGNORE_UNEXPECTED_EOF = 1 << 7


for _group in (VerifyMode, VerifyFlags, Options):
    globals().update(_group.__members__)
PROTOCOL_TLS, PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER, PROTOCOL_SSLv23 = 2, 16, 17, 2


class SSLError(OSError):
    """A failure of TLS."""

    library = reason = None


class SSLZeroReturnError(SSLError):
    """The other side has closed the connection."""


class SSLWantReadError(SSLError):
    """More has to be received first."""


class SSLWantWriteError(SSLError):
    """More has to be sent first."""


class SSLSyscallError(SSLError):
    """A failure of the system."""


class SSLEOFError(SSLError):
    """The connection has ended before its end was said."""


class SSLCertVerificationError(SSLError, ValueError):
    """A certificate that is not valid."""


CertificateError = SSLCertVerificationError


class _Connection:
    """What a connection of TLS tells of itself. The host keeps the rest."""

    server_hostname = None
    session = None
    session_reused = False
    server_side = False

    def getpeercert(self, binary_form=False):
        return b"" if binary_form else {}

    def selected_alpn_protocol(self):
        return "http/1.1"

    def selected_npn_protocol(self):
        return None

    def version(self):
        return "TLSv1.3"

    def cipher(self):
        return ("TLS_AES_128_GCM_SHA256", "TLSv1.3", 128)

    def shared_ciphers(self):
        return None

    def compression(self):
        return None

    def get_channel_binding(self, cb_type="tls-unique"):
        return None


class SSLSocket(_Connection, HttpSocket):
    """A socket whose connection is one of TLS."""

    context = None

    @property
    def _sslobj(self):
        return self

    def connect(self, address):
        super().connect(address)
        self.exchange.is_tls = True

    def do_handshake(self, block=False):
        pass

    def pending(self):
        return 0

    def read(self, size=1024, buffer=None):
        return self.recv(size) if buffer is None else self.recv_into(buffer, size)

    def write(self, data):
        return self.send(data)

    def unwrap(self):
        return self


class MemoryBIO:
    """Bytes that are written at one end and read at the other."""

    def __init__(self):
        self._held, self._is_ended = bytearray(), False

    @property
    def pending(self):
        return len(self._held)

    @property
    def eof(self):
        return self._is_ended and not self._held

    def read(self, size=-1):
        size = len(self._held) if size < 0 else size
        data = bytes(self._held[:size])
        del self._held[:size]
        return data

    def write(self, data):
        self._held += data
        return len(data)

    def write_eof(self):
        self._is_ended = True


class SSLObject(_Connection):
    """A connection of TLS over two `MemoryBIO`, for event loops."""

    def __init__(self, context, incoming, outgoing, server_hostname):
        self.context, self.server_hostname = context, server_hostname
        self._incoming, self._outgoing = incoming, outgoing

    def do_handshake(self):
        self._outgoing.write(START_OF_TLS)

    def read(self, size=1024, buffer=None):
        data = self._incoming.read(size if buffer is None else len(buffer))
        if not data and not self._incoming.eof:
            raise SSLWantReadError("more has to be received first")
        if buffer is None:
            return data
        buffer[: len(data)] = data
        return len(data)

    def write(self, data):
        return self._outgoing.write(data)

    def pending(self):
        return self._incoming.pending

    def unwrap(self):
        pass


class SSLContext:
    """The settings of connections. They are kept and shown, and the host's own hold."""

    sslsocket_class, sslobject_class = SSLSocket, SSLObject
    keylog_filename = None
    post_handshake_auth = None
    hostname_checks_common_name = False
    sni_callback = None

    def __init__(self, protocol=PROTOCOL_TLS_CLIENT):
        self.protocol = protocol
        self.options = Options.OP_ALL
        self.verify_flags = VerifyFlags.VERIFY_DEFAULT
        self.minimum_version, self.maximum_version = TLSVersion.TLSv1_2, TLSVersion.MAXIMUM_SUPPORTED
        self.check_hostname = protocol == PROTOCOL_TLS_CLIENT
        self.verify_mode = VerifyMode.CERT_REQUIRED if self.check_hostname else VerifyMode.CERT_NONE

    def _set(self, *_, **__):
        pass

    set_ciphers = set_alpn_protocols = set_npn_protocols = set_ecdh_curve = load_dh_params = _set
    load_verify_locations = load_default_certs = set_default_verify_paths = load_cert_chain = _set

    def get_ciphers(self):
        return []

    def get_ca_certs(self, binary_form=False):
        return []

    def cert_store_stats(self):
        return {"x509": 0, "crl": 0, "x509_ca": 0}

    def session_stats(self):
        return {}

    def wrap_socket(
        self, sock, server_side=False, do_handshake_on_connect=True, suppress_ragged_eofs=True,
        server_hostname=None, session=None,
    ):  # fmt: skip
        if server_side or not isinstance(sock, HttpSocket):
            raise SSLError("a tool can be a client of HTTP, and nothing else")
        made = SSLSocket()
        made.exchange, made.context, made.server_hostname = sock.exchange, self, server_hostname
        made.settimeout(sock.gettimeout())
        if made.exchange is not None:
            made.exchange.is_tls = True
        return made

    def wrap_bio(self, incoming, outgoing, server_side=False, server_hostname=None, session=None):
        return SSLObject(self, incoming, outgoing, server_hostname)


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    return SSLContext(PROTOCOL_TLS_CLIENT)


def _create_unverified_context(*_, **__):
    context = SSLContext(PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, VerifyMode.CERT_NONE
    return context


_create_default_https_context = create_default_context


def get_default_verify_paths():
    return DefaultVerifyPaths(None, None, "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")


def RAND_bytes(size):
    import os

    return os.urandom(size)


def RAND_status():
    return True


socket_error = OSError
SOCK_STREAM = _socket.SOCK_STREAM
