"""Stands in for `fastmcp` and `mcp`: a server that keeps functions as they are."""

from tool_hub_frameworks import NAMES, Absent, Context, ToolError, nothing


class FastMCP:
    """A server of MCP, of which only the functions count."""

    def __init__(self, name=None, *_, **__):
        self.name = name

    def tool(self, name=None, *_, **__):
        # With and without brackets.
        return name if callable(name) else lambda function: function

    resource = prompt = custom_route = completion = tool

    def add_tool(self, function, *_, **__):
        return function

    run = run_async = mount = add_middleware = import_server = add_resource = add_prompt = nothing

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"FastMCP.{name}")


def tool(name=None, *_, **__):
    return name if callable(name) else lambda function: function


class Content:
    """Content of a result: `text`, or something that is no text."""

    def __init__(self, *arguments, **fields):
        self.__dict__.update(fields)
        if arguments:
            self.data = arguments[0]

    def tool_hub_text(self):
        if isinstance(self.__dict__.get("text"), str):
            return self.text
        raise TypeError(f"the function returned {type(self).__name__}, and this tool returns text only")


class Image(Content):
    pass


class Audio(Content):
    pass


class ToolResult:
    """A result with content and a value."""

    def __init__(self, content=None, structured_content=None, **_):
        self.content, self.structured_content = content, structured_content

    def tool_hub_text(self):
        from tool_hub_frameworks import answer

        return answer(self.content if self.content is not None else self.structured_content)


NAMES["fastmcp"] = NAMES["mcp"] = {
    "AudioContent": Audio, "Audio": Audio, "Context": Context, "CurrentContext": Context, "FastMCP": FastMCP,
    "Image": Image, "ImageContent": Image, "MCPServer": FastMCP, "TextContent": Content, "ToolError": ToolError,
    "ToolResult": ToolResult, "get_context": Context, "tool": tool,
}  # fmt: skip
