// Serves the tools for the AI SDK that a package exports, over MCP on standard input and output.
//
// usage: node ai_tools.mjs PACKAGE
//
// This file lies beside the directory with the package and `ai`.
//
// It tells what the AI SDK tells a model: names, descriptions and JSON schemas. Tools are exported
// values, or what exported functions return that take no arguments.

import { createInterface } from "node:readline";
import { asSchema } from "ai";

const found = new Map();
const exported = Object.entries(await import(process.argv[2]));
const isTool = (it) => typeof it?.execute === "function" && it.inputSchema !== undefined;
for (const [name, value] of exported) if (isTool(value)) found.set(name, value);
if (found.size === 0) {
  for (const [name, make] of exported) {
    try {
      const made = make();
      if (isTool(made)) found.set(name, made);
    } catch {
      // It makes no tool without being told something.
    }
  }
}

async function listed([name, { description, inputSchema }]) {
  return { name, description, inputSchema: await asSchema(inputSchema).jsonSchema };
}

async function called({ name, arguments: given }) {
  const tool = found.get(name);
  const checked = await asSchema(tool.inputSchema).validate(given);
  if (!checked.success) throw checked.error;
  const value = await tool.execute(checked.value, { toolCallId: "1", messages: [] });
  return { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
}

async function answered({ method, params }) {
  if (method === "tools/list") return { tools: await Promise.all([...found].map(listed)) };
  if (method === "tools/call") {
    return called(params).catch((error) => ({ isError: true, content: [{ type: "text", text: String(error) }] }));
  }
  return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "ai-tools", version: "1" } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: await answered(message) })}\n`);
}
