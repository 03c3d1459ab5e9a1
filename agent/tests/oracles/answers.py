"""Prints, as JSON lines, the messages that Transformers reads from answers by response templates.

Both the answers and the templates are our own.
"""

import json

from transformers.utils.chat_parsing import parse_response

CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
JSON_CALL = {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.arguments}"}}
ITEM_CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}


def template(anchor, **fields):
    return {"defaults": {"role": "assistant"}, "start_anchor": anchor, "fields": fields}


THINKING = {"open": "<think>", "close": "</think>"}
TAGGED = {
    "open": "<call>",
    "close": "</call>",
    "repeats": True,
    "content": "json",
    "transform": JSON_CALL,
}
TEMPLATES = {
    "json in tags": template("<bot>", thinking=THINKING, tool_calls=TAGGED, content={"close": ["<end>", "<end_of_all>"]}),
    "a name in the tag": template(
        "<bot>",
        reasoning_content={"open_pattern": r"<think>\s*", "close_pattern": r"\s*</think>"},
        tool_calls={
            "open_pattern": r"<call name=\"(?P<name>[^\"]+)\">",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": CALL,
        },
        content={"close_pattern": r"\s*<end>"},
    ),
    "parameters in tags": template(
        "<bot>",
        thinking=THINKING,
        tool_calls={
            "open_pattern": r"<call>\s*<function=(?P<name>[^>\n]+)>",
            "close_pattern": r"</function>\s*</call>",
            "repeats": True,
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\n?(?P<value>.*?)\n?</parameter>"},
            "transform": CALL,
        },
        content={"close": "<end>"},
    ),
    "names without quotes": template(
        "<bot>",
        tool_calls={
            "open_pattern": r"<call>(?P<name>\w+)",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "content_args": {"unquoted_keys": True, "string_delims": [["<q>", "<q>"]]},
            "transform": CALL,
        },
        content={"close": "<end>"},
    ),
    "a list": template(
        "<bot>",
        tool_calls={"open": "[CALLS]", "close": "<end>", "content": "json", "transform": ITEM_CALL, "transform_each": True},
        content={},
    ),
    "channels": template(
        "<bot>",
        thinking={"open": "<c>analysis<m>", "close": "<e>"},
        tool_calls={
            "open_pattern": r"<c>commentary to=functions\.(?P<name>\w+)<m>",
            "close": "<e>",
            "repeats": True,
            "content": "json",
            "transform": CALL,
        },
        content={"open": "<c>final<m>", "close": "<e>"},
    ),
    "lines": template(
        "<bot>",
        tool_calls={
            "open_pattern": r"CALL (?P<name>\w+)\n",
            "close": "END",
            "repeats": True,
            "content": "kv-lines",
            "transform": CALL,
        },
        content={"close": "<end>"},
    ),
}

PARAMETERS = {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "array"}}
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": PARAMETERS}}}]

ARGUMENTS = [{}, {"a": 1}, {"a": 1, "b": "two <3> {4} [5]", "c": [1, {"d": None}]}, {"b": "Łódź\n„“ 👍"}]


def xml(arguments):
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in arguments.items()}
    return "\n".join(f"<parameter={k}>\n{v}\n</parameter>" for k, v in texts.items())


def lax(value):
    if isinstance(value, str):
        return f"<q>{value}<q>"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{lax(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(lax, value)) + "]"
    return json.dumps(value)


def lines(arguments):
    return "".join(f"{k}: {v}\n" for k, v in arguments.items() if isinstance(v, (int, str)) and "\n" not in str(v))


WRITERS = {
    "json in tags": lambda a: "<call>" + json.dumps({"name": "add", "arguments": a}) + "</call>",
    "a name in the tag": lambda a: '<call name="add">' + json.dumps(a, ensure_ascii=False) + "</call>",
    "parameters in tags": lambda a: f"<call>\n<function=add>\n{xml(a)}\n</function>\n</call>",
    "names without quotes": lambda a: f"<call>add{lax(a)}</call>",
    "a list": lambda a: "[CALLS]" + json.dumps([{"name": "add", "arguments": a}] * 2),
    "channels": lambda a: "<c>commentary to=functions.add<m>" + json.dumps(a) + "<e>",
    "lines": lambda a: f"CALL add\n{lines(a)}END",
}


def answers(name):
    """Answers that a model might write: texts, reasoning, calls, and broken calls."""
    is_in_channels = name == "channels"
    thought = "<c>analysis<m>5 < 7, so {x}.<e>" if is_in_channels else "<think>\n5 < 7, so {x}.\n</think>\n\n"
    text = "<c>final<m> It is [so].\n<e>" if is_in_channels else " It is [so].\n"
    write = WRITERS[name]
    for arguments in ARGUMENTS:
        call = write(arguments)
        yield call
        yield call + "<end>"
        yield thought + call
        yield text + call
        yield thought + text + call + "\n" + call
        yield call[: len(call) // 2]
        yield call[:-3]
    yield text
    yield thought + text
    yield thought
    yield thought[: len(thought) // 2]
    yield text * 30 + write(ARGUMENTS[2]) + "<end>"
    yield "<call>no call</call>"
    yield "<call"
    yield ""


def main():
    for name, spec in TEMPLATES.items():
        for prompt in ["", "<user>Hi<end><bot>", "<bot>old<end><bot><think>\n"]:
            for answer in answers(name):
                for tools in [[], TOOLS]:
                    case = {"name": name, "template": spec, "prompt": prompt, "answer": answer, "typed": bool(tools)}
                    try:
                        case["message"] = parse_response(answer, spec, prefix=prompt, tools=tools)
                    except Exception as error:
                        case["error"] = f"{type(error).__name__}: {error}"
                    print(json.dumps(case))


main()
