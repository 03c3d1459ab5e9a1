// An agent of LangChain with the tools of a toolbox.

import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { Toolbox } from "tool-hub";
import { tools } from "tool-hub/langchain";

export async function agent(model, box = new Toolbox()) {
  // The checkpointer keeps the conversation while a person decides.
  return createAgent({ model, tools: await tools(box), checkpointer: new MemorySaver() });
}
