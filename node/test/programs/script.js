// Uses tools at random, as a seed says, in one process, which then ends in a random way.
//
// usage: node script.js SEED SCRIPTS
//
// A script is a few uses of tools. The same seed is the same scripts, and the same end.

import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

import { load, search, ToolHubError } from "tool-hub";
import { fixtures, guest, numbers } from "../support.js";
import { readsBeyond } from "./v8.js";

/** The ends of a process, each with its exit code or signal. */
export const ENDS = [
  ["returns", 0],
  ["exits", 7],
  ["exits in a callback", 8],
  ["throws", 1],
  ["is terminated", "SIGTERM"],
];

/** The end of the process with `seed`. */
export function endOf(seed) {
  return ENDS[numbers(seed)(ENDS.length)];
}

// Nobody is asked.
process.env.HF_ENDPOINT = "http://127.0.0.1:9";

const self = fileURLToPath(import.meta.url);
const ended = new Error("on purpose");
const VALUES = [0, -1, 1.5, 1e300, "", "text", "\u0000\ud800", null, true, [], {}, [[[]]], "x".repeat(5000), 2 ** 53];
const TEXTS = ["", "{", "}", "null", "[1]", '{"a":', "\u0000", "{'a': 1, b: 2}", '{"a":1,"a":2}', "[".repeat(500)];

/** Random scripts. */
class Scripts {
  constructor(seed, depth = 0) {
    this.seed = seed;
    this.number = numbers(seed);
    // The first one is the end's.
    this.number(ENDS.length);
    this.depth = depth;
    this.kept = [];
  }

  one(choices) {
    return choices[this.number(choices.length)];
  }

  async guest() {
    this.tools ??= await guest();
    return this.tools;
  }

  /** A script: a few uses, one after the other. */
  async script() {
    for (let left = 1 + this.number(6); left > 0; left -= 1) {
      await this.use();
    }
  }

  /** One use, in whatever way. */
  async use() {
    try {
      await this.one(USES)(this);
    } catch (error) {
      const isKnown = error instanceof ToolHubError || error === ended;
      if (!isKnown && !["AbortError", "TimeoutError"].includes(error?.name)) {
        throw error;
      }
    }
  }

  async tool() {
    const tools = [...(await this.guest()).values()].filter(({ name }) => name !== "guest__spin");
    return this.one([...tools, ...this.kept]);
  }

  given() {
    if (this.number(4) === 0) {
      return this.one(TEXTS);
    }
    const names = ["a", "b", "text", "low", "high", "__proto__", "x"];
    return Object.fromEntries(Array.from({ length: this.number(4) }, () => [this.one(names), this.one(VALUES)]));
  }

  /** A callback that uses tools itself. */
  nested() {
    return async () => {
      if (this.depth < 3) {
        this.depth += 1;
        await this.use().finally(() => (this.depth -= 1));
      }
    };
  }

  options() {
    const fails = () => {
      throw ended;
    };
    const answer = this.one([{ ok: true }, null, 5, { ok: "no" }]);
    return {
      signal: this.one([undefined, undefined, AbortSignal.abort(ended), AbortSignal.timeout(this.number(30))]),
      onProgress: this.one([undefined, () => {}, fails, this.nested()]),
      onQuestion: this.one([undefined, () => answer, async () => fails(), this.nested()]),
      onOutput: this.one([undefined, () => {}, fails]),
    };
  }
}

const place = path.join(fixtures, "hostile");
const hostile = readdirSync(place)
  .flatMap((name) => readdirSync(path.join(place, name)).map((number) => path.join(place, name, number)))
  .filter((name) => !name.includes("gibibyte"));

async function loads(script) {
  const inspection = await load(script.one(hostile));
  String(inspection);
  script.kept.push(...(await inspection.approve(inspection.digest)).values());
}

async function approvesWrongly(script) {
  const inspection = await load(path.join(fixtures, "guest.wasm"));
  const wrong = [[""], [`sha256:${"0".repeat(64)}`], [inspection.digest, { storage: true }], [inspection.digest, { x: 1 }]];
  const [digest, grants] = script.one(wrong);
  const approved = await inspection.approve(digest, grants).then(() => true, () => false);
  if (approved) {
    throw new TypeError(`${digest} with ${JSON.stringify(grants)} was approved`);
  }
}

