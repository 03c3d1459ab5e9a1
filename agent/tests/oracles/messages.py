"""Checks messages from standard input with OpenAI's, Anthropic's or Transformers' own package.

It prints how many messages or items the conversation has.

usage: messages.py hf|openai|responses|anthropic

The types of the packages ignore members that they do not name, so those are looked for here.
"""

import json
import sys
import typing


def check(value, kind):
    """Checks that one of the types of `kind` takes `value` and names all of its members."""
    from pydantic import TypeAdapter

    if not isinstance(value, dict):
        return
    failures = []
    for choice in choices(kind):
        try:
            TypeAdapter(choice).validate_python(value)
        except ValueError as error:
            failures.append(f"{choice.__name__}: {error}")
            continue
        unknown = set(value) - set(typing.get_type_hints(choice)) - ALLOWED
        if not unknown:
            return
        failures.append(f"{choice.__name__} has no {unknown}")
    raise SystemExit("\n".join([json.dumps(value), *failures]))


def choices(kind):
    """The dictionaries that a type may be."""
    arguments = typing.get_args(kind)
    return [kind] if not arguments else [one for argument in arguments for one in choices(argument)]


def parts(message):
    content = message.get("content")
    return content if isinstance(content, list) else []


# Servers that are compatible with OpenAI read it, and OpenAI has no place for it.
ALLOWED = {"reasoning_content"}
dialect = sys.argv[1]
value = json.load(sys.stdin)

if dialect == "openai":
    from openai.types.chat import (
        ChatCompletionContentPartParam,
        ChatCompletionMessageFunctionToolCallParam,
        ChatCompletionMessageParam,
    )
    from openai.types.chat.chat_completion_content_part_refusal_param import ChatCompletionContentPartRefusalParam

    for message in value:
        check(message, ChatCompletionMessageParam)
        for part in parts(message):
            check(part, typing.Union[ChatCompletionContentPartParam, ChatCompletionContentPartRefusalParam])
        for call in message.get("tool_calls", []):
            check(call, ChatCompletionMessageFunctionToolCallParam)
elif dialect == "responses":
    from openai.types.responses import ResponseInputItemParam

    for item in value:
        check(item, ResponseInputItemParam)
elif dialect == "anthropic":
    from anthropic.types import ContentBlockParam, MessageParam, TextBlockParam

    request = value if isinstance(value, dict) else {"messages": value}
    for block in parts({"content": request.get("system")}):
        check(block, TextBlockParam)
    value = request["messages"]
    for message in value:
        check(message, MessageParam)
        for block in parts(message):
            check(block, ContentBlockParam)
    value = [*value, *[block for message in value for block in parts(message)]]
else:
    from transformers.utils.chat_template_utils import render_jinja_template

    template = (
        "{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for p in m.content %}[{{ p.type }}]{{ p.text }}{% endfor %}{% endif %}"
        "{% for c in m.tool_calls or [] %}{{ c.function.name }}{% for k, v in c.function.arguments.items() %}"
        "{{ k }}={{ v | tojson }}{% endfor %}{% endfor %}{% endfor %}"
    )
    printed, _ = render_jinja_template(conversations=[value], chat_template=template)
    assert all(f"<{message['role']}>" in printed[0] for message in value), printed
print(len(value))
