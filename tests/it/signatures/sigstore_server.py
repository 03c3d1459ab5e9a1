"""A small Sigstore that answers over HTTP: Fulcio v2, Rekor v1 and v2, and a timestamp authority.

Usage: sigstore_server.py ISSUER [LOG_VERSION [clock]]

Prints its URL, and writes what a client has to know into `trust.json`. Certificates are for whom
tokens of ISSUER name, which have to be signed, for `sigstore`, and of this time. What clients send
is verified as the real services do. `POST /set` with {"fault"} has it make one mistake, and
`GET /asked` tells how often it was asked for what.
"""

import base64, hashlib, json, secrets, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

import jwt
from asn1crypto import algos, cms, core, tsp
from asn1crypto import x509 as asn1
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.x509.oid import ExtendedKeyUsageOID

import private_sigstore as private
from private_sigstore import DER, MINUTE, PEM, SHA256, b64, compact, now

ISSUER, LOG_VERSION = sys.argv[1], int((sys.argv[2:] or ["1"])[0])
CA, REGISTRATION, LOG, ROOT = private.sigstore()
KEYS = jwt.PyJWKClient(f"{ISSUER}/keys")
SERVICES = {
    "/api/v2/signingCert": "certificates",
    f"/api/v{LOG_VERSION}/log/entries": "entries",
    "/time": "timestamps",
}
asked = {"certificates": 0, "entries": 0, "timestamps": 0, "elsewhere": 0}
state = {"fault": ""}
lock, bodies = Lock(), [b"another entry"]


class Refused(Exception):
    pass


def clock():
    """The key of a timestamp authority, its certificate and the root of that."""
    root_key, root = private.authority()
    key = private.new_key()
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    issued = x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key())
    certificate = (
        x509.CertificateBuilder(root.subject, private.name("clock"), key.public_key(), 2)
        .not_valid_before(now() - 60 * MINUTE)
        .not_valid_after(now() + 60 * 24 * MINUTE)
        .add_extension(usage, True)
        .add_extension(issued, False)
        .sign(root_key, hashes.SHA256())
    )
    return key, certificate, root


CLOCK = clock() if "clock" in sys.argv else None


def identity(token):
    """The issuer and the name of whom a token is for, if the token is good."""
    try:
        key = KEYS.get_signing_key_from_jwt(token)
        claims = jwt.decode(token, key.key, ["RS256", "ES256"], audience="sigstore", issuer=ISSUER)
    except jwt.PyJWTError as error:
        raise Refused(f"There was an error processing the identity token: {error}") from error
    if "email" in claims:
        return ISSUER, claims["email"]
    return ISSUER, f"https://forge.example/{claims['job_workflow_ref']}"


def certify(request, headers):
    """Fulcio's answer to a request for a certificate."""
    credentials = request.get("credentials", {})
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    issuer, subject = identity(credentials.get("oidcIdentityToken") or bearer)
    wanted = x509.load_pem_x509_csr(base64.b64decode(request["certificateSigningRequest"]))
    if not wanted.is_signature_valid:
        raise Refused("The certificate signing request is not signed by its key")
    fault, ca, root = state["fault"], CA, ROOT
    key = private.new_key() if fault == "another key" else wanted
    if fault == "another authority":
        ca, root = private.authority()
    made = private.certificate(key, subject, issuer, fault, ca, REGISTRATION, root)
    chain = [it.public_bytes(PEM).decode() for it in (made, root)]
    kind = "Detached" if fault == "detached" else "Embedded"
    return {f"signedCertificate{kind}Sct": {"chain": {"certificates": chain}}}


def add(body, kind):
    """Appends an entry, and returns it as bundles have it."""
    with lock:
        bodies.append(body)
        return private.entry(bodies, LOG, state["fault"], kind)


def log_envelope(request):
    """Rekor v1's answer to an envelope and the certificate of its signer."""
    proposed = request["spec"]["proposedContent"]
    envelope = json.loads(proposed["envelope"])
    certificate = x509.load_pem_x509_certificate(base64.b64decode(proposed["verifiers"][0]))
    signature = base64.b64decode(envelope["signatures"][0]["sig"])
    message = private.to_be_signed(envelope)
    certificate.public_key().verify(signature, message, SHA256)
    fault = state["fault"]
    if fault == "another signature":
        other = base64.b64encode(signature[:-1] + bytes([signature[-1] ^ 1])).decode()
        envelope["signatures"][0]["sig"] = other
    text = proposed["envelope"].encode()
    made = add(private.dsse_body(envelope, text, certificate, fault), ("dsse", "0.0.1"))
    proof = made["inclusionProof"]
    unpacked = lambda text: base64.b64decode(text).hex()
    entry = {
        "body": made["canonicalizedBody"],
        "integratedTime": int(made["integratedTime"]),
        "logID": unpacked(made["logId"]["keyId"]),
        "logIndex": int(made["logIndex"]),
        "verification": {
            "inclusionProof": {
                "checkpoint": proof["checkpoint"]["envelope"],
                "hashes": [unpacked(it) for it in proof["hashes"]],
                "logIndex": int(proof["logIndex"]),
                "rootHash": unpacked(proof["rootHash"]),
                "treeSize": int(proof["treeSize"]),
            },
            "signedEntryTimestamp": made["inclusionPromise"]["signedEntryTimestamp"],
        },
    }
    uuid = f"{1:016x}{private.leaf_hash(base64.b64decode(made['canonicalizedBody'])).hex()}"
    entries = {uuid: entry}
    if fault == "two entries":
        entries[f"{2:080x}"] = entry
    return entries


