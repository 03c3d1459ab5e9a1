// Calls the tools that a file has for a framework, once their schemas of zod took the arguments.

// The tools that a server was given, by their names.
export const TOOLS = {};

function checked(schema, given) {
  if (schema === undefined || schema === null) return given;
  if (typeof schema.parse === "function") return schema.parse(given);
  const taken = {};
  for (const [name, member] of Object.entries(schema)) {
    const value = member.parse(given[name]);
    if (value !== undefined) taken[name] = value;
  }
  return taken;
}

// Leaves out what was not given: `undefined` is not a member for every schema.
function present(given) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

// What was wrong with each argument, in place of the JSON that zod throws.
function said(error) {
  if (!Array.isArray(error?.issues)) return error;
  const issues = error.issues.map((it) => `${(it.path ?? []).join(".") || "the arguments"}: ${it.message}`);
  return new Error(issues.join("; "));
}

export async function run(tool, given) {
  let taken;
  try {
    taken = checked(tool.inputSchema ?? tool.parameters, present(given));
  } catch (error) {
    throw said(error);
  }
  const hasNone = tool.isHandler && tool.inputSchema === undefined;
  const result = await (hasNone ? tool.execute(EXTRA) : tool.execute(taken, EXTRA));
  return tool.isHandler ? textOf(result) : result;
}

const EXTRA = { toolCallId: "1", messages: [], requestId: "1", sendNotification: async () => {}, _meta: {} };

// The text of a result of MCP.
function textOf(result) {
  const parts = (result?.content ?? []).map((part) => {
    if (part.type === "text") return part.text;
    throw new Error(`the function returned content of type ${part.type}, and this tool returns text only`);
  });
  const text = parts.length > 0 ? parts.join("\n") : JSON.stringify(result?.structuredContent ?? null);
  if (result?.isError) throw new Error(text);
  return text;
}
