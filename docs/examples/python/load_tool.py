"""`load_tool` as Transformers had it: loads one tool by its name, if its digest is approved."""

from tool_hub.transformers import load_tool


def evaluate(reference, digest):
    calculator = load_tool(reference, approve=digest, function="evaluate")
    return calculator(expression="5 km in mi")
