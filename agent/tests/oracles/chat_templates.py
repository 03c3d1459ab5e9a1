"""Prints, as JSON lines, how Transformers prints our conversations with real models' templates.

usage: chat_templates.py VERSION_OF_LLAMA_CPP_PYTHON

The templates are those in the source distribution of llama_cpp_python, which is downloaded and
not built.
"""

import contextlib
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from transformers.utils import chat_template_utils

NOW = datetime.datetime(2026, 3, 7, 14, 5, 9)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


class Clock(datetime.datetime):
    """Templates may ask for the time."""

    @classmethod
    def now(cls, tz=None):
        return NOW


chat_template_utils.datetime = Clock


def function(name, description, properties, required, **others):
    parameters = {"type": "object", "properties": properties, "required": required}
    about = {"name": name, "description": description, "parameters": parameters, **others}
    return {"type": "function", "function": about}


WEATHER = function(
    "get_weather",
    'Says what the weather is like in a "city" <now>.',
    {
        "city": {"type": "string", "description": "The city’s name, such as Zürich & co."},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "default": 3},
        "precise": {"type": "boolean"},
        "limits": {"type": "array", "items": {"type": "number"}},
    },
    ["city"],
    **{"return": {"type": "object", "properties": {"temperature": {"type": "number"}}}},
)
ADD = function("add", "Adds.", {"a": {"type": "number"}, "b": {"type": "number"}}, ["a", "b"])


def message(role, content, **others):
    return {"role": role, "content": content, **others}


def call(name, id, **arguments):
    return {"type": "function", "id": id, "function": {"name": name, "arguments": arguments}}


def result(name, id, content):
    return message("tool", content, name=name, tool_call_id=id)


KIND = message("system", "You are kind.")
CHATS = {
    "one question": {"messages": [message("user", "Hello, how are you?")]},
    "turns": {
        "messages": [
            KIND,
            message("user", "1 + 1?"),
            message("assistant", "2"),
            message("user", 'And <b>3</b> & "4"?\n '),
        ]
    },
    "tools": {
        "messages": [KIND, message("user", "What is the weather in Zürich?")],
        "tools": [WEATHER, ADD],
    },
    "a call": {
        "messages": [
            message("user", "Weather in Zürich?"),
            message(
                "assistant",
                "",
                tool_calls=[
                    call("get_weather", "abc123def", city="Zürich", days=2, precise=True, limits=[1.0, 2.5, None])
                ],
            ),
            result("get_weather", "abc123def", '{"temperature": 21.5}'),
            message("assistant", "It is 21.5 °C."),
        ],
        "tools": [WEATHER],
        "add_generation_prompt": False,
    },
    "parallel calls": {
        "messages": [
            message("system", "Be brief."),
            message("user", "Weather in Bern and 1 + 2?"),
            message(
                "assistant",
                "Let me see.",
                tool_calls=[call("get_weather", "abc123def", city="Bern"), call("add", "xyz789ghi", a=1, b=2)],
            ),
            result("get_weather", "abc123def", "rain"),
            result("add", "xyz789ghi", "3"),
        ],
        "tools": [WEATHER, ADD],
    },
    "reasoning": {
        "messages": [
            message("user", "Think."),
            message("assistant", "Done.", reasoning_content="First this,\nthen that."),
            message("user", "Again."),
        ]
    },
    "documents": {
        "messages": [message("system", ""), message("user", "Hi")],
        "documents": [{"title": "A", "text": "alpha"}],
    },
    "going on": {
        "messages": [message("user", "Count."), message("assistant", "One, two, ")],
        "add_generation_prompt": False,
        "continue_final_message": "content",
    },
}


def templates(version):
    """The templates by their names. The build may fail, but only after the source is unpacked."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", place, "--no-deps", "--no-clean"]
        command += ["--no-binary", ":all:", "--no-build-isolation", f"llama_cpp_python=={version}"]
        done = subprocess.run(command, env={**os.environ, "TMPDIR": place}, capture_output=True, text=True)
        found = sorted(Path(place).glob("**/llama.cpp/models/templates/*.jinja"))
        if not found:
            sys.exit(f"no templates were found:\n{done.stdout}{done.stderr}")
        return {path.name: path.read_text(encoding="utf-8") for path in found}


def main(version):
    for name, template in templates(version).items():
        for about, chat in CHATS.items():
            case = {"template": name, "source": template, "about": about, "chat": chat}
            arguments = {"tools": None, "documents": None, "add_generation_prompt": True, **chat, **TOKENS}
            conversations = [arguments.pop("messages")]
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    printed, _ = chat_template_utils.render_jinja_template(
                        conversations=conversations, chat_template=template, **arguments
                    )
                case["printed"] = printed[0]
            except Exception as error:  # whatever it is: it is the answer
                case["error"] = f"{type(error).__name__}: {error}"
            print(json.dumps({**case, "tokens": TOKENS}))


main(*sys.argv[1:])
