"""An agent of smolagents that writes code, which runs in a sandbox."""

from smolagents import CodeAgent
from tool_hub.smolagents import Executor, tools


def agent(model, box, **options):
    return CodeAgent(tools(box), model, executor=Executor(box), **options)
