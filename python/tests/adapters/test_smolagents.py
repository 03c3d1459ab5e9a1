"""Tests of the smolagents adapter (tools and code executor), by agents with a scripted model."""

import PIL.Image
import pytest
import smolagents_calls
import smolagents_code
from smolagents import CodeAgent, Tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from tool_hub.smolagents import Executor, tools


class Scripted(Model):
    """Says one thing after another, and remembers what it was shown."""

    def __init__(self, *said):
        super().__init__(model_id="scripted")
        self.said, self.seen = list(said), []

    def generate(self, messages, **_):
        self.seen = messages
        said = self.said.pop(0)
        if isinstance(said, str):
            return ChatMessage(MessageRole.ASSISTANT, f"<code>\n{said}\n</code>")
        name, arguments = said
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id="1", type="function", function=function)
        return ChatMessage(MessageRole.ASSISTANT, "", tool_calls=[call])

    def shown(self):
        """The text of all that the model was shown last."""
        return "\n".join(
            part.get("text", "")
            for message in self.seen
            for part in message.content
            if isinstance(part, dict)
        )


def caller(source, *calls, approve=None):
    model = Scripted(*calls)
    agent = smolagents_calls.agent(model, source, approve, verbosity_level=0, max_steps=4)
    return agent, model


def coder(source, *codes, own=(), **options):
    model = Scripted(*codes)
    if not own and not options:
        return smolagents_code.agent(model, source, verbosity_level=0, max_steps=4), model
    mine = [*tools(source, **options), *own]
    agent = CodeAgent(mine, model, executor=Executor(source), verbosity_level=0, max_steps=4)
    return agent, model


def test_a_result_reaches_the_model_that_calls(box, named):
    call = (named("evaluate").name, {"expression": "6 * 7"})
    agent, model = caller(box, call, ("final_answer", {"answer": "42"}))
    assert agent.run("go") == "42"
    assert "42" in model.shown() and "'unit'" in model.shown()


def test_a_failure_teaches_the_model_that_calls(box, named):
    call = (named("evaluate").name, {"expression": "6 x 7"})
    agent, model = caller(box, call, ("final_answer", {"answer": "no"}))
    agent.run("go")
    assert "invalid" in model.shown() and "Call again" in model.shown()


def test_a_picture_is_one_of_pillow(box, named, picture):
    shrink = next(tool for tool in tools(box) if tool.name.endswith("shrink"))
    small = shrink(picture=picture, longest_side=8)
    assert isinstance(small, PIL.Image.Image)
    assert isinstance(shrink(picture=small, longest_side=4), PIL.Image.Image)


@pytest.mark.parametrize("agreed", [True, False, None])
def test_a_destructive_function_asks_who_approves(box, named, counters, agreed):
    asked = []

    def approve(tool, arguments):
        asked.append((tool.name, arguments))
        return agreed

    name = named("forget").name
    options = {} if agreed is None else {"approve": approve}
    call = (name, {"counter": "groceries"})
    agent, model = caller(box, call, ("final_answer", {"answer": "-"}), **options)
    agent.run("go")
    assert ("groceries" in counters) == (agreed is not True)
    assert asked == ([] if agreed is None else [(name, {"counter": "groceries"})])
    assert agreed or "was not called" in model.shown()


def test_code_runs_in_the_sandbox_and_calls_tools(box, named):
    name = named("evaluate").name
    first = f"result = {name}(expression='6 * 7')\nprint('it is', result['value'])"
    agent, model = coder(box, first, "final_answer(int(result['value']) + 1)")
    assert agent.run("go") == 43
    assert "it is 42" in model.shown()


def test_functions_classes_and_variables_are_kept(box):
    first = "import math\ndef area(r):\n    return math.pi * r ** 2\nsquares = [0, 1, 4, 9]"
    agent, _ = coder(box, first, "final_answer([squares, round(area(1), 2)])")
    assert agent.run("go") == [[0, 1, 4, 9], 3.14]


def test_code_finds_the_variables_of_a_run(box):
    agent, _ = coder(box, "total = sum(numbers)", "final_answer(total + len(numbers))")
    assert agent.run("go", additional_args={"numbers": [1, 2, 3]}) == 9


def test_pictures_go_in_and_come_out(box, named, picture):
    code = f"small = {named('shrink').name}(picture=photo, longest_side=8)\nfinal_answer(small)"
    agent, _ = coder(box, code)
    photo = PIL.Image.new("RGB", (16, 8))
    answer = agent.run("go", additional_args={"photo": photo})
    answer = answer.to_raw() if hasattr(answer, "to_raw") else answer
    assert isinstance(answer, PIL.Image.Image)


def test_code_that_fails_is_told_why(box):
    agent, model = coder(box, "x = 1\nx / 0", "final_answer('mended')")
    assert agent.run("go") == "mended"
    assert "ZeroDivisionError: division by zero" in model.shown() and "in line 2" in model.shown()


def test_code_reaches_nothing_but_the_tools(box):
    connect = "import socket\nsocket.create_connection(('127.0.0.1', 1))"
    agent, model = coder(box, "open('/etc/passwd').read()", connect, "final_answer('no')")
    assert agent.run("go") == "no"
    failed = [step.error.message for step in agent.memory.steps if getattr(step, "error", None)]
    assert len(failed) == 2 and "in line 1: open('/etc/passwd').read()" in failed[0]


def test_nothing_is_called_after_the_final_answer(box, named, counters):
    name = named("forget").name
    code = f"final_answer('first')\n{name}(counter='groceries')"
    agent, _ = coder(box, code, approve=lambda *_: True)
    assert agent.run("go") == "first" and "groceries" in counters


def test_the_final_answer_ends_a_loop(box):
    agent, _ = coder(box, "n = 0\nwhile True:\n    n += 1\n    final_answer(n)")
    assert agent.run("go") == 1


class Shout(Tool):
    """A tool of the agent's own, which runs outside the sandbox."""

    name, description, output_type = "shout", "Shouts.", "string"
    inputs = {"text": {"type": "string", "description": "what"}}

    def forward(self, text: str) -> str:
        if not text:
            raise ValueError("nothing to shout")
        return text.upper()


def test_other_tools_of_the_agent_are_called_too(box):
    codes = ["shout('')", "final_answer(shout('hey'))"]
    agent, model = coder(box, *codes, own=[Shout()])
    assert agent.run("go") == "HEY" and "nothing to shout" in model.shown()


def test_what_cannot_go_in_or_out_is_said(box):
    class Frame:
        pass

    agent, model = coder(box, "final_answer(complex(1, 2))", "final_answer('plain')")
    assert agent.run("go") == "plain" and "complex is nothing" in model.shown()
    with pytest.raises(TypeError, match="`frame`: a Frame cannot go into the sandbox"):
        coder(box, "final_answer(1)")[0].run("go", additional_args={"frame": Frame()})


def test_without_an_interpreter_it_says_what_to_load(box, named):
    with pytest.raises(LookupError, match="run-python"):
        Executor([named("evaluate")])
