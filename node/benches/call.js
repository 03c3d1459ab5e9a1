// Compares a call in this process with the same call through an MCP client, in one run.
//
// Usage: node benches/call.js PACKAGE, where PACKAGE has a built `calculator` in `dist`. It is run
// where `tool-hub` and `@modelcontextprotocol/sdk` are installed, and compares with `Tool::call` in
// Rust too if TOOL_HUB_CLONE names the clone. Prints medians and ratios.

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { load } from "tool-hub";

const [packageDirectory] = process.argv.slice(2);
const command = path.join(path.dirname(createRequire(import.meta.url).resolve("tool-hub")), "bin", "tool");
const WARM_UP = 300;
const CALLS = 3000;

/** The median of single calls, one after the other, in microseconds. */
async function median(call) {
  for (let n = 0; n < WARM_UP; n += 1) {
    await call();
  }
  const times = new Float64Array(CALLS);
  for (let n = 0; n < CALLS; n += 1) {
    const begun = process.hrtime.bigint();
    await call();
    times[n] = Number(process.hrtime.bigint() - begun) / 1000;
  }
  return times.sort()[CALLS / 2];
}

/** Calls a second with `width` of them at once. */
async function rate(call, width) {
  const begun = performance.now();
  let left = 4 * CALLS;
  const one = async () => {
    while (left-- > 0) {
      await call();
    }
  };
  await Promise.all(Array.from({ length: width }, one));
  return (4 * CALLS * 1000) / (performance.now() - begun);
}

const inspection = await load(packageDirectory);
const tools = await inspection.approve(inspection.digest);
const evaluate = tools.get("calculator__evaluate");
const given = { expression: "6 * 7" };
const here = () => evaluate.run(given);

const home = mkdtempSync(path.join(os.tmpdir(), "bench-"));
const transport = new StdioClientTransport({
  command,
  args: ["serve", "--only", packageDirectory, "--approve", inspection.digest],
  env: { ...process.env, TOOL_HUB_HOME: home },
});
const client = new Client({ name: "bench", version: "0" });
await client.connect(transport);
const { tools: listed } = await client.listTools();
const { name } = listed.find((tool) => tool.name.endsWith("evaluate"));
const there = () => client.callTool({ name, arguments: given });

/** The median of `Tool::call`, in microseconds. */
function inRust() {
  const program = ["run", "--release", "--quiet", "--package", "tool-hub-node", "--example", "call", "--"];
  const call = [path.resolve(packageDirectory, "dist"), "evaluate", JSON.stringify(given)];
  const ran = spawnSync("cargo", [...program, ...call], { cwd: process.env.TOOL_HUB_CLONE, encoding: "utf8" });
  if (ran.status !== 0) {
    throw new Error(ran.stderr);
  }
  return Number(ran.stdout) / 1000;
}

const rustUs = process.env.TOOL_HUB_CLONE ? inRust() : undefined;
const [hereUs, thereUs] = [await median(here), await median(there)];
const [hereRate, thereRate] = [await rate(here, 64), await rate(there, 64)];
await client.close();

console.log(`call in this process         ${hereUs.toFixed(1)} µs`);
console.log(`call through an MCP client   ${thereUs.toFixed(1)} µs, ${(thereUs / hereUs).toFixed(1)} times as long`);
console.log(`64 at once in this process   ${hereRate.toFixed()} a second`);
console.log(`64 at once through MCP       ${thereRate.toFixed()} a second, ${(hereRate / thereRate).toFixed(1)} times fewer`);
if (rustUs) {
  console.log(`call in Rust                 ${rustUs.toFixed(1)} µs; in Node ${(hereUs / rustUs).toFixed(2)} times as long`);
}
