// Makes the calls of `calls.json` with MCP's own SDK for TypeScript, version 2, in no session.

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
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

  const versionNegotiation = { mode: "auto" };
  const client = new Client({ name: "my-agent", version: "1.0.0" }, { versionNegotiation });
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  return session(client, (request, options) => client.callTool(request, options));
}

await main(connect, ["structured", "progress"]);
