// Tests of signals: traps beside V8's WebAssembly, real faults, SIGTERM and SIGINT during calls.

import assert from "node:assert/strict";
import { test } from "node:test";

import { approved, ran } from "./support.js";

test("each kind of trap is a failure", async () => {
  const tools = [...(await approved("traps.wasm")).values()];
  assert.equal(tools.length, 4);
  for (let n = 0; n < 20; n += 1) {
    for (const tool of tools) {
      await assert.rejects(tool.run(), { name: "ToolError", kind: "trapped" });
    }
  }
});

for (const way of ["beside V8", "in threads", "in threads beside V8"]) {
  test(`traps ${way}`, async () => {
    const { code, signal, said } = await ran("traps.js", way);
    assert.deepEqual([code, signal, said], [0, null, "well\n"]);
  });
}

test("a fault of the process itself ends it as ever", async () => {
  const { signal, said } = await ran("traps.js", "fault");
  assert.equal(signal, "SIGSEGV", said);
});

for (const name of ["SIGTERM", "SIGINT"]) {
  test(`a process ends by ${name} with calls under way`, async () => {
    const began = performance.now();
    const { signal, said } = await ran("end.js", name);
    assert.equal(signal, name, said);
    assert.ok(performance.now() - began < 5000);
  });
  test(`a process hears ${name} with calls under way`, async () => {
    const { code, said } = await ran("end.js", `heard ${name}`);
    assert.deepEqual([code, said], [0, `${name}\n42\n`]);
  });
}
