"""LlamaIndex's agent with its fake model, driven through the tool spec."""

import llama_index_agent
import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from tool_hub.llama_index import ToolHubSpec


def scripted(*calls):
    """The fake model, which makes calls one after another and then ends, and what it was shown."""
    left, seen = list(calls), []

    def answer(messages, **_):
        seen[:] = messages
        if not left:
            return ChatMessage(role="assistant", content="done")
        name, arguments = left.pop(0)
        call = ToolCallBlock(
            tool_call_id=f"call-{len(left)}", tool_name=name, tool_kwargs=arguments
        )
        return ChatMessage(role="assistant", blocks=[call])

    return MockFunctionCallingLLM(response_generator=answer, is_chat_model=True), seen


def result(seen):
    return next(message for message in reversed(seen) if message.role == "tool")


async def run(model, source):
    return await llama_index_agent.agent(model, source).run("go")


async def test_a_result_reaches_the_model_and_its_structured_value_the_program(box, named):
    evaluate = named("evaluate")
    model, seen = scripted((evaluate.name, {"expression": "6 * 7"}))
    ran = await run(model, box)
    assert "42" in result(seen).content and str(ran) == "done"
    (call,) = ran.tool_calls
    assert call.tool_output.raw_output["value"] == 42 and not call.tool_output.is_error


def test_the_schema_is_that_of_the_tool(box, named):
    evaluate = named("evaluate")
    (tool,) = ToolHubSpec(box).to_tool_list([evaluate.name])
    function = tool.metadata.to_openai_tool()["function"]
    assert function["name"] == evaluate.name
    assert function["parameters"]["properties"] == evaluate.input_schema["properties"]
    assert tool.metadata.fn_schema.model_json_schema() == evaluate.input_schema
    assert "42" in tool.call(expression="6 * 7").content


async def test_a_failure_teaches_the_model(box, named):
    model, seen = scripted((named("evaluate").name, {"expression": "6 x 7"}))
    ran = await run(model, box)
    assert "invalid" in result(seen).content and "Call again" in result(seen).content
    assert ran.tool_calls[0].tool_output.is_error


async def test_a_picture_is_shown_to_the_model(box, named, picture):
    model, seen = scripted((named("shrink").name, {"picture": picture, "longest_side": 8}))
    await run(model, box)
    (shown,) = [block for block in result(seen).blocks if isinstance(block, ImageBlock)]
    assert shown.image_mimetype.startswith("image/") and shown.resolve_image().read()


@pytest.mark.parametrize("response", ["approve", "not that one"])
async def test_a_destructive_function_waits_for_a_person(box, named, counters, response):
    model, seen = scripted((named("forget").name, {"counter": "groceries"}))
    asked = []

    def ask(name, arguments):
        asked.append((name, arguments))
        assert "groceries" in counters
        return response

    ran = await llama_index_agent.run(llama_index_agent.agent(model, box), "go", ask)
    assert asked == [(named("forget").name, {"counter": "groceries"})] and str(ran) == "done"
    assert ("groceries" in counters) == (response != "approve")
    assert response == "approve" or response in result(seen).content
