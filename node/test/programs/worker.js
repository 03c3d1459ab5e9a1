// A thread that calls a tool and ends in the way that it is told.

import { parentPort } from "node:worker_threads";

import { guest } from "../support.js";

const tools = await guest();

if (process.argv[2] === "calls") {
  const add = tools.get("guest__add");
  const results = await Promise.all(Array.from({ length: 1000 }, (_, n) => add.run({ a: n, b: 0 })));
  parentPort.postMessage(results.reduce((sum, n) => sum + n));
} else {
  Promise.allSettled(Array.from({ length: 20 }, () => tools.get("guest__spin").run()));
  setTimeout(() => {
    parentPort.postMessage("under way");
    if (process.argv[2] === "exit") {
      process.exit(0);
    } else if (process.argv[2] === "throw") {
      throw new Error("on purpose");
    }
  }, 20);
}
