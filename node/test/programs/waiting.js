// A process that ends in the way that it is told, while it waits for a registry that never answers.

import { once } from "node:events";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

import { load, search } from "tool-hub";

const [way] = process.argv.slice(2);

/** Begins operations that would take a minute. */
function ask(endpoint) {
  Promise.allSettled([search("x", { endpoint }), load("ada/x", { endpoint })]);
}

if (isMainThread) {
  // It keeps this process alive no longer than the process has something else to do.
  const silent = net.createServer((socket) => socket.unref()).unref();
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const endpoint = `http://127.0.0.1:${silent.address().port}`;
  const asked = once(silent, "connection");
  if (way === "a thread ends") {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: endpoint });
    await asked;
    console.log("asked");
    await worker.terminate();
  } else {
    ask(endpoint);
    await asked;
    console.log("asked");
    if (way === "throw") {
      throw new Error("on purpose");
    }
    process.exit(7);
  }
} else {
  ask(workerData);
}
