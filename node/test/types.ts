// Uses of the package that its types must accept, and some that they must refuse.

import { generateText, type LanguageModel } from "ai";
import { Agent } from "@openai/agents";
import { createAgent } from "langchain";
import { load, loadTool, push, search, tool, Toolbox, ToolError } from "tool-hub";
import type { Found, Output, Pushed, Reply, Tool } from "tool-hub";
import { tools as forAi } from "tool-hub/ai";
import { tools as forLangchain } from "tool-hub/langchain";
import { tools as forAgents } from "tool-hub/openai-agents";

export async function calls(box: Toolbox, signal: AbortSignal): Promise<string> {
  const tools = await box.tools("notes");
  const tool: Tool = tools.get("notes__read_note");
  const reply: Reply = await tool.call('{"name": "milk"}', {
    signal,
    onProgress: (done: number, total?: number) => void [done, total],
    onQuestion: async ({ message }) => (message ? { ok: true } : null),
  });
  for (const part of reply.content) {
    if (part.type === "image") {
      const data: Buffer = part.data;
      return data.toString("base64");
    }
  }
  // @ts-expect-error there is no such option
  await tool.call({}, { trust: true });
  // @ts-expect-error a digest is needed
  await (await load("ada/forecast")).approve();
  // @ts-expect-error a digest is needed
  await loadTool("ada/forecast", {});
  return reply.text;
}

export async function published(endpoint: string): Promise<Pushed> {
  const found: Found[] = await search("forecast", { endpoint });
  const functions: string[] | null = found[0].functions;
  const initials = tool({ name: "initials", description: "Gives initials." }, ({ name }: { name: string }) => name[0]);
  const first: string = initials.run({ name: "Ada" });
  // @ts-expect-error an argument has another name
  initials.run({ title: first });
  // @ts-expect-error there is no such option
  await search("forecast", { limit: functions?.length });
  await push("initials/dist", "ada/initials", { isPrivate: true });
  return initials.push("ada/initials", { endpoint, directory: "initials" });
}

export async function heard(tool: Tool): Promise<string[]> {
  const told: string[] = [];
  const call = async ({ n }: { [name: string]: unknown }) => n;
  const functions = { same: { description: "Gives it back.", inputSchema: { type: "object" }, call } };
  const onOutput = ({ stdout, log }: Output) => void told.push(stdout, ...log.map(({ message }) => message));
  await tool.run({}, { functions, onOutput });
  return told;
}

export function taught(error: unknown): string | undefined {
  return error instanceof ToolError ? (error.fix ?? error.text) : undefined;
}

export async function agents(model: LanguageModel, box: Toolbox) {
  await generateText({ model, prompt: "Go on.", tools: await forAi(box) });
  const agent = new Agent({ name: "helper", tools: await forAgents(box) });
  const needsApproval = (tool: Tool) => tool.annotations.readOnly !== true;
  return [agent, createAgent({ model: "openai:gpt", tools: await forLangchain(box, { needsApproval }) })];
}
