// Blocks its event loop in a callback, and tells which calls are over once it goes on.

import { setImmediate as turn } from "node:timers/promises";

import { guest } from "../support.js";

const tools = await guest();
let over = 0;
const calls = Array.from({ length: 100 }, () => tools.get("guest__add").run({ a: 1, b: 1 }).then(() => (over += 1)));
const onProgress = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
await tools.get("guest__work").run({}, { onProgress });
await turn();
await turn();
console.log(`${over} of 100 over`);
await Promise.all(calls);
