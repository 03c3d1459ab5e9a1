"""Tests of the Transformers adapter: a scripted model's calls, and `load_tool` from a registry."""

import json
import os
import subprocess
import sys

import load_tool as example
import pytest
import transformers_chat
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

import tool_hub
from tool_hub.transformers import Tool, answers, load_tool, tools

TEMPLATE = """\
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{% for message in messages %}<|{{ message.role }}|>{{ message.content }}\
{% for call in message.tool_calls or [] %}<call>{{ call | tojson }}</call>{% endfor %}
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""


@pytest.fixture
def tokenizer():
    words = Tokenizer(WordLevel({"<unk>": 0}, unk_token="<unk>"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, chat_template=TEMPLATE)
    call = {"open": "<call>", "close": "</call>", "content": "json", "repeats": True}
    tokenizer.response_template = {
        "start_anchor": "<|assistant|>",
        "defaults": {"role": "assistant", "content": ""},
        "fields": {"tool_calls": call, "content": {}},
    }
    return tokenizer


def run(tokenizer, box, *calls, approve=None):
    said = [f"<call>{json.dumps({'name': n, 'arguments': a})}</call>" for n, a in calls]
    prompts = []

    def generate(prompt):
        prompts.append(prompt)
        return said.pop(0) if said else "done"

    messages = transformers_chat.chat(tokenizer, generate, box, "go", approve)
    assert messages[-1]["content"] == "done"
    return prompts, [message for message in messages if message["role"] == "tool"]


def test_a_result_reaches_the_model(tokenizer, box, named):
    evaluate = named("evaluate")
    prompts, (result,) = run(tokenizer, box, (evaluate.name, {"expression": "6 * 7"}))
    assert result["name"] == evaluate.name and "42" in result["content"]
    assert result["content"] in prompts[-1]
    assert f'"name": "{evaluate.name}"' in prompts[0]


def test_a_failure_teaches_the_model(tokenizer, box, named):
    calls = (named("evaluate").name, {"expression": "6 x 7"}), ("no_such", {})
    _, (failed, unknown) = run(tokenizer, box, *calls)
    assert "invalid" in failed["content"] and "Call again" in failed["content"]
    assert named("evaluate").name in unknown["content"]


def test_a_picture_is_a_part_for_the_processor(box, named, picture):
    call = {"name": named("shrink").name, "arguments": {"picture": picture, "longest_side": 8}}
    (message,) = answers(box, [{"type": "function", "function": call}])
    (part,) = [part for part in message["content"] if part["type"] == "image"]
    assert max(part["image"].size) <= 8


@pytest.mark.parametrize("agreed", [True, False])
def test_a_destructive_function_asks_who_approves(tokenizer, box, named, counters, agreed):
    call = (named("forget").name, {"counter": "groceries"})
    _, (result,) = run(tokenizer, box, call, approve=lambda *_: agreed)
    assert ("groceries" in counters) == (not agreed)
    assert agreed or "the user refused" in result["content"]


def test_a_tool_is_what_chat_templates_take(box, named):
    tool = Tool(named("evaluate"))
    assert tool.json_schema in tools(box)
    assert tool.json_schema["function"]["parameters"] == named("evaluate").input_schema
    assert tool(expression="6 * 7")["value"] == 42
    with pytest.raises(ValueError, match="came from a registry"):
        tool.push_to_hub("ada/calculator")


@tool_hub.tool(name="word-count", version="0.3.0")
def count_words(text: str) -> int:
    """Counts the words of a text.

    Args:
        text: The text.

    Returns:
        How many there are.
    """
    return len(text.split())


#: Loads what a digest approves, and calls it: in a process and a home that have seen nothing of it.
ELSEWHERE = """
import json, sys
from tool_hub.transformers import load_tool

