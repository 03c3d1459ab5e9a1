"""Holds each request against a document by a reader of OpenAPI that is not ours, and answers what it read."""

import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

with open(sys.argv[1]) as file:
    document = json.load(file)
api = OpenAPI.from_dict(document, config=Config(spec_validator_cls=None))

class Asked:
    def __init__(self, method, place, headers, body):
        parts = urlsplit(place)
        self.method, self.path, self.body = method.lower(), unquote(parts.path), body or None
        self.host_url = document["servers"][0]["url"]
        self.full_url_pattern = self.host_url + self.path
        self.content_type = headers.get("Content-Type", "")
        query = ImmutableMultiDict(parse_qsl(parts.query, keep_blank_values=True))
        self.parameters = RequestParameters(query=query, header=Headers(list(headers.items())))

class Handler(BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            read = api.unmarshal_request(Asked(self.command, self.path, self.headers, body))
            found = {"path": dict(read.parameters.path), "query": dict(read.parameters.query), "body": read.body}
            status = 200
        except Exception as error:
            found, status = {"message": f"{type(error).__name__}: {error}: {error.__cause__}"}, 422
        text = json.dumps(found, default=vars).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    do_GET = do_POST = do_PATCH = answer
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
