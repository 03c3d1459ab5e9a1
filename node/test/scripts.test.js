// Tests that processes which use tools at random end as they should, with bounded memory.
//
// TOOL_HUB_SCRIPTS is how many there are, TOOL_HUB_SEED the first process's seed, which repeats it.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";

import { endOf } from "./programs/script.js";
import { ran } from "./support.js";

/** The scripts that one process runs. */
const EACH = 10;
const SCRIPTS = Number(process.env.TOOL_HUB_SCRIPTS ?? 100);
const SEED = Number(process.env.TOOL_HUB_SEED ?? randomInt(2 ** 31));
/** A call of a hostile component may take 256 MiB, and two run at once on two processors. */
const PEAK_MIB = 1024;

test(`${SCRIPTS} random scripts, TOOL_HUB_SEED=${SEED}`, async () => {
  let peakMiB = 0;
  let cpuSeconds = 0;
  const faults = [];
  for (let seed = SEED; seed < SEED + SCRIPTS / EACH; seed += 1) {
    const { code, signal, said } = await ran("script.js", seed, EACH);
    const [way, expected] = endOf(seed);
    const told = said.split("\n").find((line) => line.startsWith('{"peakMiB"'));
    if ((signal ?? code) !== expected || told === undefined) {
      faults.push(`seed ${seed} ${way}: ${signal ?? code}, not ${expected}: ${said.slice(-3000)}`);
      continue;
    }
    const usage = JSON.parse(told);
    peakMiB = Math.max(peakMiB, usage.peakMiB);
    cpuSeconds += usage.cpuSeconds;
  }
  console.log({ scripts: SCRIPTS, peakMiB, cpuSeconds, faults: faults.length });
  assert.deepEqual(faults, []);
  assert.ok(peakMiB < PEAK_MIB, `${peakMiB}`);
});