count_words = load_tool(sys.argv[1], approve=sys.argv[2])
print(json.dumps([count_words.json_schema["function"], count_words(text="to be or not to be")]))
"""


def test_a_function_goes_to_the_hub_and_comes_back_in_another_home(registry, tmp_path, monkeypatch):
    package = count_words.build(tmp_path / "word-count")
    here = load_tool(str(package), approve=tool_hub.load(package).digest)
    assert here(text="to be") == count_words("to be") == 2
    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    pushed = here.push_to_hub("ada/word-count")
    assert (pushed.repo, pushed.version) == ("ada/word-count", "0.3.0")
    monkeypatch.delenv("HF_TOKEN")

    words = [sys.executable, "-c", ELSEWHERE, pushed.repo, pushed.digest]
    another = {**os.environ, "TOOL_HUB_HOME": str(tmp_path / "another")}
    ended = subprocess.run(words, capture_output=True, text=True, env=another)
    assert ended.returncode == 0, ended.stderr
    function, count = json.loads(ended.stdout)
    assert count == 6 and function == here.json_schema["function"]


@pytest.fixture
def calculator(registry, sample, monkeypatch):
    """The calculator on the registry: its repo, and the digest that an inspection shows."""
    package = str(sample("calculator"))
    digest = tool_hub.load(package).digest
    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    load_tool(package, approve=digest, function="evaluate").push_to_hub("ada/calculator")
    monkeypatch.delenv("HF_TOKEN")
    return "ada/calculator", digest


def test_one_function_of_several_is_loaded_from_the_hub(calculator):
    repo, digest = calculator
    assert round(example.evaluate(repo, digest)["value"], 3) == 3.107
    for function in (None, "no_such"):
        with pytest.raises(ValueError, match="has to name one of calculator__evaluate, "):
            load_tool(repo, approve=digest, function=function)


def test_a_wrong_digest_is_refused(calculator):
    repo, digest = calculator
    other = f"sha256:{'0' * 64}"
    with pytest.raises(tool_hub.RefusedError) as refused:
        load_tool(repo, approve=other, function="evaluate")
    assert other in str(refused.value) and digest in str(refused.value)


@pytest.mark.parametrize("nothing", ["", None, True])
def test_what_nobody_approved_is_not_loaded(calculator, nothing):
    repo, _ = calculator
    with pytest.raises(tool_hub.RefusedError, match="nobody approved calculator 0.1.0") as refused:
        load_tool(repo, approve=nothing, function="evaluate")
    assert "pass the digest that they approve" in refused.value.hint
    # There is no way around it, and without `approve` nothing is even fetched.
    with pytest.raises(TypeError, match="approve"):
        load_tool(repo, function="evaluate")
    with pytest.raises(TypeError, match="trust_remote_code"):
        load_tool(repo, approve="", function="evaluate", trust_remote_code=True)


def test_a_repo_that_is_not_there_is_named(registry):
    with pytest.raises(tool_hub.HubError) as failed:
        load_tool("ada/nothing", approve=f"sha256:{'0' * 64}")
    assert "ada/nothing is not on" in str(failed.value) and failed.value.hint


def test_what_came_from_the_hub_is_not_pushed(calculator, tmp_path, monkeypatch):
    """Not even where a directory in the working directory has the name of the repo."""
    repo, digest = calculator
    (tmp_path / repo).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    loaded = load_tool(repo, approve=digest, function="evaluate")
    with pytest.raises(ValueError, match="came from a registry"):
        loaded.push_to_hub("ada/other")


def test_a_tool_is_pushed_from_the_directory_that_it_was_loaded_from(
    registry, sample, monkeypatch, tmp_path
):
    package = sample("calculator")
    monkeypatch.chdir(package.parent)
    digest = tool_hub.load(package).digest
    loaded = load_tool("./calculator", approve=digest, function="evaluate")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tool_hub.HubError, match="token"):
        loaded.push_to_hub("ada/calculator")
    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    assert loaded.push_to_hub("ada/calculator").digest == digest
