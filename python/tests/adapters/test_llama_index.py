"""Tests of the LlamaIndex adapter, by a LlamaIndex agent with a fake model."""

import asyncio
import itertools

import llama_index_agent
import pytest
from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.workflow import (
    Context,
    HumanResponseEvent,
    InputRequiredEvent,
    JsonSerializer,
)

from tool_hub.llama_index import ToolHubSpec


def scripted(*calls):
    """The fake model, which makes calls one after another and then ends, and what it was shown."""
    return scripted_turns(*([call] for call in calls))


def scripted_turns(*turns):
    """The same with several calls in each turn: name, arguments, and an id if it matters."""
    left, seen = list(turns), []

    def answer(messages, **_):
        seen[:] = messages
        if not left:
            return ChatMessage(role="assistant", content="done")
        ids = (f"call-{len(left)}-{n}" for n in itertools.count())
        calls = [
            ToolCallBlock(
                tool_call_id=given[0] if given else next(ids), tool_name=name, tool_kwargs=arguments
            )
            for name, arguments, *given in left.pop(0)
        ]
        return ChatMessage(role="assistant", blocks=calls)

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


@pytest.mark.parametrize("ids", [(), ("call",)])
@pytest.mark.parametrize("several_agents", [False, True])
async def test_identical_calls_are_asked_one_by_one(box, named, counters, several_agents, ids):
    """Six in one turn, each with its own answer, even where a model gives them all one id."""
    forget = named("forget").name
    model, _ = scripted_turns([(forget, {"counter": "groceries"}, *ids)] * 6)
    agent = llama_index_agent.agent(model, box)
    agent = AgentWorkflow(agents=[agent]) if several_agents else agent
    asked = []

    def ask(name, arguments):
        asked.append((name, arguments))
        return "approve" if len(asked) == 3 else f"no, says number {len(asked)}"

    ran = await asyncio.wait_for(llama_index_agent.run(agent, "go", ask), 60)
    assert asked == [(forget, {"counter": "groceries"})] * 6
    assert len(ran.tool_calls) == 6 and "groceries" not in counters
    said = [call.tool_output.content for call in ran.tool_calls]
    for number in (1, 2, 4, 5, 6):
        assert sum(f"no, says number {number}" in text for text in said) == 1
    assert sum("was not called" in text for text in said) == 5


async def test_an_answer_after_a_pause_is_for_one_call_only(box, named, counters):
    """A run is saved while two calls wait, goes on elsewhere, and is told of the first at once."""
    counters["petrol"] = 1
    forget = named("forget").name
    calls = [(forget, {"counter": "groceries"}), (forget, {"counter": "petrol"})]
    model, _ = scripted_turns(calls)
    agent = llama_index_agent.agent(model, box)
    running = agent.run("go")
    waiting = {}
    async for event in running.stream_events():
        if isinstance(event, InputRequiredEvent):
            waiting[event.tool_kwargs["counter"]] = event.waiter_id
            if len(waiting) == 2:
                break
    with pytest.warns(Warning, match="memory"):
        saved = running.ctx.to_dict(JsonSerializer())
    await running.cancel_run()

    context = Context.from_dict(agent, saved, JsonSerializer())
    await context.store.set("memory", ChatMemoryBuffer.from_defaults(llm=model))
    running = agent.run(ctx=context)
    answers = {"groceries": "approve", "petrol": "not that one"}
    for counter, response in answers.items():
        answer = HumanResponseEvent(response=response, waiter_id=waiting[counter])
        running.ctx.send_event(answer)
        await asyncio.sleep(0.5)
    ran = await asyncio.wait_for(running, 60)
    assert "groceries" not in counters and "petrol" in counters
    said = {call.tool_kwargs["counter"]: call.tool_output.content for call in ran.tool_calls}
    assert "not that one" in said["petrol"] and "was not called" not in said["groceries"]
