"""Tests of the Pydantic AI adapter, by an agent with a scripted model."""

import pydantic_ai_agent
import pytest
from pydantic_ai import Agent, BinaryContent, ToolDenied
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from tool_hub.pydantic_ai import ToolHubToolset


class Scripted:
    """Makes calls one after another, then ends, and remembers what it was shown."""

    def __init__(self, *calls):
        self.calls, self.seen, self.offered = list(calls), [], []

    def __call__(self, messages, info):
        self.seen, self.offered = messages, info.function_tools
        if self.calls:
            name, arguments = self.calls.pop(0)
            return ModelResponse([ToolCallPart(name, arguments)])
        return ModelResponse([TextPart("done")])

    def result(self):
        parts = [part for message in self.seen for part in message.parts]
        return next(part for part in reversed(parts) if isinstance(part, ToolReturnPart))


async def run(model, source):
    agent = pydantic_ai_agent.agent(FunctionModel(model), source)
    return agent, await agent.run("go")


async def test_a_result_reaches_the_model_and_its_structured_value_the_program(box, named):
    evaluate = named("evaluate")
    model = Scripted((evaluate.name, {"expression": "6 * 7"}))
    _, ran = await run(model, box)
    assert "42" in model.result().content and model.result().metadata["value"] == 42
    assert ran.output == "done"
    offered = next(tool for tool in model.offered if tool.name == evaluate.name)
    assert offered.parameters_json_schema == evaluate.input_schema
    assert offered.metadata["annotations"]["read_only"] is True


async def test_a_failure_that_can_be_mended_asks_the_model_to_call_again(box, named):
    name = named("evaluate").name
    model = Scripted((name, {"expression": "6 x 7"}), (name, {"expression": "6 * 7"}))
    _, ran = await run(model, box)
    failed = next(
        part
        for message in model.seen
        for part in message.parts
        if isinstance(part, ToolReturnPart) and part.outcome == "retried"
    )
    assert "invalid" in str(failed.content) and "42" in model.result().content
    assert ran.output == "done"


async def test_another_failure_tells_the_model_what_is_wrong(box, named):
    model = Scripted((named("add").name, {"counter": "not a name"}))
    _, ran = await run(model, box)
    assert "a counter is called by 1 to 64" in model.result().content
    assert model.result().outcome == "failed" and ran.output == "done"


async def test_a_picture_is_shown_to_the_model(box, named, picture):
    model = Scripted((named("shrink").name, {"picture": picture, "longest_side": 8}))
    await run(model, box)
    content = model.result().content
    content = content if isinstance(content, list) else [content]
    (shown,) = [part for part in content if isinstance(part, BinaryContent)]
    assert shown.is_image and shown.data


@pytest.mark.parametrize("agreed", [True, False])
async def test_a_destructive_function_waits_for_a_person(box, named, counters, agreed):
    model = Scripted((named("forget").name, {"counter": "groceries"}))

    def decide(call):
        assert call.args == {"counter": "groceries"} and "groceries" in counters
        return True if agreed else ToolDenied("not that one")

    agent = pydantic_ai_agent.agent(FunctionModel(model), box)
    ran = await pydantic_ai_agent.run(agent, "go", decide)
    assert ran.output == "done"
    assert ("groceries" in counters) == (not agreed)
    assert agreed or "not that one" in str(model.result().content)


async def test_the_toolset_can_be_filtered_and_prefixed(box, named):
    name = named("evaluate").name
    toolset = ToolHubToolset(box).filtered(lambda _, tool: tool.name == name).prefixed("hub")
    model = Scripted((f"hub_{name}", {"expression": "6 * 7"}))
    await Agent(FunctionModel(model), toolsets=[toolset]).run("go")
    assert [tool.name for tool in model.offered] == [f"hub_{name}"]
    assert "42" in model.result().content


async def test_the_test_model_can_call_every_function_from_its_schema(box, named):
    name = named("evaluate").name
    toolset = ToolHubToolset([named("evaluate")], max_retries=0)
    model = TestModel(call_tools=[name])
    with pytest.raises(Exception, match="exceeded max retries"):
        # It makes the arguments up, so the calculator tells it to mend them.
        await Agent(model, toolsets=[toolset]).run("go")
