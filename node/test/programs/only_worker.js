// A process whose threads use tools while it does not itself: the module comes and goes with them.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

for (const way of ["calls", "terminated", "calls"]) {
  const worker = new Worker(new URL("worker.js", import.meta.url), { argv: [way] });
  const end = once(worker, "exit");
  await once(worker, "message");
  if (way === "terminated") {
    await worker.terminate();
  }
  await end;
  await sleep(200);
  console.log(way);
}
