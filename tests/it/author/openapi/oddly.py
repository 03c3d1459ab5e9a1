"""Calls the client of a generated project outside of the sandbox, with answers of any form."""

import email.message, enum, json, sys, types

class Err(Exception):
    pass

class Made:
    def __init__(self, *values):
        self.values = values

def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)

kinds = "INVALID_ARGUMENT NOT_FOUND PERMISSION_DENIED CONFLICT LIMIT_REACHED UNAVAILABLE INTERNAL"
names = "Content ContentBody_Audio ContentBody_Image ContentBody_Resource ContentBody_Text EmbeddedResource Failure Audio Image Reply ResourceContents_Blob"
module("componentize_py_types", Err=Err)
module("wit_world")
module("wit_world.imports")
module(
    "wit_world.imports.tool_hub_tool_types",
    FailureKind=enum.Enum("FailureKind", kinds),
    **{name: type(name, (Made,), {}) for name in names.split()},
)
import openapi_client as client

def headers(**fields):
    message = email.message.Message()
    for name, value in {"Content_Type": "application/json", **fields}.items():
        message[name.replace("_", "-")] = value
    return message

print(client.label([1, 2]), client.label({"a": 1}, explode=True))
print(client.matrix("n", [1, 2]), client.matrix("n", [1, 2], explode=True), client.matrix("n", {"a": 1}, explode=True))
print(client.exploded({"a": 1, "b": "x y"}), client.joined({"a": 1}), client.joined([1.0, True]))
odd = ['{}', '[]', '[1]', 'null', '7', '{"error": 3}', '{"error": {"message": 5, "param": 3}}', 'no', '[' * 100_000,
       '{"errors": [1, null, [], {}]}', '{"errors": {"a": ["b"]}}', '{"detail": [{"loc": [7, []], "msg": {}}]}']
for answer in odd:
    for status in (400, 401, 403, 404, 409, 418, 429, 500, 501, 503):
        failed = client.refused(status, headers(), answer.encode(), {"x": "x"}, "GET")
        assert isinstance(failed, Err) and len(failed.args[0].values[1]) < 1100
    client.reply("GET", "http://a.example", 200, headers(), answer.encode(), None)
for fields in ({"Retry_After": "soon"}, {"Retry_After": "-1"}, {"X_RateLimit_Remaining": "0"}, {"Retry_After": "1" * 40}):
    print(client.waits(headers(**fields)))
known = {"page": "seite", "starting_after": "after"}
for answer in ('{"next": 3}', '{"next": {"href": "/a?page=3"}}', '{"links": {"next": "?page=9&size=5"}}', '{"meta": {"next_page": null}}',
               '{"has_more": true, "data": [{"id": "x"}]}', '{"has_more": true, "data": [7]}', '{"has_more": false, "next": 3}',
               '{"next": true}', '{"next": "http://[bad?page=2"}', '{"next": "/a?page=1"}', '[['):
    print(client.next_page(answer.encode(), headers(), "http://a.example/b?page=1", known))
for link in ('<;;rel=next', ',,,;rel=next', '<http://[x?page=2>; rel=next', '<?page=2>; title="a"; rel="next"'):
    print(client.next_page(b"", headers(Link=link), "http://a.example/b?page=1", known))
