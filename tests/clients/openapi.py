"""Validates the OpenAPI document of `tool serve --http`, and makes a call that it describes."""

import json
import sys
import urllib.request

from openapi_spec_validator import OpenAPIV31SpecValidator

base, token = sys.argv[1:]


def fetch(path, body=None):
    request = urllib.request.Request(base + path, data=body)
    request.add_header("Authorization", "Bearer " + token)
    if body is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


document = fetch("/v1/openapi.json")
OpenAPIV31SpecValidator(document).validate()

operations = {
    operation["operationId"]: (path, operation)
    for path, item in document["paths"].items()
    for operation in item.values()
    if isinstance(operation, dict) and "operationId" in operation
}
names = [tool["name"] for tool in fetch("/v1/tools")["tools"]]
assert sorted(operations) == sorted(names), (sorted(operations), names)

path, operation = operations["calculator__evaluate"]
reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
schema = document
for step in reference.removeprefix("#/").split("/"):
    schema = schema[step]
assert schema["required"] == ["expression"], schema
answer = fetch(path, json.dumps({"expression": "6 * 7"}).encode())
assert answer["is_error"] is False and "42" in json.dumps(answer["content"]), answer
print(len(operations))
