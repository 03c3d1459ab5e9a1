// Calls a tool with callbacks for its progress and questions, and stops it after ten seconds.

import { loadTool } from "tool-hub";

const [reference, approve, name] = process.argv.slice(2);
const tools = await loadTool(reference, { approve });

const reply = await tools.get(name).call(
  {},
  {
    signal: AbortSignal.timeout(10_000),
    onProgress: (done, total, message) => console.log(`${done} of ${total}: ${message}`),
    onQuestion: async ({ message }) => {
      console.log(message);
      return { ok: true }; // null declines, "cancelled" closes it
    },
  },
);
console.log(reply.text);
