"""Tests of the adapter for the OpenAI Agents SDK, by an agent with a scripted model."""

import json

import openai_agents_agent
import pytest
from agents import ModelResponse, Runner, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

set_tracing_disabled(True)


class Scripted(Model):
    """Makes calls one after another, then ends, and remembers what it was shown."""

    def __init__(self, *calls):
        self.calls, self.seen, self.offered = list(calls), [], []

    async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
        self.seen.append(input)
        self.offered = tools
        if self.calls:
            name, arguments = self.calls.pop(0)
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            output = ResponseFunctionToolCall(
                type="function_call",
                call_id=f"call-{len(self.calls)}",
                name=name,
                arguments=arguments,
            )
        else:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            output = ResponseOutputMessage(
                id="1", type="message", role="assistant", status="completed", content=[text]
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError

    def result(self):
        return next(
            item["output"]
            for item in reversed(self.seen[-1])
            if item.get("type") == "function_call_output"
        )


async def run(model, source):
    agent = openai_agents_agent.agent(model, source)
    return agent, await Runner.run(agent, "go")


async def test_a_result_reaches_the_model(box, named):
    evaluate = named("evaluate")
    model = Scripted((evaluate.name, {"expression": "6 * 7"}))
    _, ran = await run(model, box)
    assert "42" in model.result() and ran.final_output == "done"
    offered = next(tool for tool in model.offered if tool.name == evaluate.name)
    assert offered.params_json_schema == evaluate.input_schema


async def test_a_failure_teaches_the_model(box, named):
    model = Scripted((named("evaluate").name, {"expression": "6 x 7"}))
    await run(model, box)
    assert "invalid" in model.result() and "Call again" in model.result()


async def test_a_picture_is_shown_to_the_model(box, named, picture):
    model = Scripted((named("shrink").name, {"picture": picture, "longest_side": 8}))
    await run(model, box)
    (shown,) = [it for it in model.result() if it["type"] == "input_image"]
    assert shown["image_url"].startswith("data:image/")


async def test_a_destructive_function_waits_for_a_person(box, named, counters):
    model = Scripted((named("forget").name, {"counter": "groceries"}))
    agent, ran = await run(model, box)
    (waiting,) = ran.interruptions
    assert json.loads(waiting.raw_item.arguments) == {"counter": "groceries"}
    assert "groceries" in counters
    state = ran.to_state()
    state.approve(waiting)
    await Runner.run(agent, state)
    assert "groceries" not in counters and model.result() == "true"


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_person_decides(box, named, counters, allowed):
    model, asked = Scripted((named("forget").name, {"counter": "groceries"})), []

    def is_allowed(call):
        asked.append(json.loads(call.raw_item.arguments))
        return allowed

    agent = openai_agents_agent.agent(model, box)
    result = await openai_agents_agent.run(agent, "go", is_allowed)
    assert asked == [{"counter": "groceries"}] and result.final_output == "done"
    assert ("groceries" in counters) == (not allowed)
    assert allowed or "not approved" in model.result()
