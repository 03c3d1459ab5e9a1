// Calls a function of the toolbox in force, and says what went wrong if it fails.

import { Toolbox, ToolError } from "tool-hub";

const tools = await new Toolbox().tools();
const calculator = tools.get("calculator__evaluate");

console.log(await calculator.run({ expression: "6 * 7" }));

try {
  await calculator.run({ expression: "2 m + 3 kg" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.fix, error.retryable); // for a program
  console.log(error.text); // for a model
}
