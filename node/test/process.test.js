// Tests of processes and threads: none dies or hangs because a tool runs in it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { guest } from "./support.js";

const programs = fileURLToPath(new URL("programs", import.meta.url));

/** Runs a program to its end, which must come by itself. */
async function ran(name, ...given) {
  const child = spawn(process.execPath, ["--expose-gc", path.join(programs, name), ...given], {
    timeout: 300_000,
  });
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  child.stderr.on("data", (text) => (said += text));
  const [code, signal] = await once(child, "close");
  assert.equal(signal, null, `${name} ${given}: ${said}`);
  return { code, said };
}

for (const [way, expected] of [["exit", 7], ["throw", 1], ["main", 0], ["aborted", 0]]) {
  test(`a process ends with calls under way: ${way}`, async () => {
    const { code, said } = await ran("end.js", way);
    assert.equal(code, expected, said);
  });
}

test("a process ends by itself when calls are over", async () => {
  const { code, said } = await ran("end.js", "idle");
  assert.deepEqual([code, said], [0, "42\n"]);
});

test("memory is bounded", async () => {
  const { code, said } = await ran("memory.js");
  assert.equal(code, 0, said);
});

test("threads share one host", async () => {
  const tools = await guest();
  const workers = Array.from({ length: 4 }, () => new Worker(path.join(programs, "worker.js"), { argv: ["calls"] }));
  const sums = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0]));
  assert.deepEqual(sums, [499500, 499500, 499500, 499500]);
  assert.equal(await tools.get("guest__add").run({ a: 1, b: 1 }), 2);
});

test("threads end with calls under way", async () => {
  for (const way of ["terminated", "exit", "throw"]) {
    const workers = Array.from({ length: 8 }, () => new Worker(path.join(programs, "worker.js"), { argv: [way] }));
    await Promise.all(workers.map(async (worker) => {
      worker.on("error", () => {});
      const end = new Promise((resolve) => worker.once("exit", resolve));
      await new Promise((resolve) => worker.once("message", resolve));
      if (way === "terminated") {
        await worker.terminate();
      }
      await end;
    }));
  }
  // The guests of threads that are gone have left the host.
  const began = performance.now();
  assert.equal(await (await guest()).get("guest__add").run({ a: 1, b: 1 }), 2);
  assert.ok(performance.now() - began < 5000);
});

test("a thread may be the only one that uses tools, and end", async () => {
  const { code, said } = await ran("only_worker.js");
  assert.deepEqual([code, said], [0, "calls\nterminated\ncalls\n"]);
});
