"""Tools of smolagents: a function and classes."""

from typing import Optional

from smolagents import CodeAgent, InferenceClientModel, Tool, tool


@tool
def travel_time(start: str, goal: str, by: Optional[str] = "train") -> str:
    """Says how long a journey takes.

    Args:
        start: The place to start from.
        goal: The place to go to.
        by: How to travel.

    Returns:
        The time in words.
    """
    return f"{len(start) + len(goal)} hours by {by}"


class WordCounter(Tool):
    name = "word_counter"
    description = (
        "Counts the words of a text. "
        "It returns how often each occurs."
    )
    inputs = {
        "text": {"type": "string", "description": "The text."},
        "least": {"type": "integer", "description": "The fewest occurrences to tell.", "nullable": True},
    }
    output_type = "object"

    def forward(self, text: str, least: Optional[int] = 1):
        words = text.split()
        return {word: words.count(word) for word in dict.fromkeys(words) if words.count(word) >= least}


class Shouter(Tool):
    name = "shouter"
    description = "Says it loudly."
    inputs = {"text": {"type": "string", "description": "What to say."}}
    output_type = "string"

    def __init__(self, mark: str = "!", **kwargs):
        super().__init__(**kwargs)
        self.mark = mark

    def setup(self):
        self.times = 3
        self.is_initialized = True

    def forward(self, text: str) -> str:
        return text.upper() + self.mark * self.times


if __name__ == "__main__":
    agent = CodeAgent(tools=[travel_time, WordCounter()], model=InferenceClientModel())
    agent.run("How long is the way from Bern to Oslo?")
