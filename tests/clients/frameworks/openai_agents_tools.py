"""Function tools of the OpenAI Agents SDK."""

import asyncio
from typing import Any

from agents import Agent, RunContextWrapper, Runner, function_tool
from typing_extensions import TypedDict


class Location(TypedDict):
    lat: float
    long: float


@function_tool
async def fetch_weather(location: Location) -> str:
    """Fetch the weather for a given location.

    Args:
        location: The location to fetch the weather for.
    """
    return f"sunny at {location['lat']}, {location['long']}"


@function_tool(name_override="fetch_data")
def read_file(ctx: RunContextWrapper[Any], path: str, directory: str | None = None) -> str:
    """Read the contents of a file.

    Args:
        path: The path to the file to read.
        directory: The directory to read the file from.
    """
    return f"{directory}/{path}"


@function_tool(strict_mode=False, description_override="Counts letters.")
def count(word: str, letter: str = "e") -> int:
    """Count letters."""
    return word.count(letter)


async def main():
    agent = Agent(name="Assistant", tools=[fetch_weather, read_file, count])
    print(await Runner.run(agent, "What is the weather?"))


if __name__ == "__main__":
    asyncio.run(main())
