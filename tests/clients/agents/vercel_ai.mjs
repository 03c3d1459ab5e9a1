// Makes the calls of `calls.json` with Vercel's AI SDK and its MCP client, by a mock model.

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { main } from "./calls.mjs";

/** A model that calls one tool and says no more. */
function modelThatCalls(toolName, args) {
  return new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(args) }],
      finishReason: { unified: "tool-calls" },
      usage: { inputTokens: {}, outputTokens: {} },
      warnings: [],
    },
  });
}

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
    async call(name, args) {
      const model = modelThatCalls(name, args);
      const answered = await generateText({ model, tools, prompt: "Go on." });
      return answered.toolResults[0].output;
    },
    close: () => client.close(),
  };
}

await main(connect, ["structured"]);
