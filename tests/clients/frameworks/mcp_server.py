"""An MCP server of the official package, `mcp.server.fastmcp`."""

from typing import Annotated, Optional

from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel, Field

server = FastMCP("weather")

UNITS = {"celsius": "C", "fahrenheit": "F"}


class Forecast(BaseModel):
    city: str
    degrees: float = Field(description="The highest temperature.")


@server.tool()
def forecast(city: str, days: int = 3, unit: Optional[str] = None) -> str:
    """Get the weather forecast.

    Args:
        city: The city's name
        days: How many days
    """
    return f"{city}: {days} days in {UNITS[unit or 'celsius']}"


@server.tool(name="warmest", description="Finds the warmest of several cities.", title="Warmest city")
async def find_warmest(
    forecasts: Annotated[list[Forecast], Field(description="What is known.", min_length=1)], ctx: Context
) -> str:
    await ctx.info(f"{len(forecasts)} cities")
    return max(forecasts, key=lambda it: it.degrees).city


if __name__ == "__main__":
    server.run(transport="stdio")
