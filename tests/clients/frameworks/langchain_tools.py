"""Tools of LangChain: functions and a class."""

from typing import Annotated, Optional, Type

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field


class SearchInput(BaseModel):
    """Input of a search."""

    query: str = Field(description="What to look for.")
    limit: int = Field(default=5, description="How many to return.", gt=0)


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


@tool("web_search", args_schema=SearchInput)
def search(query: str, limit: int = 5) -> str:
    """Searches the web."""
    return ", ".join(f"{query} {number}" for number in range(limit))


@tool(parse_docstring=True)
async def greet(name: str, language: str = "en") -> str:
    """Greets somebody.

    Args:
        name: Whom to greet.
        language: In which language.
    """
    return f"{language}: {name} {multiply.invoke({'a': 6, 'b': 7})}"


class Divider(BaseTool):
    name: str = "divide"
    description: str = "Divides two numbers."
    precision: int = 2

    def _run(self, a: float, b: Annotated[float, "Not zero."], run_manager: Optional[object] = None) -> float:
        if b == 0:
            raise ToolException("b is zero")
        return round(a / b, self.precision)


class Finder(BaseTool):
    name: str = "finder"
    description: str = "Finds a page."
    args_schema: Type[BaseModel] = SearchInput

    def _run(self, query: str, limit: int = 5) -> str:
        return f"{query}/{limit}"

    async def _arun(self, query: str, limit: int = 5) -> str:
        return self._run(query, limit)


def subtract(a: int, b: int) -> int:
    """Subtracts b from a."""
    return a - b


subtractor = StructuredTool.from_function(func=subtract, name="minus", description="Takes b from a.")
