"""Tests of the FastMCP adapter (provider and code sandbox), by FastMCP's client in memory."""

import json

import fastmcp_code
import fastmcp_server
import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.elicitation import ElicitResult
from fastmcp.exceptions import ToolError
from fastmcp.experimental.transforms.code_mode import CodeMode
from fastmcp.server import create_proxy
from fastmcp.server.transforms import ToolTransform
from fastmcp.tools.tool_transform import ToolTransformConfig
from mcp.shared.exceptions import MCPError

from tool_hub.fastmcp import Sandbox, ToolHubProvider


@pytest.fixture
async def client(box):
    async with Client(fastmcp_server.server(box)) as client:
        yield client


@pytest.fixture
async def coder(box):
    async with Client(fastmcp_code.server(box)) as client:
        yield client


async def test_a_client_sees_the_tools(client, named):
    evaluate = named("evaluate")
    tools = {tool.name: tool for tool in await client.list_tools()}
    offered = tools[evaluate.name]
    assert offered.input_schema == evaluate.input_schema
    assert offered.output_schema["properties"]["value"]
    assert offered.annotations.read_only_hint is True
    assert tools[named("forget").name].annotations.destructive_hint is True


async def test_a_client_gets_text_the_structured_value_and_progress(client, named):
    reports = []

    async def report(done, total, message):
        reports.append((done, total, message))

    name = named("evaluate").name
    result = await client.call_tool(name, {"expression": "6 * 7"}, progress_handler=report)
    assert "42" in result.content[0].text and result.structured_content["value"] == 42


async def test_a_failure_teaches_the_model(client, named):
    name = named("evaluate").name
    result = await client.call_tool(name, {"expression": "6 x 7"}, raise_on_error=False)
    assert result.is_error and "Call again" in result.content[0].text
    assert result.meta["tool-hub/failure"]["kind"] == "invalid-argument"


async def test_a_picture_is_a_picture(client, named, picture):
    name = named("shrink").name
    result = await client.call_tool(name, {"picture": picture, "longest_side": 8})
    (shown,) = [part for part in result.content if part.type == "image"]
    assert shown.mime_type.startswith("image/") and shown.data


#: How clients connect: with a session, and as the protocol does since 2026-07-28, without one.
MODES = ["legacy", "auto"]


def asking(guest, handler, mode):
    """A client of the guest whose person answers by `handler`."""
    return Client(fastmcp_server.server(guest), elicitation_handler=handler, mode=mode)


async def confirm(client, **options):
    return await client.call_tool("guest__confirm", {}, raise_on_error=False, **options)


@pytest.mark.parametrize("mode", MODES)
async def test_questions_of_a_tool_are_forms_of_the_client(guest, mode):
    asked = []

    async def person(message, _, params, __):
        asked.append((message, params.requested_schema["properties"]["ok"]["type"]))
        return {"ok": len(asked) == 2}

    async with asking(guest, person, mode) as client:
        assert (client.protocol_version >= "2026-07-28") == (mode == "auto")
        result = await confirm(client)
        assert json.loads(result.content[0].text) == {"ok": True}
        first, second = asked
        assert first == ("The tool `guest__confirm` asks: Delete 12 notes?", "boolean")
        assert second == ("The tool `guest__confirm` asks: Really?", "boolean")
        # Answers belong to one call.
        await confirm(client)
        assert len(asked) == 4


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("action", "told"), [("decline", "declined"), ("cancel", "cancelled")])
async def test_a_tool_is_told_how_a_question_ended(answers, mode, action, told):
    asked = []

    async def person(*question):
        asked.append(question)
        return ElicitResult(action=action)

    async with asking(answers, person, mode) as client:
        result = await client.call_tool(answers.only().name, {})
    assert result.content[0].text == told
    assert len(asked) == 1


