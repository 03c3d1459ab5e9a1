// The connection to the tools for the AI SDK that a package exports. What it exports are tools, or
// objects of them; where there are none, functions that make a tool without being told anything.

import { asSchema } from "@ai-sdk/provider-utils";

const found = new Map();
const failures = new Map();

const isTool = (it) => typeof it?.execute === "function" && (it.inputSchema ?? it.parameters) !== undefined;
const isMaker = (it) => typeof it === "function" && it.length === 0 && !/^class\b/.test(Function.prototype.toString.call(it));

export async function open() {
  const exported = Object.entries(await import("tool-server")).filter(([name]) => name !== "default");
  for (const [name, value] of exported) {
    const members = value !== null && typeof value === "object" && !isTool(value) ? Object.entries(value) : [[name, value]];
    for (const [own, it] of members) if (isTool(it)) found.set(own, it);
  }
  if (found.size > 0) return;
  for (const [name, make] of exported.filter(([, value]) => isMaker(value))) {
    try {
      const made = make();
      if (isTool(made)) found.set(name, made);
    } catch (error) {
      failures.set(name, error);
    }
  }
}

export async function tools() {
  const listed = [...found].map(async ([name, { description, title, inputSchema, parameters }]) => {
    const { $schema, ...schema } = await asSchema(inputSchema ?? parameters).jsonSchema;
    return { name, title, description, inputSchema: { type: "object", ...schema } };
  });
  return Promise.all(listed);
}

export async function call(name, given) {
  const tool = found.get(name);
  if (tool === undefined) throw failures.get(name) ?? new Error(`the package exports no tool \`${name}\``);
  const { validate } = asSchema(tool.inputSchema ?? tool.parameters);
  const checked = (await validate?.(given)) ?? { success: true, value: given };
  if (!checked.success) throw checked.error;
  let value = await tool.execute(checked.value, { toolCallId: "1", messages: [] });
  // Of what comes bit by bit the last is the result.
  if (typeof value?.[Symbol.asyncIterator] === "function") {
    const parts = value;
    for await (const part of parts) value = part;
  }
  return { content: [{ type: "text", text: typeof value === "string" ? value : (JSON.stringify(value) ?? "null") }] };
}
