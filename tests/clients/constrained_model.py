"""A fake OpenAI endpoint without tools, which holds its model to a JSON schema, as vLLM does.

Its model would like to make the call that a line `NAME {…}` of the last message asks for, or to
answer; it writes the first of these that the schema accepts. The program prints its origin.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jsonschema

USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def wishes(text):
    """The texts that the model would like to write, the preferred one first."""
    if text.startswith("Result of "):
        yield {"answer": "Results: " + text}
        return
    for line in text.splitlines():
        name, _, arguments = line.partition(" ")
        if arguments.startswith("{"):
            yield {"name": name, "arguments": json.loads(arguments)}
    yield {"answer": "Nothing to call."}
    yield {"name": "calculator__evaluate", "arguments": {"expression": "6 * 7"}}


def written(request):
    """The text that it writes, which is free where the request has no schema."""
    if "structured_outputs" not in request:
        return "I am free."
    schema = request["structured_outputs"]["json"]
    for wish in wishes(request["messages"][-1]["content"]):
        if jsonschema.Draft202012Validator(schema).is_valid(wish):
            return json.dumps(wish)
    raise AssertionError(f"it can write nothing: {schema}")


def refused(request):
    """Why such a server cannot read a request; nothing where it can."""
    for member in ["tools", "tool_choice", "parallel_tool_calls"]:
        if member in request:
            return f"there is no member {member}"
    if "stream_options" in request and not request.get("stream"):
        return "stream_options is for streams"
    for message in request["messages"]:
        if message["role"] not in ["system", "user", "assistant"] or set(message) != {"role", "content"}:
            return f"no such message: {message}"
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        why = refused(request)
        if why:
            return self.answer(400, {"error": {"message": why}})
        if request.get("stream"):
            return self.stream(request)
        message = {"role": "assistant", "content": written(request)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        self.answer(200, {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [choice], "usage": USAGE,
        })

    def stream(self, request):
        """Writes the text in pieces of five characters, then why it ends, then usage if wanted."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        text = written(request)
        pieces = [text[start : start + 5] for start in range(0, len(text), 5)]
        deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
        choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
        choices.append([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        if request.get("stream_options", {}).get("include_usage"):
            choices.append([])
        for choice in choices:
            chunk = {
                "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request["model"],
                "choices": choice,
            }
            if not choice:
                chunk["usage"] = USAGE
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