@pytest.mark.parametrize("mode", MODES)
async def test_where_a_client_has_no_forms_nobody_is_asked(guest, mode):
    async with Client(fastmcp_server.server(guest), mode=mode) as client:
        result = await confirm(client)
    assert result.is_error and "nobody said yes" in result.content[0].text
    called = await fastmcp_server.server(guest).call_tool("guest__confirm", {})
    assert called.is_error and "nobody said yes" in called.content[0].text


async def test_a_client_that_fails_to_ask_ends_the_call(guest):
    async def person(*_):
        raise RuntimeError("the screen is off")

    async with asking(guest, person, "legacy") as client:
        result = await confirm(client)
        assert result.is_error and "the screen is off" in result.content[0].text
        assert result.meta["tool-hub/failure"]["kind"] == "unavailable"
        added = await client.call_tool("guest__add", {"a": 1, "b": 1})
        assert added.content[0].text == "2"


async def test_answers_are_sealed_for_one_call(guest):
    """What a client carries to the next round is no other call's, and it cannot change it."""
    async with asking(guest, lambda *_: None, "auto") as client:
        call = client.session.call_tool
        first = await call("guest__confirm", {}, allow_input_required=True)
        assert list(first.input_requests) == ["sure"]
        yes = {"sure": {"action": "accept", "content": {"ok": True}}}
        answered = {"input_responses": yes, "allow_input_required": True}
        second = await call("guest__confirm", {}, request_state=first.request_state, **answered)
        assert list(second.input_requests) == ["really"]
        for name, state in [
            ("guest__add", second.request_state),
            ("guest__confirm", second.request_state[:-2] + "xx"),
            ("guest__confirm", '{"really": {"ok": true}}'),
        ]:
            with pytest.raises(MCPError, match="(?i)state"):
                await call(name, {}, request_state=state, **answered)


async def test_a_tool_that_code_calls_asks_nobody(guest, approved):
    """What the code did before a question would be done again with its answer."""

    async def person(*_):
        raise AssertionError("it was asked")

    tools = {**guest, **approved("run-python")}
    async with Client(fastmcp_code.server(tools), elicitation_handler=person) as client:
        result = await execute(client, "return await call_tool('guest__confirm', {})")
    assert result.is_error and "nobody said yes" in result.content[0].text


def beneath(guest, name):
    """A server with the guest's tools and what may stand above them, each in another way."""
    below = fastmcp_server.server(guest)
    match name:
        case "mounted":
            above = FastMCP("above")
            above.mount(below, namespace="below")
            return above, "below_guest__confirm"
        case "mounted twice":
            middle, above = FastMCP("middle"), FastMCP("above")
            middle.mount(below, namespace="below")
            above.mount(middle, namespace="middle")
            return above, "middle_below_guest__confirm"
        case "mounted and renamed":
            renamed = {"guest__confirm": ToolTransformConfig(name="sure")}
            above = FastMCP("above", transforms=[ToolTransform(renamed)])
            above.mount(below)
            return above, "sure"
        case "proxied":
            proxy, above = create_proxy(below), FastMCP("above")
            above.mount(proxy, namespace="below")
            return above, "below_guest__confirm"
        case "in a namespace":
            above = FastMCP("above")
            above.add_provider(ToolHubProvider(guest), namespace="below")
            return above, "below_guest__confirm"


