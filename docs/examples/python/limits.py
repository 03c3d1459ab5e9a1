"""Calls with lower limits that are noted in an audit log, and what they used."""

import tool_hub


def main():
    tools = tool_hub.Toolbox().tools().audited("calls.jsonl", caller="ada")
    evaluate = tools["calculator__evaluate"].limited(call_ms=2_000, memory_bytes=64 << 20)
    reply = evaluate.call({"expression": "6 * 7"})
    print(reply.usage["guest_us"], "microseconds,", reply.usage["memory_bytes"], "bytes")
    try:
        evaluate.limited(memory_bytes=1_000)(expression="6 * 7")
    except tool_hub.ToolError as error:
        print(error.kind, error.message)
