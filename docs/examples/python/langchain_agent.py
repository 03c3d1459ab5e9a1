"""An agent of LangChain, and the approval that it waits for."""

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tool_hub.langchain import tools


def agent(model, box):
    return create_agent(model, tools(box), checkpointer=InMemorySaver())


def approve(agent, thread):
    return agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread)
