"""Tests of the LangChain adapter, by a LangChain agent with a fake model."""

import uuid

import langchain_agent
import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tool_hub.langchain import tools


class Model(GenericFakeChatModel):
    """The fake model, which takes tools and remembers what it was shown."""

    seen: list = []
    offered: list = []

    def bind_tools(self, tools, **_):
        self.offered[:] = tools
        return self

    def _generate(self, messages, *rest, **options):
        self.seen.append(list(messages))
        return super()._generate(messages, *rest, **options)


def scripted(*calls):
    answers = [
        AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{number}"}])
        for number, (name, args) in enumerate(calls)
    ]
    return Model(messages=iter([*answers, AIMessage("done")]), seen=[], offered=[])


def result(messages):
    return next(it for it in reversed(messages) if isinstance(it, ToolMessage))


def run(model, source, **options):
    agent = langchain_agent.agent(model, source)
    if options:
        agent = create_agent(model, tools(source, **options), checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": str(uuid.uuid4())}}
    return agent, thread, agent.invoke({"messages": [("user", "go")]}, thread)


def test_a_result_reaches_the_model_and_its_structured_value_the_program(box, named):
    evaluate = named("evaluate")
    model = scripted((evaluate.name, {"expression": "6 * 7"}))
    _, _, state = run(model, box)
    message = result(model.seen[-1])
    assert "42" in message.content and message.status == "success"
    assert message.artifact["value"] == 42
    assert state["messages"][-1].content == "done"
    offered = next(tool for tool in model.offered if tool.name == evaluate.name)
    assert offered.tool_call_schema["properties"] == evaluate.input_schema["properties"]


async def test_it_is_asynchronous_too(box, named):
    model = scripted((named("evaluate").name, {"expression": "6 * 7"}))
    agent = create_agent(model, tools(box))
    await agent.ainvoke({"messages": [("user", "go")]})
    assert "42" in result(model.seen[-1]).content


def test_a_failure_teaches_the_model(box, named):
    model = scripted((named("evaluate").name, {"expression": "6 x 7"}))
    run(model, box)
    message = result(model.seen[-1])
    assert message.status == "error"
    assert "invalid" in message.content and "Call again" in message.content


def test_a_picture_is_a_content_block(box, named, picture):
    model = scripted((named("shrink").name, {"picture": picture, "longest_side": 8}))
    run(model, box)
    (block,) = [it for it in result(model.seen[-1]).content_blocks if it["type"] == "image"]
    assert block["mime_type"].startswith("image/") and block["base64"]


@pytest.mark.parametrize(
    ("decision", "status"),
    [({"type": "approve"}, "success"), ({"type": "reject", "message": "not that one"}, "error")],
)
def test_a_destructive_function_waits_for_a_person(box, named, counters, decision, status):
    model = scripted((named("forget").name, {"counter": "groceries"}))
    agent, thread, state = run(model, box)
    (waiting,) = state["__interrupt__"]
    assert waiting.value["action_requests"][0]["args"] == {"counter": "groceries"}
    assert "groceries" in counters
    if decision == {"type": "approve"}:
        langchain_agent.approve(agent, thread)
    else:
        agent.invoke(Command(resume={"decisions": [decision]}), thread)
    message = result(model.seen[-1])
    assert message.status == status
    assert ("groceries" in counters) == (status == "error")
    assert decision.get("message", "") in message.content


def test_a_person_may_edit_the_arguments(box, named, counters):
    counters["rubbish"] = 1
    model = scripted((named("forget").name, {"counter": "groceries"}))
    agent, thread, _ = run(model, box)
    edited = {"name": named("forget").name, "args": {"counter": "rubbish"}}
    decision = {"type": "edit", "edited_action": edited}
    agent.invoke(Command(resume={"decisions": [decision]}), thread)
    assert "groceries" in counters and "rubbish" not in counters


def test_a_function_of_ones_own_may_decide(box, named, counters):
    asked = []
    model = scripted((named("forget").name, {"counter": "groceries"}))
    run(model, box, approve=lambda tool, arguments: asked.append(arguments))
    assert asked == [{"counter": "groceries"}] and "groceries" in counters
    assert "refused" in result(model.seen[-1]).content