async function loadsNothing(script) {
  await load(script.one(["./nothing", "ada/nothing@0.1.0", "/dev/null", "/proc/self/exe"]));
}

async function searches() {
  await search("x");
}

async function calls(script) {
  await (await script.tool()).call(script.given(), script.options());
}

async function callsTogether(script) {
  const spin = (await script.guest()).get("guest__spin");
  const ends = [];
  for (let left = 1 + script.number(12); left > 0; left -= 1) {
    const options = script.options();
    const tool = script.one([await script.tool(), spin]);
    if (tool === spin) {
      options.signal = AbortSignal.timeout(script.number(60));
    }
    ends.push(tool.run(script.given(), options));
  }
  for (const { reason } of await Promise.allSettled(ends)) {
    const isKnown = reason === undefined || reason instanceof ToolHubError || reason === ended;
    if (!isKnown && !["AbortError", "TimeoutError"].includes(reason.name)) {
      throw reason;
    }
  }
}

async function blocks(script) {
  const call = (await script.guest()).get("guest__work").run({}, { onProgress: () => wait(script.number(20)) });
  wait(script.number(20));
  await call;
}

/** Keeps this thread from doing anything else. */
function wait(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A thread that runs scripts of its own, and may be ended meanwhile. */
async function startsAThread(script) {
  if (!isMainThread) {
    return;
  }
  const worker = new Worker(self, { argv: [script.number(2 ** 30), 1] });
  const fails = new Promise((_, reject) => worker.once("error", reject));
  const end = Promise.race([once(worker, "exit"), fails]);
  end.catch(() => {});
  if (script.number(2) === 0) {
    await sleep(script.number(80));
    await worker.terminate();
  }
  await end;
}

/** A process that uses a tool while this one does. */
async function startsAProcess(script) {
  if (script.number(4) === 0) {
    const child = fork(self, ["one"]);
    const [code] = await once(child, "exit");
    if (code !== 0) {
      throw new TypeError(`a child ended with ${code}`);
    }
  }
}

function forgets(script) {
  script.kept = [];
  script.tools = undefined;
  globalThis.gc?.();
}

const USES = [loads, loads, calls, calls, calls, callsTogether, callsTogether, approvesWrongly, loadsNothing, searches];
USES.push(blocks, startsAThread, startsAProcess, readsBeyond, forgets);

async function end(script, way) {
  const tools = await script.guest();
  const add = await tools.get("guest__add").run({ a: 20, b: 22 });
  if (add !== 42) {
    throw new TypeError(`20 and 22 are ${add}`);
  }
  console.log(JSON.stringify({ peakMiB: process.resourceUsage().maxRSS >> 10, cpuSeconds: process.cpuUsage().user / 1e6 }));
  const spinning = Array.from({ length: 3 }, () => tools.get("guest__spin").run({}, { signal: AbortSignal.timeout(500) }));
  Promise.allSettled(spinning);
  switch (way) {
    case "exits":
      await sleep(script.number(20));
      return process.exit(7);
    case "exits in a callback":
      return tools.get("guest__work").run({}, { onProgress: () => process.exit(8) });
    case "throws":
      return setTimeout(() => {
        throw ended;
      }, script.number(20));
    case "is terminated":
      return process.kill(process.pid, "SIGTERM");
    default:
      return undefined;
  }
}

async function main(seed, count) {
  const script = new Scripts(seed);
  for (let left = count; left > 0; left -= 1) {
    await script.script();
  }
  if (isMainThread) {
    await end(script, endOf(seed)[0]);
  } else {
    parentPort.postMessage("done");
  }
}

if (!isMainThread || process.argv[1] === self) {
  if (process.argv[2] === "one") {
    process.exitCode = (await (await guest()).get("guest__add").run({ a: 1, b: 1 })) === 2 ? 0 : 1;
  } else {
    await main(Number(process.argv[2]), Number(process.argv[3]));
  }
}
