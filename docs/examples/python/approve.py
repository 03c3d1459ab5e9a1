"""A program that loads a tool, shows its inspection, and approves it with access to one site."""

import tool_hub


def fetch_page(package, digest):
    inspection = tool_hub.load(package)  # "ada/fetch-page@0.1.0", or the path of a package
    print(inspection)
    return inspection.approve(digest, grants={"network": ["https://example.com"]}).only()
