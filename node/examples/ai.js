// An agent of the AI SDK with the tools of a toolbox.

import { generateText, isStepCount } from "ai";
import { Toolbox } from "tool-hub";
import { tools } from "tool-hub/ai";

export async function answer(model, prompt, box = new Toolbox()) {
  return generateText({ model, prompt, tools: await tools(box), stopWhen: isStepCount(5) });
}
