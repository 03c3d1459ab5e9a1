"""Tests `tool serve --openai` with OpenAI's own client, and checks all messages against its types.

Arguments: the base URL, the server's token, and the endpoint itself."""

import json
import sys
import urllib.request

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk, completion_create_params
from openai.types.responses import Response, ResponseStreamEvent, response_create_params
from pydantic import TypeAdapter

MODEL = "obedient"
EVALUATE = "calculator__evaluate"
SUM = EVALUATE + ' {"expression": "20 km + 22 km"}'
WRONG = EVALUATE + ' {"expression": "2 m + 3 kg"}'
WEATHER = 'weather {"city": "Bern"}'
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

base, token, endpoint = sys.argv[1:]
client = openai.OpenAI(base_url=base, api_key=token, max_retries=0, timeout=60)


def check(model, value):
    """What the package builds leniently is read strictly."""
    TypeAdapter(model).validate_python(value.model_dump(exclude_unset=True, warnings="error"))
    return value


def say(*lines):
    return [{"role": "user", "content": "\n".join(lines)}]


def chat(*lines, **more):
    return check(ChatCompletion, client.chat.completions.create(model=MODEL, messages=say(*lines), **more))


def respond(*lines, **more):
    return check(Response, client.responses.create(model=MODEL, input="\n".join(lines), **more))


def chat_whole():
    answer = chat(SUM, WRONG)
    text = answer.choices[0].message.content
    assert text.startswith("Results: ") and "42 km" in text, text
    assert "`calculator__evaluate` failed (invalid argument)" in text, text
    assert answer.choices[0].message.tool_calls is None
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == 24, answer.usage


def chat_streamed():
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(model=MODEL, messages=say(SUM), stream=True, stream_options=options))
    for chunk in chunks:
        check(ChatCompletionChunk, chunk)
    assert len({(chunk.id, chunk.created, chunk.model) for chunk in chunks}) == 1
    assert chunks[-1].usage.total_tokens == 24 and not chunks[-1].choices
    with client.chat.completions.stream(model=MODEL, messages=say(SUM)) as stream:
        for _ in stream:
            pass
        message = stream.get_final_completion().choices[0].message
    first, second = message.content.split("\n\n")
    assert first.strip() == "Let me see." and "42 km" in second, message
    assert not message.tool_calls


def chat_own():
    tools = [{"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}]
    for lines, results in [([WEATHER], 1), ([SUM, WEATHER], 2)]:
        for stream in [False, True]:
            messages = say(*lines)
            if stream:
                with client.chat.completions.stream(model=MODEL, messages=messages, tools=tools) as events:
                    for _ in events:
                        pass
                    message = events.get_final_completion().choices[0].message
            else:
                message = chat(*lines, tools=tools).choices[0].message
            [call] = message.tool_calls
            assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Bern"})
            messages.append(message.model_dump(exclude_unset=True, include={"role", "content", "tool_calls"}))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "rain"})
            answer = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
            text = answer.choices[0].message.content
            assert text.endswith("rain") and ("42 km" in text) == (results == 2), text


def choices_of_tools():
    named = {"type": "function", "function": {"name": EVALUATE}}
    allowed = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [named]}}
    for choice in ["auto", "required", named, allowed]:
        assert "42 km" in chat(SUM, tool_choice=choice).choices[0].message.content, choice
    assert chat(SUM, tool_choice="none").choices[0].message.content == "Nothing to call."
    named = {"type": "function", "name": EVALUATE}
    allowed = {"type": "allowed_tools", "mode": "auto", "tools": [named]}
    for choice in ["auto", "required", named, allowed]:
        answer = respond(SUM, tool_choice=choice)
        assert "42 km" in answer.output_text, choice
        assert answer.model_dump(exclude_unset=True)["tool_choice"] == choice
    assert respond(SUM, tool_choice="none").output_text == "Nothing to call."


def responses_whole():
    answer = respond(SUM, WRONG)
    assert [item.type for item in answer.output] == ["message", "mcp_call", "mcp_call", "message"]
    fine, failed = answer.output[1:3]
    assert fine.name == EVALUATE and fine.error is None and "42 km" in fine.output, fine
    assert failed.status == "failed" and failed.output is None and failed.error, failed
    assert answer.usage.total_tokens == 24 and answer.tools == []
    # A client that carries everything with it.
    carried = say(SUM) + [item.model_dump(exclude_unset=True) for item in answer.output] + say("And now?")
    assert client.responses.create(model=MODEL, input=carried).output_text == "Nothing to call."


def responses_streamed():
    events = list(client.responses.create(model=MODEL, input=SUM, stream=True))
    for number, event in enumerate(events):
        check(ResponseStreamEvent, event)
        assert event.sequence_number == number, event
    with client.responses.stream(model=MODEL, input=SUM) as stream:
        kinds = [event.type for event in stream]
        answer = stream.get_final_response()
    assert "response.mcp_call.completed" in kinds, kinds
    assert [item.type for item in answer.output] == ["message", "mcp_call", "message"]
    assert "42 km" in answer.output_text, answer.output_text


def responses_own():
    tools = [{"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": False}]
    answer = respond(SUM, WEATHER, tools=tools)
    [call] = [item for item in answer.output if item.type == "function_call"]
    assert (call.name, json.loads(call.arguments)) == ("weather", {"city": "Bern"})
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    # What the endpoint remembers, and what the client carries.
    carried = say(SUM, WEATHER) + [item.model_dump(exclude_unset=True) for item in answer.output]
    for request in [
        {"previous_response_id": answer.id, "input": [output]},
        {"input": carried + [output]},
    ]:
        text = client.responses.create(model=MODEL, tools=tools, **request).output_text
        assert text.endswith("rain"), text


def refusals():
    for ask in [
        lambda model: client.chat.completions.create(model=model, messages=say(SUM)),
        lambda model: client.chat.completions.create(model=model, messages=say(SUM), stream=True),
        lambda model: client.responses.create(model=model, input=SUM),
    ]:
        try:
            ask("absent")
        except openai.NotFoundError as error:
            assert error.body["message"] == "there is no model absent", error.body
        else:
            raise AssertionError("it was not refused")
    own = {"type": "function", "function": {"name": EVALUATE, "parameters": PARAMETERS}}
    try:
        chat(SUM, tools=[own])
    except openai.BadRequestError as error:
        assert error.param == "tools" and EVALUATE in error.message, error
    else:
        raise AssertionError("it was not refused")


def everything_else():
    assert [model.id for model in client.models.list()] == [MODEL]
    with urllib.request.urlopen(endpoint + "/v1/asked") as answer:
        asked = json.load(answer)
    try:
        client.files.list()
    except openai.NotFoundError as error:
        assert error.code == "route_refused" and "GET /v1/files" in error.message, error
    else:
        raise AssertionError("it was passed on")
    params = {
        "/v1/chat/completions": completion_create_params.CompletionCreateParams,
        "/v1/responses": response_create_params.ResponseCreateParams,
    }
    assert len(asked) > 30, len(asked)
    for request in asked:
        TypeAdapter(params[request["path"]]).validate_python(request["body"])
        for tool in request["body"].get("tools", []):
            function = tool.get("function", tool)
            assert len(function["name"]) <= 64 and len(function.get("description", "")) <= 1024


for part in [
    chat_whole,
    chat_streamed,
    chat_own,
    choices_of_tools,
    responses_whole,
    responses_streamed,
    responses_own,
    refusals,
    everything_else,
]:
    part()
    print(part.__name__)
