// Traps in tools and in V8's own WebAssembly, in one process.

import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker } from "node:worker_threads";

import { approved } from "../support.js";
import { readsBeyond } from "./v8.js";

const self = fileURLToPath(import.meta.url);
const way = process.argv[2];

async function traps(isBesideV8) {
  const tools = [...(await approved("traps.wasm")).values()];
  for (let n = 0; n < 20; n += 1) {
    const ends = await Promise.allSettled(tools.map((tool) => tool.run()));
    if (ends.some(({ reason }) => reason?.kind !== "trapped")) {
      throw new Error(`a tool did not trap: ${JSON.stringify(ends)}`);
    }
    if (isBesideV8) {
      await readsBeyond();
    }
  }
}

if (way === "fault") {
  await traps(false);
  process.kill(process.pid, "SIGSEGV");
  // The handlers that were there before have it twice: what faults, faults again.
  setInterval(() => process.kill(process.pid, "SIGSEGV"), 10);
} else if (isMainThread && way.startsWith("in threads")) {
  const threads = Array.from({ length: 4 }, () => new Worker(self, { argv: [way] }));
  const codes = await Promise.all(threads.map(async (thread) => (await once(thread, "exit"))[0]));
  if (codes.some((code) => code !== 0)) {
    throw new Error(`threads ended with ${codes}`);
  }
  console.log("well");
} else {
  await traps(way.endsWith("beside V8"));
  if (isMainThread) {
    console.log("well");
  }
}
