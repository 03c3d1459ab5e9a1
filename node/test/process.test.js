// Tests of processes and threads: none dies or hangs because a tool runs in it.

import assert from "node:assert/strict";
import { once } from "node:events";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { guest, programs, ran } from "./support.js";

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

test("a callback that blocks the event loop blocks no guest", async () => {
  const { code, said } = await ran("blocked.js");
  assert.deepEqual([code, said], [0, "100 of 100 over\n"]);
});

test("callbacks may call tools", async () => {
  const tools = await guest();
  const [add, work, confirm] = ["add", "work", "confirm"].map((name) => tools.get(`guest__${name}`));
  const onProgress = async () => assert.equal(await add.run({ a: 1, b: 1 }), 2);
  const onQuestion = async () => ({ ok: (await work.run({}, { onProgress })) === 2 });
  // A call keeps one of the host's 32 places while its callback runs.
  const [calls, began] = [Array.from({ length: 100 }, () => confirm.run({}, { onQuestion })), performance.now()];
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['{"ok":true}']));
  // One that is refused a place has waited for longer.
  assert.ok(performance.now() - began < 20_000);
});

test("callbacks of many calls at once are no more than there are places", async () => {
  const tools = await guest();
  let [underWay, peak] = [0, 0];
  const onQuestion = async () => {
    peak = Math.max(peak, (underWay += 1));
    await sleep(20);
    const sum = await tools.get("guest__add").run({ a: 1, b: 1 });
    underWay -= 1;
    return { ok: sum === 2 };
  };
  const calls = Array.from({ length: 100 }, () => tools.get("guest__confirm").run({}, { onQuestion }));
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['{"ok":true}']));
  assert.ok(peak > 16 && peak <= 32, `${peak}`);
});

test("a process may be forked, and use tools in the child", async () => {
  const { code, said } = await ran("forked.js");
  assert.deepEqual([code, said], [0, "42 in the child\n42 in a worker of the cluster\n42\n"]);
});

test("a process ends in a callback", async () => {
  const { code, said } = await ran("end.js", "in a callback");
  assert.deepEqual([code, said], [9, ""]);
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
