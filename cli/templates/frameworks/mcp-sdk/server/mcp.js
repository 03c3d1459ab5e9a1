// Stands in for the server of MCP's SDK: it keeps the functions of tools, and serves nobody.

import { TOOLS } from "tool-framework";

export class McpServer {
  tool(name, ...rest) {
    const execute = rest.pop();
    if (typeof rest[0] === "string") rest.shift();
    const isSchema = rest.length > 1 || Object.values(rest[0] ?? {}).some((it) => typeof it?.parse === "function");
    TOOLS[name] = { inputSchema: isSchema ? rest[0] : undefined, execute, isHandler: true };
  }

  registerTool(name, { inputSchema }, execute) {
    TOOLS[name] = { inputSchema, execute, isHandler: true };
  }

  resource() {}
  registerResource() {}
  prompt() {}
  registerPrompt() {}
  async connect() {}
  async close() {}
}

export const Server = McpServer;
export class ResourceTemplate {}
export class StdioServerTransport {}
