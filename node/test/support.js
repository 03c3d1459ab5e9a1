// Tools for the tests: real components, approved as a person would approve them.

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
