"""Makes the calls of `calls.json` by OpenAI function calling: `tool export`, then `tool call`."""

import contextlib
import json
import subprocess

from calls import Answer, main
from openai.types.chat import ChatCompletionMessageFunctionToolCall


def answered(call):
    command = ["tool", "call", call.function.name, "--json-args", call.function.arguments, "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True)
    message = {"role": "tool", "tool_call_id": call.id, "content": ended.stdout + ended.stderr}
    return message, ended.returncode


@contextlib.asynccontextmanager
async def connect(url, token):
    tools = json.loads(subprocess.check_output(["tool", "export", "--format", "openai"]))

    async def call(name, arguments):
        function = {"name": name, "arguments": json.dumps(arguments)}
        asked = ChatCompletionMessageFunctionToolCall(id="1", type="function", function=function)
        message, code = answered(asked)
        return Answer(text=message["content"], failed=code != 0)

    yield [tool["function"]["name"] for tool in tools], call


main(connect, shows={"failures"})
