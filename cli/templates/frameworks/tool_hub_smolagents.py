"""Stands in for the tools of smolagents and of Transformers Agents."""

from tool_hub_frameworks import NAMES


class Tool:
    """A tool that is a class, with `forward` or `__call__`."""

    is_initialized = False

    def __init__(self, *_, **__):
        pass

    def setup(self):
        self.is_initialized = True

    def tool_hub_prepare(self):
        if not self.is_initialized:
            self.setup()

    def __call__(self, *arguments, **named):
        self.tool_hub_prepare()
        return self.forward(*arguments, **named)


def tool(function):
    return function


NAMES["smolagents"] = NAMES["transformers"] = {"Tool": Tool, "PipelineTool": Tool, "tool": tool}
