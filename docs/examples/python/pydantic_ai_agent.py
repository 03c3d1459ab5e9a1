"""An agent of Pydantic AI, and the approval that it waits for."""

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from tool_hub.pydantic_ai import ToolHubToolset


def agent(model, box):
    return Agent(model, toolsets=[ToolHubToolset(box)], output_type=[str, DeferredToolRequests])


async def run(agent, task, decide):
    result = await agent.run(task)
    while isinstance(result.output, DeferredToolRequests):
        approvals = {call.tool_call_id: decide(call) for call in result.output.approvals}
        result = await agent.run(
            message_history=result.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals=approvals),
        )
    return result
