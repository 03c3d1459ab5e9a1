// Tools for the tests: real components, approved as a person would approve them.

import { randomUUID } from "node:crypto";
import path from "node:path";

import { load } from "tool-hub";

/** Where the tests' packages are: `guest.wasm`, and the sample tools, built. */
export const fixtures = process.env.TOOL_HUB_FIXTURES;
if (!fixtures) {
  throw new Error("TOOL_HUB_FIXTURES names no directory; run: cargo test -p tool-hub-cli --test it -- node");
}

/** The functions of a package among the fixtures, with `grants`. */
export async function approved(name, grants = {}) {
  const inspection = await load(path.join(fixtures, name));
  return inspection.approve(inspection.digest, grants);
}

/** A component whose every function shows one thing. */
export function guest() {
  return approved("guest.wasm");
}

/** Counters with a new one that stands at 1, and a way to read it. */
export async function counting() {
  const counters = await approved("tally", { storage: true });
  const counter = `test-${randomUUID().slice(0, 8)}`;
  await counters.get("tally__add").run({ counter });
  const total = async () => {
    const totals = await counters.get("tally__totals").run();
    return totals.find((it) => it.counter === counter)?.total;
  };
  return { counters, counter, total };
}
