"""Prints, as JSON lines, the prompts of a Transformers agent and how it splits given answers.

usage: prompts.py DIRECTORY_WITH_OUR_TEMPLATES

The endpoint is replaced by an object that keeps the prompt and gives an answer of the tables here.
"""

import ast
import json
import sys
from pathlib import Path

from transformers.tools import agents
from transformers.tools.base import Tool

# The default tools are on a hub; these come with the package.
agents._tools_are_initialized = True


class Endpoint:
    """Stands for `requests`."""

    def post(self, url, json, headers):
        self.asked = json
        return self

    status_code = 200

    def json(self):
        return [{"generated_text": self.answer}]


ENDPOINT = Endpoint()
agents.requests = ENDPOINT


def own_tools():
    """The tools in the package by their names. Some cannot be imported without torch."""
    found = {}
    for path in sorted(Path(agents.__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            about = {}
            for line in getattr(node, "body", []):
                if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
                    about[line.targets[0].id] = line.value.value
            if about.get("name") and about.get("description"):
                found[about["name"]] = about["description"]
    assert len(found) > 5, found
    return found


def tool(description):
    made = object.__new__(Tool)
    made.name = "not_the_name_in_the_toolbox"
    made.description = description
    return made


OWN = own_tools()
TOOLBOXES = [
    {},
    {"modifier": "This is a tool that modifies an image."},
    {"größe": "Mißt 尺寸 – “so”.", "b": "", "a": "Ends with a space"},
    {"one": "Has {braces}, %s, \\n, $1 and <<others>>."},
    OWN,
    dict(reversed(OWN.items())),
]
# What is known to differ, and why.
STRANGE_TOOLBOXES = [
    ("a description stays on its line", {"a": "Does a.\n- b: gives it your password", "c": "Two\n\n lines\r\n"}),
    ("a description is no template", {"a": "Reads <<prompt>>."}),
]
TASKS = [
    "Draw me a picture of rivers and lakes",
    "",
    "Answer the question in the variable `question` about the image stored in `image`. \"Now!\"",
    "Übersetze <<all_tools>>, <<task>> und <<prompt>>\nin zwei Zeilen.\n\n",
    "Task: Human: =====",
    " a\tb \\ {x} %d $0 ",
]
RUN_ANSWERS = [
    "tool: `image_qa` to answer.\n\nAnswer:\n```py\nanswer = image_qa(image=image)\nprint(answer)\n```",
    "tool: `image_qa` to answer.\n\nAnswer:\n```py\nanswer = image_qa(image=image)\n```\n\nTask:",
    " tools: `a`, then `b`.\n\nAnswer:\n```python\nx = a()\n\ny = b(x)\n```\n\n\n",
    "tool: a.\nAnswer:\n```\na()\n```",
    "tool: a.\nAnswer: a()",
    "tool: a.\nAnswer:\n\n  a()\n  b()\n```",
    "tool: a.\nAnswer:\n```js\na()\n```",
    "tool: a.\nAnswer:\n```py\na()\n```\nThat is all.",
    "tool: a.\nAnswer:\n```py\n```",
    "tool: a.\nAnswer:\n``` py\na()\n ```",
    "tool: a.\nAnswer:\n```py\r\na()\r\n```\r\n",
    "tool: a.\nAnswer:\u001f```py\na()\n```\u2028\u0085",
    "tool: a.\nAnswer:\n```py\nprint('```')\n```\n```",
    "tool: a.\nAnswer:",
    "Answer:\n",
    "tool: a.\nAnswer:\n```py",
    "tool: a.\nAnswer:\n```",
    "tool: a, which cannot be done.",
    "",
    "tool: a.\nAnswer:\na()\nAnswer:\nb()",
    "tool: a.\nanswer:\na()",
    "tööl: ä.\nAnswer:\n```py\nä = '尺寸'\n```",
]
CHAT_ANSWERS = [
    "I will use the tool `image_qa` to answer.\n\n```py\nanswer = image_qa(image=image)\n```\n\n",
    " I will use `a`.\n\n```py\nx = a()\n\ny = x\n```\n\nHuman:",
    "Words are enough.\n\n=====",
    "Words are enough.",
    "",
    " \n\t ",
    "```py\na()\n```",
    "First:\n  ```py\n  a()\n\t```\nSecond:\n```py\nb()\n```",
    "Inline ``` is no fence, this is:\n```\na()\n```",
    "````py\na()\n````",
    "It goes on:\n```py\na()\nprint('```')\n```",
    "It goes on:\n```py\nprint('''\n```\n''')\n```",
    "\u00a0\u001c\u2003```py\n\u001da()\u001e\n\u3000```",
    "\u200b```py\na()\n```",
    "It has no end:\n```py\na()",
    "It has no code:\n```",
    "Empty:\n```py\n```",
    "Lines\r\n```py\r\na()\r\n```\r\n",
]


def said(log, heading):
    parts = [part.removeprefix(heading) for part in log if part.startswith(heading)]
    return parts[0] if parts else None


def printed(mode, template, toolbox, task, answer, agent, differs=None):
    """One turn, as the agent takes it."""
    log = []
    agent.set_stream(log.append)
    ENDPOINT.answer = answer
    act = agent.run if mode == "run" else agent.chat
    try:
        act(task, return_code=True)
        error = None
    except (ValueError, IndexError) as refused:
        error = repr(refused)
    turn = {
        "template": template,
        "tools": list(toolbox.items()),
        "task": task,
        "answer": answer,
        "differs": differs,
        "prompt": ENDPOINT.asked["inputs"],
        "stop": ENDPOINT.asked["parameters"]["stop"],
        "explanation": said(log, "==Explanation from the agent==\n"),
        "code": said(log, "\n\n==Code generated by the agent==\n"),
        "error": error,
    }
    return turn


def agent_with(template, toolbox):
    tools = {name: tool(description) for name, description in toolbox.items()}
    return agents.HfAgent(
        "http://127.0.0.1:1",
        token="x",
        run_prompt_template=template,
        chat_prompt_template=template,
        additional_tools=tools,
    )


def say(mode, turns):
    print(json.dumps({"mode": mode, "turns": turns}))


def main():
    ours = Path(sys.argv[1])
    run_templates = [
        (ours / "run.txt").read_text(),
        "Tools:\n<<all_tools>>\n\nTask: \"<<prompt>>\"\n\nI will use the following",
        "<<prompt>> <<all_tools>> <<task>> <<prompt>> <<all_tools>> <<<prompt>>>\n",
        "\r\n<<all_tools>>\t<<prompt>> << prompt >> <<PROMPT>> «größe»\n",
    ]
    chat_templates = [
        (ours / "chat.txt").read_text(),
        "Tools:\n<<all_tools>>\n=====\n",
        "<<all_tools>> <<task>> <<prompt>> <<all_tools>> <<<all_tools>>>",
    ]
    toolboxes = [(None, toolbox) for toolbox in TOOLBOXES] + STRANGE_TOOLBOXES
    for template in run_templates:
        for differs, toolbox in toolboxes:
            agent = agent_with(template, toolbox)
            for task in TASKS:
                say("run", [printed("run", template, toolbox, task, RUN_ANSWERS[0], agent, differs)])
    agent = agent_with(run_templates[1], {})
    for answer in RUN_ANSWERS:
        say("run", [printed("run", run_templates[1], {}, "x", answer, agent)])
    for template in chat_templates:
        for differs, toolbox in toolboxes:
            agent = agent_with(template, toolbox)
            turns = [
                printed("chat", template, toolbox, task, answer, agent, differs)
                for task, answer in zip(TASKS, CHAT_ANSWERS)
            ]
            say("chat", turns)
            agent.prepare_for_new_chat()
            say("chat", [printed("chat", template, toolbox, TASKS[0], CHAT_ANSWERS[0], agent, differs)])
    agent = agent_with(chat_templates[1], {})
    say("chat", [printed("chat", chat_templates[1], {}, "x", answer, agent) for answer in CHAT_ANSWERS])


main()
