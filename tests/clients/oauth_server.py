"""An authorization server with a device flow, made of authlib, and an API that takes its tokens.

Its person is the test: `/enter?code=CODE&allow=1` enters a code. Prints its address first.
"""

import os
import secrets
import sys
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator, BearerTokenValidator
from authlib.oauth2.rfc8628 import (
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    DeviceCredentialDict,
)
from flask import Flask, request
from werkzeug.serving import make_server

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
LASTS = int(sys.argv[1])

tokens = []
devices = {}
answers = {}
refused_refreshes = 0


class Client(ClientMixin):
    def get_client_id(self):
        return "tool-hub-tests"

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope

    def check_redirect_uri(self, redirect_uri):
        return False

    def check_client_secret(self, client_secret):
        return False

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, response_type):
        return False

    def check_grant_type(self, grant_type):
        return grant_type in (DEVICE_CODE, "refresh_token")


class Token(TokenMixin):
    def __init__(self, token):
        self.token = token
        self.ends = time.time() + token["expires_in"]
        self.withdrawn = False

    def check_client(self, client):
        return True

    def get_scope(self):
        return self.token.get("scope", "")

    def get_expires_in(self):
        return self.token["expires_in"]

    def is_expired(self):
        return time.time() > self.ends

    def is_revoked(self):
        return self.withdrawn

    def get_user(self):
        return "ada"

    def get_client(self):
        return Client()


class Devices(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]
    EXPIRES_IN = 60
    INTERVAL = 1

    def get_verification_uri(self):
        return request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            data, client_id=client_id, scope=scope, expires_at=time.time() + 60
        )


class DeviceCodes(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        allowed = answers.get(user_code)
        return None if allowed is None else ("ada", allowed)

    def should_slow_down(self, credential):
        return False


class Refreshing(grants.RefreshTokenGrant):
    """Takes each refresh token once, as OAuth 2.1 demands of public clients."""

    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        global refused_refreshes
        for token in tokens:
            if token.token["refresh_token"] == refresh_token and not token.withdrawn:
                return token
        refused_refreshes += 1

    def authenticate_user(self, token):
        return "ada"

    def revoke_old_credential(self, token):
        token.withdrawn = True


class Bearers(BearerTokenValidator):
    def authenticate_token(self, text):
        return next((it for it in tokens if it.token["access_token"] == text), None)


app = Flask("oauth")
server = AuthorizationServer(
    app,
    query_client=lambda client_id: Client() if client_id == "tool-hub-tests" else None,
    save_token=lambda token, request: tokens.append(Token(token)),
)
server.register_token_generator(
    "default",
    BearerTokenGenerator(
        lambda **_: "access-" + secrets.token_hex(16),
        lambda **_: "refresh-" + secrets.token_hex(16),
        lambda *_: LASTS,
    ),
)
server.register_endpoint(Devices)
server.register_grant(DeviceCodes)
server.register_grant(Refreshing)
protected = ResourceProtector()
protected.register_token_validator(Bearers())


@app.post("/device-authorization")
def authorize_device():
    return server.create_endpoint_response(Devices.ENDPOINT_NAME)


@app.post("/token")
def issue_token():
    answer = server.create_token_response()
    if "github" not in request.args:
        return answer
    # As GitHub does, which answers errors with 200.
    answer.status_code = 200
    return answer


@app.get("/enter")
def enter_code():
    answers[request.args["code"]] = request.args["allow"] == "1"
    return "entered"


@app.get("/withdraw")
def withdraw():
    for token in tokens:
        token.withdrawn = True
    return "withdrawn"


@app.get("/counts")
def counts():
    return f"{len(tokens)} tokens, {refused_refreshes} refused"


@app.get("/api")
def api():
    with protected.acquire() as token:
        return f"token {tokens.index(token) + 1} of ada for {token.get_scope()}"


listening = make_server("127.0.0.1", 0, app, threaded=True)
print(f"http://127.0.0.1:{listening.port}", flush=True)
listening.serve_forever()
