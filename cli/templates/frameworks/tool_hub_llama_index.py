"""Stands in for the tool specs of LlamaIndex."""

from tool_hub_frameworks import NAMES, Context


class BaseToolSpec:
    """A class whose methods are tools."""

    spec_functions = []


class Document:
    """A text that a tool returns."""

    def __init__(self, text="", *, metadata=None, extra_info=None, **_):
        self.text, self.metadata = text, metadata or extra_info or {}

    def get_content(self, *_, **__):
        return self.text

    def tool_hub_text(self):
        return self.text


NAMES["llama_index"] = {"BaseToolSpec": BaseToolSpec, "Context": Context, "Document": Document, "TextNode": Document}
