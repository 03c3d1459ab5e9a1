"""What agents need of GitHub's answers: an issue comes with a hundred addresses, a page of them with 3000."""

import json

import openapi_client
from wit_world.imports.tool_hub_tool_types import Reply

KEPT = [
    "number",
    "id",
    "title",
    "state",
    "state_reason",
    "body",
    "comments",
    "created_at",
    "updated_at",
    "closed_at",
    "html_url",
    "total_count",
    "incomplete_results",
]


def call(method, url, **request):
    """Makes a request as `openapi_client.call` does, and shortens the answer."""
    full = openapi_client.call(method, url, **request)
    if full.structured is None:
        return full
    text = openapi_client.as_json(brief(json.loads(full.structured)))
    return Reply([openapi_client.text_content(text)], text, full.next)


def brief(value):
    if isinstance(value, list):
        return [brief(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: value[name] for name in KEPT if value.get(name) is not None}
    if isinstance(value.get("items"), list):
        kept["items"] = brief(value["items"])
    if value.get("user"):
        kept["user"] = value["user"]["login"]
    for name, part in (("labels", "name"), ("assignees", "login")):
        if value.get(name):
            kept[name] = [item[part] if isinstance(item, dict) else item for item in value[name]]
    if value.get("milestone"):
        kept["milestone"] = value["milestone"]["title"]
    if "pull_request" in value:
        kept["is_pull_request"] = True
    return kept or value
