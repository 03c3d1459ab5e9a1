// An agent of the OpenAI Agents SDK with the tools of a toolbox.

import { Agent, run } from "@openai/agents";
import { Toolbox } from "tool-hub";
import { tools } from "tool-hub/openai-agents";

export async function answer(model, prompt, box = new Toolbox()) {
  const agent = new Agent({ name: "helper", model, tools: await tools(box) });
  return run(agent, prompt);
}
