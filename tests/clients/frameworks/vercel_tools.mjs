// Tools of the AI SDK.
import { tool } from "ai";
import { z } from "zod";

const text = z.string().min(1).describe("The text.");

export const shout = tool({
  description: "Says it loudly.",
  inputSchema: z.object({ text, times: z.number().max(3).default(1) }),
  execute: async ({ text, times }) => text.toUpperCase() + "!".repeat(times),
});

export const tools = {
  shout,
  counts: tool({
    description: "Counts words.",
    inputSchema: z.object({ text, least: z.number().optional() }),
    execute({ text, least = 1 }) {
      const counts = {};
      for (const word of text.split(" ")) counts[word] = (counts[word] ?? 0) + 1;
      return Object.fromEntries(Object.entries(counts).filter(([, count]) => count >= least));
    },
  }),
};
