// Makes sandboxed functions tools of Vercel's AI SDK; by default destructive ones need approval.

import { ToolError } from "./index.js";
import { framework } from "./lib/framework.js";
import { functionsOf, hasMedia, isDestructive, shown } from "./lib/adapters.js";

/**
 * An object of tools for `generateText`, `streamText` and agents. A function that calls itself
 * destructive waits for a person's approval; `needsApproval(tool)` decides otherwise.
 */
export async function tools(source, { needsApproval = isDestructive } = {}) {
  const { dynamicTool, jsonSchema } = await framework("ai");
  const entries = (await functionsOf(source)).map((tool) => [
    tool.name,
    dynamicTool({
      description: tool.description,
      inputSchema: jsonSchema(tool.inputSchema),
      needsApproval: needsApproval(tool),
      execute: (given, { abortSignal }) => output(tool, given, abortSignal),
      toModelOutput: ({ output }) => modelOutput(output),
    }),
  ]);
  return Object.fromEntries(entries);
}

/** The value of a reply, or its parts where there is more than text and data. */
async function output(tool, given, signal) {
  try {
    const reply = await tool.call(given, { signal });
    return hasMedia(reply) ? reply.content : reply.value;
  } catch (error) {
    throw error instanceof ToolError ? new TeachingError(error) : error;
  }
}

/** A failure in the words for the model; the SDK sends an error as its message or as JSON. */
class TeachingError extends Error {
  constructor(cause) {
    super(cause.text, { cause });
  }

  toString() {
    return this.message;
  }

  toJSON() {
    return this.message;
  }
}

function modelOutput(output) {
  if (typeof output === "string") {
    return { type: "text", value: output };
  }
  if (!isContent(output)) {
    return { type: "json", value: output ?? null };
  }
  const text = (text) => ({ type: "text", text });
  const picture = ({ data, mediaType }) => ({
    type: "file",
    mediaType,
    data: { type: "data", data: bytes(data) },
  });
  return { type: "content", value: output.map((part) => shown(part, { text, picture })) };
}

/** A chat that was kept as JSON has pictures in the form in which Node writes a `Buffer`. */
function bytes(data) {
  return data?.type === "Buffer" ? Buffer.from(data.data) : data;
}

const PARTS = ["text", "image", "audio", "link", "resource"];

function isContent(output) {
  return (
    Array.isArray(output) &&
    output.some((part) => part?.type !== "text") &&
    output.every((part) => PARTS.includes(part?.type))
  );
}
