// Makes the calls of `calls.json` with MCP's own SDK for TypeScript, version 1.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { main } from "./calls.mjs";
import { session } from "./mcp_typescript.mjs";

async function connect(url, token) {
  let transport;
  if (url) {
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  } else {
    transport = new StdioClientTransport({ command: "tool", args: ["serve"] });
  }

  const client = new Client({ name: "my-agent", version: "1.0.0" });
  await client.connect(transport);
  return session(client, (request, options) => client.callTool(request, undefined, options));
}

await main(connect, ["structured", "progress"]);
