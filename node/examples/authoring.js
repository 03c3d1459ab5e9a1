// A function of JavaScript that becomes a tool.

import { load, tool } from "tool-hub";

const readingTime = tool(
  {
    name: "reading-time",
    description: "Estimates how many minutes somebody reads a text.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "The text." },
        rate: { type: "integer", description: "Words that are read in a minute." },
      },
      required: ["text"],
    },
    outputSchema: { type: "number", description: "Minutes." },
  },
  ({ text, rate = 230 }) => text.trim().split(/\s+/).length / rate,
);

const directory = await readingTime.build(); // readingTime.push("ada/reading-time") publishes it
console.log(directory);
const inspection = await load(directory);
const tools = await inspection.approve(inspection.digest);
console.log(await tools.get("reading_time").run({ text: "word ".repeat(460) }));
