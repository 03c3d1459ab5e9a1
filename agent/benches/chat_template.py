"""Renders what each line of its input has as often as the line says, and prints how many seconds that took."""

import contextlib
import json
import sys
import time

from transformers.utils.chat_template_utils import render_jinja_template

for line in sys.stdin:
    asked = json.loads(line)
    chat = {"tools": None, "documents": None, "add_generation_prompt": True, **asked["chat"], **asked["tokens"]}
    conversations = [chat.pop("messages")]
    with contextlib.redirect_stdout(sys.stderr):
        # The template is compiled once and kept.
        render_jinja_template(conversations=conversations, chat_template=asked["source"], **chat)
        begin = time.perf_counter()
        for _ in range(asked["rounds"]):
            render_jinja_template(conversations=conversations, chat_template=asked["source"], **chat)
        seconds = time.perf_counter() - begin
    print(seconds, flush=True)
