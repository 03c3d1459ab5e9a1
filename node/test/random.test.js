// Tests that a thousand random calls of tools in one process all settle, with known errors only.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";

import { ToolHubError } from "tool-hub";
import { counting, guest, numbers } from "./support.js";

const seed = Number(process.env.TOOL_HUB_SEED ?? randomInt(2 ** 31));

const number = numbers(seed);
const one = (choices) => choices[number(choices.length)];

const VALUES = [0, -1, 1.5, 1e300, "", "text", "\u0000\ud800", null, true, [], {}, [[[]]], "x".repeat(5000), 2 ** 53];
const TEXTS = ["", "{", "}", "null", "[1]", '{"a":', "\u0000", "{'a': 1, b: 2}", '{"a":1,"a":2}', "[".repeat(500), "1e999"];

function given() {
  if (number(4) === 0) {
    return one(TEXTS);
  }
  const names = ["a", "b", "text", "low", "high", "counter", "__proto__", "x"];
  return Object.fromEntries(Array.from({ length: number(4) }, () => [one(names), one(VALUES)]));
}

const ended = new Error("on purpose");

function thrown() {
  throw ended;
}

function options() {
  const signals = [undefined, undefined, AbortSignal.abort(ended), AbortSignal.timeout(number(30))];
  return {
    signal: one(signals),
    onProgress: one([undefined, () => {}, thrown]),
    onQuestion: one([undefined, () => ({ ok: true }), () => null, () => 5, async () => thrown(), () => ({ ok: "no" })]),
    onOutput: one([undefined, () => {}, thrown]),
  };
}

async function settled(call) {
  const [end] = await Promise.allSettled([call]);
  return end;
}

test(`a thousand random uses, TOOL_HUB_SEED=${seed}`, async () => {
  const tools = [...(await guest()).values(), ...(await counting()).counters.values()];
  const calls = [];
  for (let n = 0; n < 1000; n += 1) {
    const tool = one(tools);
    const chosen = options();
    if (tool.name === "guest__spin") {
      chosen.signal = AbortSignal.timeout(number(30));
    }
    calls.push(settled(tool[one(["run", "call"])](given(), chosen)));
    if (number(20) === 0) {
      await sleep(number(5));
    }
  }
  for (const { status, reason } of await Promise.all(calls)) {
    const isKnown = reason instanceof ToolHubError || reason === ended || reason?.name === "TimeoutError";
    assert.ok(status === "fulfilled" || isKnown, reason?.stack);
  }
  const add = tools.find(({ name }) => name === "guest__add");
  assert.equal(await add.run({ a: 1, b: 2 }), 3);
});