def log_digest(request):
    """Rekor v2's answer to the digest of what was signed."""
    wanted = request["hashedRekordRequestV002"]
    signature = wanted["signature"]
    der = base64.b64decode(signature["verifier"]["x509Certificate"]["rawBytes"])
    key = x509.load_der_x509_certificate(der).public_key()
    digest = base64.b64decode(wanted["digest"])
    prehashed = ec.ECDSA(Prehashed(hashes.SHA256()))
    key.verify(base64.b64decode(signature["content"]), digest, prehashed)
    if state["fault"] == "another artifact":
        wanted["digest"] = b64(hashlib.sha256(b"another").digest())
    data = {"algorithm": "SHA2_256", "digest": wanted["digest"]}
    spec = {"hashedRekordV002": {"data": data, "signature": signature}}
    body = compact({"apiVersion": "0.0.2", "kind": "hashedrekord", "spec": spec})
    made = add(body, ("hashedrekord", "0.0.2"))
    del made["inclusionPromise"], made["integratedTime"]
    return made


def timestamp(query):
    """A token over a digest (RFC 3161)."""
    key, certificate, _ = CLOCK
    wanted = tsp.TimeStampReq.load(query)
    imprint = wanted["message_imprint"]
    if state["fault"] == "another artifact":
        imprint["hashed_message"] = hashlib.sha256(b"another").digest()
    info = {
        "version": "v1",
        "policy": "1.2.3.4.1",
        "message_imprint": imprint,
        "serial_number": secrets.randbits(64),
        "gen_time": now(),
    }
    if wanted["nonce"].native is not None:
        info["nonce"] = wanted["nonce"]
    info = tsp.TSTInfo(info)
    der = certificate.public_bytes(DER)
    leaf = asn1.Certificate.load(der)
    digest = {"algorithm": "sha256"}
    signing = {"certs": [{"cert_hash": hashlib.sha256(der).digest()}]}
    values = [
        ("content_type", "tst_info"),
        ("message_digest", hashlib.sha256(info.dump()).digest()),
        ("signing_certificate_v2", tsp.SigningCertificateV2(signing)),
    ]
    attributes = cms.CMSAttributes([{"type": it, "values": [value]} for it, value in values])
    signer = {
        "version": "v1",
        "sid": cms.IssuerAndSerialNumber(
            {"issuer": leaf.issuer, "serial_number": leaf.serial_number}
        ),
        "digest_algorithm": digest,
        "signed_attrs": attributes,
        "signature_algorithm": {"algorithm": "sha256_ecdsa"},
        "signature": key.sign(attributes.dump(), SHA256),
    }
    signed = {
        "version": "v3",
        "digest_algorithms": [digest],
        "encap_content_info": {
            "content_type": "tst_info",
            "content": core.ParsableOctetString(info.dump()),
        },
        "certificates": [leaf],
        "signer_infos": [signer],
    }
    token = {"content_type": "signed_data", "content": cms.SignedData(signed)}
    granted = {"status": {"status": "granted"}, "time_stamp_token": token}
    return tsp.TimeStampResp(granted).dump()


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, value, status=200, headers=()):
        text = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        for name, content in headers:
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        if self.path == "/.well-known/openid-configuration":
            ends = ("authorization_endpoint", "token_endpoint")
            return self.answer({"issuer": ISSUER, **{it: f"{URL}/{it}" for it in ends}})
        return self.answer(asked)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/set":
            state.update(json.loads(body))
            return self.answer({})
        kind = SERVICES.get(self.path, "elsewhere")
        asked[kind] += 1
        # A fault of the transport is that of one service.
        fault, of = (state["fault"].split(": ") + [""])[:2]
        if of == kind:
            return self.fail(fault)
        try:
            if kind == "certificates":
                return self.answer(certify(json.loads(body), self.headers), 201)
            if kind == "entries":
                log = log_envelope if LOG_VERSION == 1 else log_digest
                return self.answer(log(json.loads(body)), 201)
            if kind == "timestamps":
                return self.answer(timestamp(body), 201)
            return self.answer({}, 404)
        except Refused as error:
            return self.answer({"code": 3, "message": str(error), "details": []}, 400)

    def fail(self, fault):
        if fault == "refuses":
            message = "not today\u001b[2J\u202e " + "so " * 4000
            return self.answer({"code": 7, "message": message}, 403)
        if fault == "garbage":
            return self.answer(b"<html>It works!</html>")
        if fault == "too much":
            return self.answer(b"[" * (1 << 20))
        if fault == "redirects":
            return self.answer({}, 307, [("Location", f"{URL}/elsewhere")])
        return self.answer({"code": 14, "message": "down for the day"}, 503)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        # A client that refuses an answer closes its connection.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", 0), Service)
URL = f"http://127.0.0.1:{server.server_port}"
certificates = CLOCK[1:] if CLOCK else ()
with open("trust.json", "w") as file:
    json.dump(
        private.trust_config(REGISTRATION, LOG, ROOT, URL, LOG_VERSION, certificates), file
    )
print(URL, flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit()
