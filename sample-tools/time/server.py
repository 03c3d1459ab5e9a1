"""The time in the timezones of the world, as an MCP server."""

from datetime import datetime
from datetime import timezone as offset
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

mcp = FastMCP("time")


@mcp.tool
def get_current_time(
    timezone: Annotated[str, Field(description="A name of the IANA database, such as `Europe/Berlin` or `UTC`.")],
) -> dict:
    """Tells the date and time in a timezone.

    Returns `timezone`, `datetime` (ISO 8601 with the offset from UTC, to the second), `day_of_week` in
    English, and `is_dst`, which says whether summer time is in force.
    """
    return moment(timezone, datetime.now(zone(timezone)))


@mcp.tool
def convert_time(
    source_timezone: Annotated[str, Field(description="The timezone of `time`, such as `America/New_York`.")],
    time: Annotated[str, Field(description="A time of today there, in 24 hours: `HH:MM`, such as `16:30`.")],
    target_timezone: Annotated[str, Field(description="The timezone to convert to, such as `Asia/Tokyo`.")],
) -> dict:
    """Converts a time of today from one timezone to another.

    Returns `source` and `target`, each with `timezone`, `datetime`, `day_of_week` and `is_dst`, and
    `time_difference`, how far the target is ahead of the source, such as `+9.0h` or `-3.5h`.
    """
    source, target = zone(source_timezone), zone(target_timezone)
    try:
        clock = datetime.strptime(time, "%H:%M").time()
    except ValueError:
        raise ToolError(f"`{time}` is not a time of day: write 24 hours as HH:MM, such as 16:30") from None
    start = datetime.combine(datetime.now(source).date(), clock, source)
    # Clocks that are put forward skip an hour. A time within it comes back from UTC as another one.
    back = start.astimezone(offset.utc).astimezone(source)
    if back.replace(tzinfo=None) != start.replace(tzinfo=None):
        raise ToolError(
            f"{time} does not exist in {source_timezone} on {start.date()}, because clocks are put forward: "
            "take an earlier or a later time"
        )
    end = start.astimezone(target)
    hours = (end.utcoffset() - start.utcoffset()).total_seconds() / 3600
    difference = f"{hours:+.1f}" if hours.is_integer() else f"{hours:+.2f}".rstrip("0")
    return {
        "source": moment(source_timezone, start),
        "target": moment(target_timezone, end),
        "time_difference": f"{difference}h",
    }


def moment(timezone, time):
    return {
        "timezone": timezone,
        "datetime": time.isoformat(timespec="seconds"),
        "day_of_week": time.strftime("%A"),
        "is_dst": bool(time.dst()),
    }


def zone(name):
    """The timezone of exactly this name: a name is also a path in the database, and a key of a set here."""
    known = available_timezones()
    if name in known:
        return ZoneInfo(name)
    words = name.strip().lower().replace(" ", "_")
    close = sorted(other for other in known if words and words in other.lower())
    advice = f"did you mean {', '.join(close[:5])}?" if close else "write a name such as Europe/Berlin or UTC"
    raise ToolError(f"`{name}` is not a timezone: {advice}")


if __name__ == "__main__":
    mcp.run()
