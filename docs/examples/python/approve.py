"""A tool that a program loads by itself, with the rights that it gives."""

import tool_hub


def notes(package, digest, directory):
    inspection = tool_hub.load(package)
    print(inspection)
    return inspection.approve(digest, grants={"directories": {"notes": directory}})
