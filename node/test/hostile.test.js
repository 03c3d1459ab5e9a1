// Tests that hostile WebAssembly components neither crash nor hang Node, and fail as expected.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ran } from "./support.js";

/** The least number of components that the host's own tests keep. */
const COMPONENTS = 75;
/** A call has at most 256 MiB of memory, beside which the host and Node have theirs. */
const CALL_MIB = 256 + 64;

/** Attacks a process with all components, which it has to survive, and returns its report. */
async function attacked(way) {
  const { code, signal, said } = await ran("hostile.js", way);
  assert.deepEqual([code, signal], [0, null], said);
  assert.ok(!said.includes("forged-by-the-guest"));
  const told = JSON.parse(said);
  assert.ok(Object.keys(told.cameTo).length >= COMPONENTS, Object.keys(told.cameTo));
  return told;
}

/** The calls that came to something else than in the host's own process. */
function unexpected({ cameTo }, ...also) {
  const isOther = ([expected, found]) => !["anything", found].includes(expected) && !also.includes(found);
  return Object.entries(cameTo).filter(([, ends]) => ends.length === 0 || ends.some(isOther));
}

test("hostile components one by one", async () => {
  const told = await attacked("one-by-one");
  assert.deepEqual(unexpected(told), []);
  const kinds = new Set(Object.values(told.cameTo).flat().map(([, found]) => found));
  for (const kind of ["refused", "host-limit", "trapped", "failed", "reply"]) {
    assert.ok(kinds.has(kind), kind);
  }
  const grown = Object.entries(told.grownMiB).filter(([, mib]) => mib > CALL_MIB);
  assert.deepEqual(grown, []);
  assert.ok(told.leftMiB < 192, told.leftMiB);
});

for (const [way, ...also] of [["at-once", "unavailable"], ["aborted", "unavailable", "aborted"], ["workers"]]) {
  test(`hostile components ${way}`, async () => {
    const told = await attacked(way);
    assert.deepEqual(unexpected(told, ...also), []);
    assert.ok(told.peakMiB < 8 * CALL_MIB, told.peakMiB);
  });
}