WAYS = ["mounted", "mounted twice", "mounted and renamed", "proxied", "in a namespace"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", MODES)
async def test_tools_of_a_mounted_server_ask_as_its_own_do(guest, mode, way):
    asked = []

    async def person(message, *_):
        asked.append(message)
        return {"ok": True}

    above, name = beneath(guest, way)
    async with Client(above, elicitation_handler=person, mode=mode) as client:
        result = await client.call_tool(name, {}, raise_on_error=False)
    assert [message.partition(" asks: ")[2] for message in asked] == ["Delete 12 notes?", "Really?"]
    assert json.loads(result.content[0].text) == {"ok": True}


@pytest.mark.parametrize("name", ["guest__confirm", "confirm"])
async def test_a_mounted_tool_that_another_tool_calls_asks_nobody(guest, name):
    """What the other did before a question would be done again with its answer."""

    async def person(*_):
        raise AssertionError("it was asked")

    below, above = fastmcp_server.server(guest), FastMCP("above")

    async def calls():
        result = await below.call_tool("guest__confirm", {})
        return result.content[0].text

    above.tool(calls, name=name)
    above.mount(below, namespace="below")
    async with Client(above, elicitation_handler=person) as client:
        result = await client.call_tool(name, {})
    assert "nobody said yes" in result.content[0].text


@pytest.mark.parametrize("place", ["above", "below"])
async def test_a_mounted_tool_that_code_calls_asks_nobody(guest, approved, place):
    async def person(*_):
        raise AssertionError("it was asked")

    sandbox = approved("run-python")
    code_mode = [CodeMode(sandbox_provider=Sandbox(sandbox))]
    below = FastMCP("below", providers=[ToolHubProvider(guest)])
    above = FastMCP("above", transforms=code_mode if place == "above" else [])
    if place == "below":
        below.add_transform(code_mode[0])
    above.mount(below, namespace="below")
    name = "below_guest__confirm" if place == "above" else "guest__confirm"
    execute = "execute" if place == "above" else "below_execute"
    code = {"code": f"return await call_tool('{name}', {{}})"}
    async with Client(above, elicitation_handler=person) as client:
        result = await client.call_tool(execute, code, raise_on_error=False)
    assert result.is_error and "nobody said yes" in result.content[0].text


async def execute(client, code):
    return await client.call_tool("execute", {"code": code}, raise_on_error=False)


async def test_code_calls_tools_and_returns_what_it_makes_of_them(coder, named):
    name = named("evaluate").name
    code = f"""
import asyncio
one = await call_tool("{name}", {{"expression": "6 * 7"}})
calls = [call_tool("{name}", {{"expression": f"{{n}} * 1"}}) for n in range(3)]
many = await asyncio.gather(*calls)
if many:
    return {{"sum": one["value"], "count": len(many)}}
"""
    result = await execute(coder, code)
    assert not result.is_error, result
    assert '"sum":42' in result.content[0].text.replace(" ", "").replace("42.0", "42")
    assert '"count":3' in result.content[0].text.replace(" ", "")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = 1\nreturn 1 / 0", "ZeroDivisionError: division by zero\nin line 2: return 1 / 0"),
        ("return (", "SyntaxError"),
        ("import socket\nreturn socket.create_connection(('127.0.0.1', 1))", "line"),
        ("return open('/etc/passwd').read()", "line 1"),
        ("await call_tool('no_such_tool', {})", "Unknown tool"),
    ],
)
async def test_code_that_fails_is_told_why(coder, code, told):
    result = await execute(coder, code)
    assert result.is_error and told in result.content[0].text


async def test_a_failure_of_a_tool_reaches_the_code_with_its_text(coder, named):
    name = named("evaluate").name
    code = f"""
try:
    await call_tool("{name}", {{"expression": "6 x 7"}})
except Exception as error:
    return str(error)
"""
    result = await execute(coder, code)
    assert "Call again" in result.content[0].text


async def test_the_sandbox_is_a_plain_provider(box):
    sandbox = Sandbox(box)
    assert await sandbox.run("return a + 1", inputs={"a": 1}) == 2
    assert await sandbox.run("a + 1", inputs={"a": 1}) == 2
    assert await sandbox.run("print('hello')") == "hello\n"

    def double(number):
        return number * 2

    assert await sandbox.run("return await double(4)", external_functions={"double": double}) == 8
    assert (await sandbox.run("return object()")).startswith("<object")
    with pytest.raises(ToolError, match="NameError"):
        await sandbox.run("return missing")
