"""An agent of LlamaIndex, and the approval that it waits for."""

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent
from tool_hub.llama_index import ToolHubSpec


def agent(model, box):
    return FunctionAgent(tools=ToolHubSpec(box).to_tool_list(), llm=model, streaming=False)


async def run(agent, task, ask):
    running = agent.run(task)
    async for event in running.stream_events():
        if isinstance(event, InputRequiredEvent):
            response = ask(event.tool_name, event.tool_kwargs)  # "approve", or why not
            answer = HumanResponseEvent(response=response, waiter_id=event.waiter_id)
            running.ctx.send_event(answer)
    return await running
