// The AI SDK of Vercel, through its client of the Model Context Protocol.

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { main } from "./calls.mjs";

async function connect(url, token) {
  let transport;
  if (url) {
    transport = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  } else {
    transport = new StdioMCPTransport({ command: "tool", args: ["serve"] });
  }

  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  return {
    names: Object.keys(tools),
    call: (name, args) => tools[name].execute(args, { toolCallId: "1", messages: [] }),
    close: () => client.close(),
  };
}

await main(connect, ["structured"]);
