"""One tool by its name, as Transformers had it; only what was approved is loaded."""

from tool_hub.transformers import load_tool


def evaluate(reference, digest):
    calculator = load_tool(reference, approve=digest, function="evaluate")
    return calculator(expression="5 km in mi")
