"""Attacks `tool serve` at its resource limits, and measures its memory use and response times.

Each attack comes on top of what those before it left behind.

usage: bounds.py TOKEN COMMAND… - the command serves over HTTP; `--openai` is added to it.
Prints JSON: the most MiB that were resident, at rest and after each attack, and the slowest
answer to a short request meanwhile, in seconds.
"""

import http.client
import json
import resource
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
TOKEN, COMMAND = sys.argv[1], sys.argv[2:]
MIB = 1 << 20
# Each takes this long at most.
ATTACK_S = 3
OBJECTS = '{"a":{}},'
NUMBERS = "1,"


def call(name, arguments="{}"):
    return {"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}


class Endpoint(BaseHTTPRequestHandler):
    """A model that writes what its name says."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = self.rfile.read(int(self.headers["content-length"]))
        model = request[:64].decode(errors="replace")
        message = {"role": "assistant", "content": "42"}
        more = ""
        if "hidden" in model:
            arguments = json.dumps({"a": 1, "b": 2})
            message = {
                "role": "assistant",
                "content": "x" * (3 * MIB),
                "tool_calls": [call("plus__add", arguments), call("mine")],
            }
        elif "objects" in model:
            more = f',"x":[{OBJECTS * 28_000}0]'
        elif "long" in model:
            message["content"] = "x" * (4 * MIB - 4096)
        else:
            time.sleep(2)
        text = json.dumps({"id": "x", "choices": [{"index": 0, "message": message}]})
        text = (text[:-1] + more + "}").encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        try:
            self.wfile.write(text)
        except OSError:
            pass

    def log_message(self, *_):
        pass


endpoint = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
threading.Thread(target=endpoint.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{endpoint.server_address[1]}"
server = subprocess.Popen([*COMMAND, "--openai", origin], stdout=subprocess.PIPE, text=True)
url = server.stdout.readline().strip()
address = ("127.0.0.1", int(url.rsplit(":", 1)[1].split("/")[0]))


def resident():
    with open(f"/proc/{server.pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["VmRSS"].split()[0]) >> 10, int(fields["VmHWM"].split()[0]) >> 10


def forget_peak():
    with open(f"/proc/{server.pid}/clear_refs", "w") as refs:
        refs.write("5")


def head(path, length, more=""):
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n"
        "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        f"content-length: {length}\r\n{more}\r\n"
    ).encode()


def connect():
    return socket.create_connection(address, timeout=40)


def post(path, body, more="", reads=True):
    """The status of the answer, or what went wrong."""
    body = body if isinstance(body, bytes) else body.encode()
    stream = connect()
    try:
        stream.sendall(head(path, len(body), more) + body)
        if not reads:
            return stream
        answer = http.client.HTTPResponse(stream)
        answer.begin()
        answer.read()
        return answer.status
    except OSError as error:
        return type(error).__name__


def mcp(arguments):
    return (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plus__add",'
        '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        '"io.modelcontextprotocol/clientInfo":{"name":"a","version":"0"},'
        '"io.modelcontextprotocol/clientCapabilities":{}},'
        '"arguments":{"a":1,"b":2,"x":' + arguments + "}}}"
    )


MCP = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: plus__add\r\n"


def chat(model, more=""):
    tools = '"tools":[{"type":"function","function":{"name":"mine"}}]'
    message = '{"role":"user","content":"a"}'
    return f'{{"model":"{model}","messages":[{message}],{tools}{more}}}'


def together(*requests):
    """Sends all of them, again and again, and counts what comes back."""
    end = time.monotonic() + ATTACK_S
    came = {}

    def again(request):
        while time.monotonic() < end:
            status = str(request())
            came[status] = came.get(status, 0) + 1

    threads = [threading.Thread(target=again, args=(request,), daemon=True) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, end + 1 - time.monotonic()))
    return dict(came)


held = []


def keep():
    """Makes hidden turns, which no client sees, as many as the server keeps."""
    return [post("/v1/chat/completions", chat("hidden")) for _ in range(24)]


def half_heads():
    for _ in range(900):
        stream = connect()
        stream.sendall(b"GET / HTTP/1.1\r\nx: " + b"x" * 15_000)
        held.append(stream)


def unread():
    """Long answers that nobody reads."""
    for _ in range(8):
        held.append(post("/v1/chat/completions", chat("long"), reads=False))


def stalled(count):
    """Bodies that are all but complete."""
    for _ in range(count):
        stream = connect()
        stream.sendall(head("/v1/tools/plus__add", 19 * MIB))
        text = b'{"a":"' + b"x" * (19 * MIB - 10)

        def send(stream=stream):
            try:
                stream.sendall(text)
            except OSError:
                pass

        threading.Thread(target=send, daemon=True).start()
        held.append(stream)


def texts():
    long = '{"a":1,"b":2,"x":"' + "x\\n" * (6 * MIB) + '"}'
    rest = lambda: post("/v1/tools/plus__add", long)
    model = lambda: post("/v1/chat/completions", chat("slow", f',"x":{long}'))
    agent = lambda: post("/mcp", mcp(long), MCP)
    return together(*[rest, model, agent] * 3)


def values(count, value):
    def attack():
        text = f"[{value * count}0]"
        rest = lambda: post("/v1/tools/plus__add", f'{{"a":1,"b":2,"x":{text}}}')
        model = lambda: post("/v1/chat/completions", chat("slow", f',"x":{text}'))
        agent = lambda: post("/mcp", mcp(text), MCP)
        return together(*[rest, model, agent] * 4)

    return attack


def replies():
    objects = lambda: post("/v1/chat/completions", chat("objects"))
    long = lambda: post("/v1/chat/completions", chat("long"))
    return together(*[objects, long] * 8)


def short():
    """Many requests that are too short to be counted, of as many values as they can hold."""
    text = f"[{OBJECTS * 400}0]"
    agent = lambda: post("/mcp", mcp(text), MCP)
    model = lambda: post("/v1/chat/completions", chat("slow", f',"x":{text}'))
    return together(*[agent, model] * 60)


slowest = 0.0
ended = False


def probe():
    global slowest
    while not ended:
        begun = time.monotonic()
        post("/v1/tools/plus__add", '{"a":20,"b":22}')
        slowest = max(slowest, time.monotonic() - begun)
        time.sleep(0.05)


post("/v1/tools/plus__add", '{"a":20,"b":22}')
told = {"at rest": {"most": resident()[1]}}
prober = threading.Thread(target=probe, daemon=True)
prober.start()
for name, attack in [
    ("kept turns", keep),
    ("half heads", half_heads),
    ("short requests", short),
    ("replies", replies),
    ("many objects", values(20_000, OBJECTS)),
    ("most objects", values(30_000, OBJECTS)),
    ("most numbers", values(200_000, NUMBERS)),
    ("long texts", texts),
    ("unread answers", unread),
    ("stalled bodies beside objects", lambda: stalled(2) or values(20_000, OBJECTS)()),
]:
    forget_peak()
    slowest, begun = 0.0, time.monotonic()
    came = attack()
    after, most = resident()
    took = time.monotonic() - begun
    told[name] = {"most": most, "after": after, "slowest": round(slowest, 2), "took": round(took, 1)}
    if isinstance(came, dict):
        told[name]["came"] = came
    elif isinstance(came, list):
        told[name]["came"] = {str(status): came.count(status) for status in set(came)}
ended = True
server.terminate()
server.wait()
print(json.dumps(told))
