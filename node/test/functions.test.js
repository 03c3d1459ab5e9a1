// Tests that code in the sandbox can call functions of the Node program, which answers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { approved, guest } from "./support.js";

const interpreter = await approved("run-javascript");
const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

/** The reply to code that may call `calls`. */
function ran(code, calls, options = {}) {
  const described = Object.entries(calls).map(([name, call]) => [name, { description: "Does it.", inputSchema, call }]);
  return interpreter.run({ code }, { functions: Object.fromEntries(described), ...options });
}

test("code calls functions, which answer at once or later", async () => {
  const given = [];
  const double = ({ n }) => {
    given.push(n);
    return n * 2;
  };
  assert.deepEqual(await ran("double({ n: double({ n: 3 }) })", { double }), { printed: "", value: 12 });
  assert.deepEqual(given, [3, 6]);
  assert.equal((await ran("await double(4)", { double: async ({ n }) => n * 2 })).value, 8);
  assert.equal((await ran("nothing(1)", { nothing() {} })).value, null);
  const tool = (await guest()).get("guest__add");
  assert.equal((await ran("add(20)", { add: ({ n }) => tool.run({ a: n, b: 22 }) })).value, 42);
});

test("functions that many calls at once call may call tools", async () => {
  const add = (await guest()).get("guest__add");
  const began = performance.now();
  const called = { add: ({ n }) => add.run({ a: n, b: 22 }) };
  const calls = Array.from({ length: 40 }, () => ran("await add(20)", called));
  const values = (await Promise.all(calls)).map(({ value }) => value);
  assert.deepEqual(new Set(values), new Set([42]));
  // A call that is refused a place has waited for longer.
  assert.ok(performance.now() - began < 20_000);
});

test("the failure of a function is the code's to handle", async () => {
  const fails = () => {
    throw Object.assign(new Error("no luck"), { kind: "not-found" });
  };
  const caught = await ran("let said; try { fails(1) } catch (error) { said = error.message } said", { fails });
  assert.match(caught.value, /no luck/);
  await assert.rejects(ran("fails(1)", { fails: async () => fails() }), { name: "ToolError", message: /no luck/ });
});

test("an answer that JSON cannot say ends the call with the name of the function", async () => {
  const odd = { name: "ToolHubError", message: "the function `odd` gave a function, which JSON cannot say" };
  await assert.rejects(ran("odd(1)", { odd: () => () => 1 }), odd);
  await assert.rejects(ran("odd(1)", { odd: () => 10n }), /BigInt/);
});

test("an abort ends a call whose function never answers", async () => {
  const began = performance.now();
  const signal = AbortSignal.timeout(200);
  await assert.rejects(ran("never(1)", { never: () => new Promise(() => {}) }, { signal }), { name: "TimeoutError" });
  assert.ok(performance.now() - began < 5000);
});
