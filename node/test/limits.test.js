// Tests of lower limits on calls, and of the audit log.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { guest } from "./support.js";

const tools = await guest();

test("limits only go down", async () => {
  const { limits } = tools.get("guest__add");
  assert.equal(limits.call_ms, 30_000);
  const lower = tools.limited({ call_ms: 1000, memory_bytes: 2 ** 40 }).get("guest__add");
  assert.deepEqual(lower.limits, { ...limits, call_ms: 1000 });
  assert.equal(lower.limited({ call_ms: 5000 }).limits.call_ms, 1000);
  assert.equal(await lower.run({ a: 1, b: 2 }), 3);
  assert.throws(() => tools.limited({ fuel: 1 }), /the limits cannot be read: unknown field `fuel`/);
});

test("a call that reaches a limit fails", async () => {
  const spin = tools.get("guest__spin").limited({ cpu_ms: 50 });
  await assert.rejects(spin.run(), { name: "ToolError", kind: "host-limit", message: /cpu_ms/ });
});

test("calls are noted in the audit log", async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "tool-hub-"));
  try {
    const file = path.join(directory, "calls.jsonl");
    await tools.audited(file, { caller: "ada" }).get("guest__add").run({ a: 1, b: 2 });
    const [line, ...others] = fs.readFileSync(file, "utf8").trim().split("\n");
    const { front_end, caller, outcome, usage } = JSON.parse(line);
    assert.deepEqual([front_end, caller, outcome], ["embedded", "ada", "reply"]);
    assert.ok(usage.total_us > 0);
    assert.equal(others.length, 0);
    assert.throws(() => tools.audited(directory), /the audit log .* cannot be written/);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
