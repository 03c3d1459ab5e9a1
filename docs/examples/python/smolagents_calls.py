"""An agent of smolagents that calls functions, and asks before it destroys something."""

from smolagents import ToolCallingAgent
from tool_hub.smolagents import tools


def agent(model, box, approve, **options):
    return ToolCallingAgent(tools(box, approve=approve), model, **options)
