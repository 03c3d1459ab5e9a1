// Uses a tool, then starts itself as a child and as a worker of a cluster, which use it too.

import { fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { guest } from "../support.js";

const tools = await guest();
const sum = await tools.get("guest__add").run({ a: 20, b: 22 });
if (cluster.isWorker) {
  console.log(`${sum} in a worker of the cluster`);
  process.exit(0);
} else if (process.argv[2] === "child") {
  console.log(`${sum} in the child`);
} else {
  const spinning = tools.get("guest__spin").run({}, { signal: AbortSignal.timeout(3000) });
  spinning.catch(() => {});
  await once(fork(fileURLToPath(import.meta.url), ["child"]), "exit");
  await once(cluster.fork(), "exit");
  console.log(sum);
  process.exit(0);
}
