"""An agent of the OpenAI Agents SDK, and the approval that it waits for."""

from agents import Agent, Runner
from tool_hub.openai_agents import tools


def agent(model, box):
    return Agent(name="assistant", model=model, tools=tools(box))


async def run(agent, task, is_allowed):
    result = await Runner.run(agent, task)
    while result.interruptions:
        state = result.to_state()
        for call in result.interruptions:
            (state.approve if is_allowed(call) else state.reject)(call)
        result = await Runner.run(agent, state)
    return result
