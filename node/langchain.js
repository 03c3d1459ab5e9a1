// Makes sandboxed functions tools of LangChain; by default destructive ones need approval.

import { ToolError } from "./index.js";
import { framework } from "./lib/framework.js";
import { functionsOf, hasMedia, isDestructive, shown } from "./lib/adapters.js";

/**
 * A list of tools for `createAgent` and models. Before a function that calls itself destructive
 * runs, the graph is interrupted with the request that `humanInTheLoopMiddleware` makes;
 * `needsApproval(tool)` decides otherwise. The artifact of a tool message is the structured value.
 */
export async function tools(source, { needsApproval = isDestructive } = {}) {
  const { tool: define } = await framework("@langchain/core/tools");
  const { ToolMessage } = await framework("@langchain/core/messages");
  const functions = await functionsOf(source);
  const asked = functions.some(needsApproval) ? await framework("@langchain/langgraph") : undefined;

  return functions.map((tool) => {
    const refuse = (text, config) =>
      new ToolMessage({ content: text, status: "error", name: tool.name, tool_call_id: callOf(config) });
    const run = async (given, config) => {
      if (needsApproval(tool)) {
        const refused = refusal(asked.interrupt(question(tool, given)));
        if (refused !== undefined) {
          return [refuse(refused, config), undefined];
        }
      }
      try {
        const reply = await tool.call(given, { signal: config?.signal });
        return [content(reply), reply.structured];
      } catch (error) {
        if (error instanceof ToolError && callOf(config) !== undefined) {
          return [refuse(error.text, config), undefined];
        }
        throw error;
      }
    };
    return define(run, {
      name: tool.name,
      description: tool.description,
      schema: tool.inputSchema,
      responseFormat: "content_and_artifact",
    });
  });
}

function callOf(config) {
  return config?.toolCall?.id;
}

/** A request in the form of LangChain's own middleware, so that one answers both alike. */
function question(tool, given) {
  const description = `\`${tool.name}\` calls itself destructive.`;
  return {
    actionRequests: [{ name: tool.name, args: given, description }],
    reviewConfigs: [{ actionName: tool.name, allowedDecisions: ["approve", "reject"] }],
  };
}

/** What the model is told if the person did not approve. */
function refusal(answer) {
  const decision = answer?.decisions?.[0];
  return decision?.type === "approve"
    ? undefined
    : (decision?.message ?? "The person did not approve this call. Do not repeat it.");
}

function content(reply) {
  if (!hasMedia(reply)) {
    return reply.text;
  }
  const text = (text) => ({ type: "text", text });
  const picture = ({ data, mediaType }) => ({
    type: "image",
    mimeType: mediaType,
    data: data.toString("base64"),
  });
  return reply.content.map((part) => shown(part, { text, picture }));
}
