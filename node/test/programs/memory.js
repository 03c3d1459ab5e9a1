// Measures what many calls, pictures, failures and aborted calls leave in memory.

import { guest } from "../support.js";

const tools = await guest();
const long = "x".repeat(64 << 10);

async function round() {
  const calls = [];
  for (let n = 0; n < 50; n += 1) {
    calls.push(tools.get("guest__echo").run({ text: long }));
    calls.push(tools.get("guest__picture").run());
    calls.push(tools.get("guest__refuse").run({ text: "no" }).catch(() => {}));
    calls.push(tools.get("guest__confirm").run({}, { onQuestion: () => ({ ok: true }) }));
  }
  const signal = AbortSignal.timeout(20);
  calls.push(...Array.from({ length: 8 }, () => tools.get("guest__spin").run({}, { signal }).catch(() => {})));
  await Promise.all(calls);
}

async function megabytes() {
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc();
  return process.memoryUsage.rss() / (1 << 20);
}

// The host keeps guests' memories for later calls, as many as were needed at once.
for (let n = 0; n < 24; n += 1) {
  await round();
}
const before = await megabytes();
for (let n = 0; n < 30; n += 1) {
  await round();
}
const after = await megabytes();
console.log(`${before.toFixed()} MiB, then ${after.toFixed()} MiB`);
// 30 rounds echo 94 MiB; what stays is the slack of allocators.
process.exit(after - before < 48 ? 0 : 1);
