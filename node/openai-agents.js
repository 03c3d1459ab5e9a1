// Makes sandboxed functions OpenAI Agents SDK tools; by default destructive ones need approval.

import { ToolError } from "./index.js";
import { framework } from "./lib/framework.js";
import { functionsOf, hasMedia, isDestructive, shown } from "./lib/adapters.js";

/**
 * A list of tools for an `Agent`. A function that calls itself destructive waits for a person's
 * approval; `needsApproval(tool)` decides otherwise.
 */
export async function tools(source, { needsApproval = isDestructive } = {}) {
  const { tool: define } = await framework("@openai/agents");
  return (await functionsOf(source)).map((tool) => {
    return define({
      name: tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      // The strict form of a schema has no optional arguments.
      strict: false,
      needsApproval: needsApproval(tool),
      execute: (given, _context, details) => output(tool, given, details?.signal),
    });
  });
}

/** The output of a call, a failure included: its text is for the model. */
async function output(tool, given, signal) {
  try {
    return modelOutput(await tool.call(given, { signal }));
  } catch (error) {
    if (error instanceof ToolError) {
      return error.text;
    }
    throw error;
  }
}

function modelOutput(reply) {
  if (!hasMedia(reply)) {
    return reply.text;
  }
  const text = (text) => ({ type: "text", text });
  const picture = ({ data, mediaType }) => ({ type: "image", image: { data, mediaType } });
  return reply.content.map((part) => shown(part, { text, picture }));
}
