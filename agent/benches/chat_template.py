"""Renders the chat template in each input line with Transformers, and prints the seconds it took.

A line is a JSON object: template, conversation, special tokens, and how often to render.
"""

import contextlib
import json
import sys
import time

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

# It prints and does not tokenize, so any vocabulary will do.
tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"a": 0}, unk_token="a")))

for line in sys.stdin:
    asked = json.loads(line)
    chat = {"add_generation_prompt": True, **asked["chat"], **asked["tokens"]}
    conversation = chat.pop("messages")
    chat["chat_template"] = asked["source"]

    def render():
        tokenizer.apply_chat_template(conversation, tokenize=False, **chat)

    with contextlib.redirect_stdout(sys.stderr):
        # The template is compiled once and kept.
        render()
        begin = time.perf_counter()
        for _ in range(asked["rounds"]):
            render()
        seconds = time.perf_counter() - begin
    print(seconds, flush=True)
