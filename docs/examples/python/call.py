"""Calls of the tools that were loaded with the command `tool`."""

import tool_hub


def main():
    box = tool_hub.Toolbox()
    evaluate = box.tools()["calculator__evaluate"]
    print(evaluate(expression="6 * 7")["text"])
    try:
        evaluate(expression="2 m + 3 kg")
    except tool_hub.ToolError as error:
        print(error.kind, error.argument, error.fix)
