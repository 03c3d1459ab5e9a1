// An MCP server of the official SDK for TypeScript.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

export const server = new McpServer({ name: "units", version: "1.0.0" });

server.tool(
  "convert",
  "Converts a length.",
  { value: z.number().describe("The length."), to: z.enum(["mile", "foot"]).default("foot") },
  async ({ value, to }) => ({ content: [{ type: "text", text: `${to === "foot" ? value / 2 : value / 4} ${to}` }] }),
);

server.registerTool(
  "describe_stop",
  {
    title: "Describe a stop",
    description: "Says what a stop is.",
    inputSchema: {
      stop: z.object({ city: z.string().min(2), nights: z.number().optional() }).describe("Where."),
      notes: z.array(z.string()).max(3).optional(),
      by: z.string().nullable(),
    },
  },
  async ({ stop, notes, by }) => {
    if (stop.city === "Atlantis") {
      return { isError: true, content: [{ type: "text", text: "nobody goes there" }] };
    }
    return { content: [{ type: "text", text: `${stop.city} ${stop.nights} ${notes?.join("+")} ${by}` }] };
  },
);

server.tool("ping", "Answers.", async () => ({ content: [{ type: "text", text: "pong" }] }));

if (globalThis.process?.argv[2] === "serve") {
  await server.connect(new StdioServerTransport());
}
