"""Tests of synchronous calls from Python: values, failures, parts of replies, callbacks."""

import asyncio
import json
import pickle

import pytest
import tool_hub


def test_values_are_plain(guest, approved):
    assert guest["guest__add"](a=20, b=22) == 42
    assert guest["guest__echo"](text="é\n\u2028") == "é\n\u2028"
    assert guest["guest__bounds"](low=-1, high=2) == {"low": -1, "high": 2}
    calculator = approved("calculator")
    assert "42" in str(calculator["calculator__evaluate"](expression="6 * 7"))


def test_a_picture_is_an_image(guest):
    picture = guest["guest__picture"]()
    assert picture == tool_hub.Image(b"\x89PNG", "image/png")


def test_a_picture_opens_in_pillow(approved):
    import io

    import PIL.Image

    file = io.BytesIO()
    PIL.Image.new("RGB", (64, 32), "red").save(file, "PNG")
    shrink = approved("thumbnail")["thumbnail__shrink"]
    picture = tool_hub.Image(file.getvalue(), "image/png")
    reply = shrink.call({"picture": picture, "longest_side": 16})
    pictures = [part for part in reply.content if isinstance(part, tool_hub.Image)]
    assert max(pictures[0].pil().size) == 16


def test_tools_describe_themselves(guest):
    add = guest["guest__add"]
    assert list(add.input_schema["properties"]) == ["a", "b"]
    assert add.output_schema["type"] == "integer"
    assert add.annotations == tool_hub.Annotations()
    add.input_schema["properties"].clear()
    assert list(add.input_schema["properties"]) == ["a", "b"]
    assert "guest__add" in guest and len(guest) == len(list(guest))
    with pytest.raises(KeyError):
        guest["nothing"]


def test_the_text_of_a_model_is_repaired(guest):
    reply = guest["guest__add"].call('{"a": "20", "b": 22}')
    assert reply.value == 42
    assert reply.structured == 42
    assert "42" in reply.text and len(reply.text) > 2
    assert reply.usage["total_us"] > 0


def test_a_failure_teaches(guest):
    with pytest.raises(tool_hub.ToolError) as failed:
        guest["guest__add"](a="x", b=1)
    error = failed.value
    assert error.kind == "invalid-argument"
    assert error.argument == "a"
    assert "for example" in error.fix
    assert error.retryable is False
    assert error.text.startswith("`guest__add` failed (invalid argument)")
    assert "Call again with changed arguments." in error.text
    again = pickle.loads(pickle.dumps(error))
    assert (again.kind, again.text, again.fix) == (error.kind, error.text, error.fix)


def test_a_tool_that_refuses(guest):
    with pytest.raises(tool_hub.ToolError) as failed:
        guest["guest__refuse"](text="no such note")
    assert failed.value.kind == "failed"
    assert failed.value.message == "no such note"


def test_what_json_cannot_say_is_refused_before_the_call(guest):
    with pytest.raises(ValueError):
        guest["guest__add"](a=float("nan"), b=1)
    with pytest.raises(TypeError, match="cannot be given to a tool"):
        guest["guest__add"](a=object(), b=1)


def test_an_argument_may_have_any_name(guest):
    with pytest.raises(tool_hub.ToolError):
        guest["guest__add"](self=1, name=2, arguments=3)


def test_progress_is_heard_on_this_thread(guest):
    import threading

    heard = []
    reply = guest["guest__work"].call(
        {}, on_progress=lambda *told: heard.append((threading.get_ident(), *told))
    )
    assert reply.value == 2
    assert heard == [(threading.get_ident(), 1.0, 2.0, "halfway")]


def test_a_question_is_answered(guest):
    asked = []

    def answer(question):
        asked.append((question.key, question.text, question.schema["type"]))
        return {"ok": True}

    reply = guest["guest__confirm"].call({}, on_question=answer)
    assert json.loads(reply.value) == {"ok": True}
    assert asked == [("sure", "Delete 12 notes?", "object"), ("really", "Really?", "object")]


def test_a_question_that_nobody_answers(guest):
    confirm = guest["guest__confirm"]
    with pytest.raises(tool_hub.ToolError, match="nobody said yes"):
        confirm.call({})
    with pytest.raises(tool_hub.ToolError, match="nobody said yes"):
        confirm.call({}, on_question=lambda question: None)


#: What `on_question` gives, and what the tool is told.
ANSWERS = [
    ({"ok": True}, '{"ok":true}'),
    (None, "declined"),
    ("cancelled", "cancelled"),
    # What does not fit the question is no answer.
    ({"ok": 5}, "cancelled"),
    ("yes", "cancelled"),
]


@pytest.mark.parametrize(("answer", "told"), ANSWERS)
def test_a_tool_is_told_how_a_question_ended(answers, answer, told):
    async def later(_):
        return answer

    ask = answers.only()
    assert ask.call({}, on_question=lambda _: answer).value == told
    assert asyncio.run(ask.acall_reply({}, on_question=later)).value == told


def test_a_tool_is_told_that_there_is_nobody_to_ask(answers):
    assert answers() == "unavailable"


class Mine(Exception):
    """An exception of the caller's own."""


def test_what_a_callback_raises_ends_the_call(guest):
    def raises(*_):
        raise Mine("enough")

    with pytest.raises(Mine):
        guest["guest__work"].call({}, on_progress=raises)
    with pytest.raises(Mine):
        guest["guest__confirm"].call({}, on_question=raises)
    assert guest["guest__add"](a=1, b=1) == 2


def test_an_asynchronous_callback_has_no_place_in_a_synchronous_call(guest):
    async def answer(question):
        return {"ok": True}

    with pytest.raises(TypeError, match="acall_reply"):
        guest["guest__confirm"].call({}, on_question=answer)


def test_output_is_handed_over(approved):
    outputs = []
    counters = approved("tally", {"storage": True})
    counters["tally__add"].call({"counter": "lines"}, on_output=outputs.append)
    (output,) = outputs
    assert output.log[0].level == "info" and "lines grew by 1" in output.log[0].message
    assert (output.stdout, output.stderr, output.dropped_bytes) == ("", "", 0)


def test_tools_for_a_model_have_long_answers_read_in_pieces(guest):
    presented = guest.presented(answer_bytes_max=1000)
    assert "read_answer" in presented
    long = "line\n" * 2000
    assert guest["guest__echo"](text=long) == long
    text = presented["guest__echo"].call({"text": long}).text
    assert len(text) < 3000 and "read_answer" in text
    searched = guest.presented(listed_max=2)
    assert {"search_tools", "describe_tool", "call_tool"} <= set(searched)


def test_only_one_function_can_be_called_through_its_tools(guest):
    with pytest.raises(tool_hub.Error, match="not one function but"):
        guest(a=1)
