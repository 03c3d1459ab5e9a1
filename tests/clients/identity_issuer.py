"""A build service that issues identity tokens, made with PyJWT and cryptography.

Prints its URL. `POST /sign` with {"how", "claims", "header"} signs a token, well or badly;
`POST /set` changes what the service says of itself; `GET /github` answers as GitHub does.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

KEYS = {
    "rsa": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ec": ec.generate_private_key(ec.SECP256R1()),
    "unpublished": rsa.generate_private_key(public_exponent=65537, key_size=2048),
}
BEARER = "of-the-job"
said = {}
asked = {"keys": 0, "inside": 0}


def public(name, **more):
    key = KEYS[name].public_key()
    kind = ECAlgorithm if name == "ec" else RSAAlgorithm
    return {**kind.to_jwk(key, as_dict=True), "kid": name, "use": "sig", **more}


def part(value):
    text = json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=")


def sign(how, claims, header):
    """Signs as `how` says: with a published key, or in one of the ways that have to be refused."""
    named = {"kid": how, **header}
    if how == "rsa":
        return jwt.encode(claims, KEYS["rsa"], algorithm="RS256", headers=named)
    if how == "ec":
        return jwt.encode(claims, KEYS["ec"], algorithm="ES256", headers=named)
    if how == "unpublished":
        named["kid"] = "rsa"
        return jwt.encode(claims, KEYS[how], algorithm="RS256", headers=named)
    if how == "swapped":
        named["kid"] = "rsa"
        return jwt.encode(claims, KEYS["ec"], algorithm="ES256", headers=named)
    if how == "none":
        named["kid"] = "rsa"
        return jwt.encode(claims, None, algorithm="none", headers=named)
    if how == "hmac":
        # The public key as a secret, which PyJWT refuses to sign with.
        secret = KEYS["rsa"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        signed = part({"alg": "HS256", "typ": "JWT", "kid": "rsa"}) + b"." + part(claims)
        digest = hmac.new(secret, signed, hashlib.sha256).digest()
        return (signed + b"." + base64.urlsafe_b64encode(digest).rstrip(b"=")).decode()
    raise ValueError(how)


def claims_of(given):
    now = int(time.time())
    own = {
        "iss": said["url"],
        "iat": now,
        "nbf": now,
        "exp": now + 300,
        "jti": str(uuid.uuid4()),
        "event_name": "push",
        "repository": "acme/forecast",
        "repository_owner_id": "65",
        "job_workflow_ref": "acme/forecast/.github/workflows/release.yml@refs/heads/main",
        "ref": "refs/heads/main",
        "sha": "0123456789abcdef0123456789abcdef01234567",
    }
    times = {"iat", "nbf", "exp"}
    for name, value in given.items():
        # Times are given as seconds from now.
        own[name] = now + value if name in times and isinstance(value, int) else value
    return {name: value for name, value in own.items() if value is not None}


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, value, status=200, headers=()):
        text = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        for name, content in headers:
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/.well-known/openid-configuration":
            if "redirect" in said:
                return self.answer("", 302, [("Location", said["redirect"])])
            keys = said.get("jwks_uri", said["url"] + "/keys")
            issuer = said.get("issuer", said["url"])
            return self.answer({"issuer": issuer, "jwks_uri": keys, "more": said.get("more", "")})
        if url.path == "/keys":
            asked["keys"] += 1
            return self.answer({"keys": [public("rsa", alg="RS256"), public("ec")]})
        if url.path == "/inside":
            asked["inside"] += 1
            return self.answer({"keys": [public("rsa")]})
        if url.path == "/asked":
            return self.answer(asked)
        if url.path == "/github":
            if self.headers["Authorization"] != f"Bearer {BEARER}":
                return self.answer({"message": "no such job"}, 401)
            audience = parse_qs(url.query)["audience"][0]
            claims = claims_of({"aud": audience})
            return self.answer({"value": sign("rsa", claims, {})})
        return self.answer({}, 404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/set":
            said.update(body)
            return self.answer({})
        claims = claims_of(body["claims"])
        return self.answer(sign(body["how"], claims, body.get("header", {})))


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
said["url"] = f"http://127.0.0.1:{server.server_port}"
print(said["url"], flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit()
