"""A fake OpenAI endpoint whose model makes the calls that the last message spells out.

A line `NAME {…}` of that message is a call; results are repeated as text. The program prints its
origin, and remembers what it was asked."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "Bearer sk-of-the-endpoint"
CHAT_USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
RESPONSES_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 0},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 12,
}
asked = []


def calls_of(text, request):
    """The calls that a message asks for, as (name, arguments), of what may be called."""
    tools = [tool.get("function", tool)["name"] for tool in request.get("tools", [])]
    pairs = [line.split(" ", 1) for line in text.splitlines() if " {" in line]
    is_open = request.get("tool_choice") != "none"
    return [(name, arguments) for name, arguments in pairs if is_open and name in tools]


def chat_reply(request):
    """Text and calls for the messages so far."""
    results = []
    for message in reversed(request["messages"]):
        if message["role"] != "tool":
            break
        results.insert(0, message["content"])
    if results:
        return "Results: " + " | ".join(results), []
    calls = calls_of(request["messages"][-1]["content"], request)
    return ("Let me see." if calls else "Nothing to call."), calls


def responses_reply(request):
    items = request["input"]
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    results = []
    for item in reversed(items):
        if item.get("type") != "function_call_output":
            break
        results.insert(0, item["output"])
    if results:
        return "Results: " + " | ".join(map(str, results)), []
    calls = calls_of(items[-1]["content"], request)
    return ("Let me see." if calls else "Nothing to call."), calls


def chat_calls(calls):
    return [
        {"id": f"call_{len(asked)}_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]


def chat(request):
    text, calls = chat_reply(request)
    message = {"role": "assistant", "content": text, "refusal": None}
    if calls:
        message["tool_calls"] = chat_calls(calls)
    reason = "tool_calls" if calls else "stop"
    return {
        "id": f"chatcmpl-{len(asked)}", "object": "chat.completion", "created": 1, "model": request["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        "usage": CHAT_USAGE,
    }


def chat_chunks(request):
    whole = chat(request)
    message = whole["choices"][0]["message"]
    head = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": request["model"]}

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**head, "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for word in message["content"].split(" "):
        yield chunk({"content": word + " "})
    for n, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        yield chunk({"tool_calls": [{**call, "index": n, "function": {"name": function["name"], "arguments": ""}}]})
        for letter in function["arguments"]:
            yield chunk({"tool_calls": [{"index": n, "function": {"arguments": letter}}]})
    yield chunk({}, whole["choices"][0]["finish_reason"])
    if request.get("stream_options", {}).get("include_usage"):
        yield {**head, "choices": [], "usage": CHAT_USAGE}
    yield "[DONE]"


def respond(request):
    text, calls = responses_reply(request)
    number = len(asked)
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    output = [{"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}]
    for n, (name, arguments) in enumerate(calls):
        output.append({
            "type": "function_call", "id": f"fc_{number}_{n}", "call_id": f"call_{number}_{n}",
            "name": name, "arguments": arguments, "status": "completed",
        })
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "model": request["model"],
        "status": "completed", "output": output, "parallel_tool_calls": True, "usage": RESPONSES_USAGE,
        "tool_choice": request.get("tool_choice", "auto"), "tools": request.get("tools", []),
        "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
        "temperature": 1.0, "top_p": 1.0,
    }


def response_events(request):
    whole = respond(request)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(whole["output"]):
        about = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            part = item["content"][0]
            text = {**about, "content_index": 0}
            added = {**item, "status": "in_progress", "content": []}
            yield {"type": "response.output_item.added", "output_index": index, "item": added}
            yield {"type": "response.content_part.added", **text, "part": {**part, "text": ""}}
            for word in part["text"].split(" "):
                yield {"type": "response.output_text.delta", **text, "delta": word + " ", "logprobs": []}
            yield {"type": "response.output_text.done", **text, "text": part["text"], "logprobs": []}
            yield {"type": "response.content_part.done", **text, "part": part}
        else:
            arguments = item["arguments"]
            added = {**item, "status": "in_progress", "arguments": ""}
            done = {**about, "name": item["name"], "arguments": arguments}
            yield {"type": "response.output_item.added", "output_index": index, "item": added}
            yield {"type": "response.function_call_arguments.delta", **about, "delta": arguments}
            yield {"type": "response.function_call_arguments.done", **done}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/v1/models":
            self.answer(200, {"object": "list", "data": [{"id": "obedient", "object": "model", "created": 1, "owned_by": "tests"}]})
        elif self.path == "/v1/asked":
            self.answer(200, asked)
        else:
            self.fail(404, "there is no such page")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers["authorization"] != KEY:
            return self.fail(401, f"wrong key: {self.headers['authorization']}")
        if request["model"] != "obedient":
            return self.fail(404, f"there is no model {request['model']}")
        asked.append({"path": self.path, "body": request})
        whole, parts = {
            "/v1/chat/completions": (chat, chat_chunks),
            "/v1/responses": (respond, response_events),
        }[self.path]
        if request.get("stream"):
            self.stream(list(parts(request)))
        else:
            self.answer(200, whole(request))

    def stream(self, events):
        lines = []
        for number, event in enumerate(events):
            if isinstance(event, dict) and "type" in event:
                event["sequence_number"] = number
                lines.append(f"event: {event['type']}\n")
            data = event if isinstance(event, str) else json.dumps(event)
            lines.append(f"data: {data}\n\n")
        self.send("text/event-stream", 200, "".join(lines).encode())

    def fail(self, status, message):
        self.answer(status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": "x"}})

    def answer(self, status, body):
        self.send("application/json", status, json.dumps(body).encode())

    def send(self, kind, status, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
