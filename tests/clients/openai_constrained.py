"""Tests tool calls with OpenAI's own client where the endpoint behind `tool serve` knows no tools.

The server was started with `--openai-hold-by`. Arguments: the base URL and the server's token."""

import json
import sys

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import TypeAdapter

MODEL = "held"
EVALUATE = "calculator__evaluate"
SUM = EVALUATE + ' {"expression": "20 km + 22 km"}'
WEATHER = 'weather {"city": "Bern"}'
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}]

base, token = sys.argv[1:]
client = openai.OpenAI(base_url=base, api_key=token, max_retries=0, timeout=60)


def check(model, value):
    """What the package builds leniently is read strictly."""
    TypeAdapter(model).validate_python(value.model_dump(exclude_unset=True, warnings="error"))
    return value


def chat(text, **more):
    messages = [{"role": "user", "content": text}]
    completion = client.chat.completions.create(model=MODEL, messages=messages, **more)
    return check(ChatCompletion, completion).choices[0].message


def every_choice():
    named = {"type": "function", "function": {"name": EVALUATE}}
    for choice in ["auto", "required", named]:
        assert "42 km" in chat(SUM, tool_choice=choice).content, choice
    # A model that would rather answer has to call where a call is wanted.
    assert chat("Hi").content == "Nothing to call."
    for choice in ["required", named]:
        text = chat("Hi", tool_choice=choice).content
        assert text.startswith(f"Results: Result of {EVALUATE}:") and "42" in text, text
    assert chat(SUM, tool_choice="none").content == "I am free."


def own_calls():
    message = chat(WEATHER, tools=TOOLS)
    [call] = message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Bern"})
    messages = [
        {"role": "user", "content": WEATHER},
        message.model_dump(exclude_unset=True, include={"role", "content", "tool_calls"}),
        {"role": "tool", "tool_call_id": call.id, "content": "rain"},
    ]
    answer = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
    assert answer.choices[0].message.content == "Results: Result of weather:\nrain", answer


def streams():
    options = {"include_usage": True}
    messages = [{"role": "user", "content": SUM}]
    chunks = client.chat.completions.create(model=MODEL, messages=messages, stream=True, stream_options=options)
    chunks = [check(ChatCompletionChunk, chunk) for chunk in chunks]
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "42 km" in "".join(texts) and len([text for text in texts if text]) > 2, chunks
    assert chunks[-1].usage.total_tokens == 24, chunks[-1]
    with client.chat.completions.stream(
        model=MODEL, messages=[{"role": "user", "content": WEATHER}], tools=TOOLS
    ) as events:
        for _ in events:
            pass
        [call] = events.get_final_completion().choices[0].message.tool_calls
    assert call.function.name == "weather", call


for part in [every_choice, own_calls, streams]:
    part()
    print(part.__name__)
