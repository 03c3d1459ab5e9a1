"""A tokenizer of Transformers with a scripted model, driven through the adapter."""

import json

import pytest
import transformers_chat
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from tool_hub.transformers import Tool, answers, tools

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
