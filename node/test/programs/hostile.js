// Attacks one process with the hostile components, and reports outcomes and memory as JSON.
//
// usage: node hostile.js one-by-one|at-once|aborted|workers

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { load, ToolError, ToolHubError } from "tool-hub";
import { fixtures, guest } from "../support.js";

/** The longest time of one component, with all of its calls. */
const SECONDS = 60;

/** A hostile component, the calls that the host's own tests made, and what they came to here. */
class Component {
  constructor(place) {
    this.place = place;
    this.name = path.join(path.basename(path.dirname(place)), path.basename(place));
    const lines = path.join(place, "calls.jsonl");
    const written = existsSync(lines) ? readFileSync(lines, "utf8").trim().split("\n") : ["{}"];
    this.calls = written.map((line) => JSON.parse(line));
    /** It writes a gibibyte, which takes a while where the host is not optimised. */
    this.isSlow = this.calls.some(({ ends }) => ends === "anything");
    this.cameTo = [];
  }

  /** Loads it; one that is refused has no function afterwards. */
  async load() {
    try {
      const inspection = await load(this.place);
      const tools = await inspection.approve(inspection.digest);
      this.tool = tools.get(tools.has("demo") ? "demo" : "demo__run");
    } catch (error) {
      if (!(error instanceof ToolHubError)) {
        throw error;
      }
      this.note(this.calls[0], error instanceof ToolError ? error.kind : "refused");
    }
  }

  /** Makes a call, for as long as `signal` lets it. */
  async call(call, signal) {
    try {
      await this.tool.call(call.arguments ?? "", { signal });
      this.note(call, "reply");
    } catch (error) {
      if (error instanceof ToolError) {
        this.note(call, error.kind);
      } else if (error?.name === "TimeoutError") {
        this.note(call, "aborted");
      } else {
        throw error;
      }
    }
  }

  /** Makes its calls, one after the other. */
  async callInTurn() {
    for (const call of this.tool ? this.calls : []) {
      await this.call(call, undefined);
    }
  }

  note({ ends = "anything" }, cameTo) {
    this.cameTo.push([ends, cameTo]);
  }
}

function components() {
  const place = path.join(fixtures, "hostile");
  const cases = readdirSync(place).sort().map((name) => path.join(place, name));
  const places = cases.flatMap((name) => readdirSync(name).sort().map((number) => path.join(name, number)));
  return places.map((it) => new Component(it));
}

function residentMiB(field) {
  const line = readFileSync("/proc/self/status", "utf8").split("\n").find((it) => it.startsWith(field));
  return Number(line.split(/\s+/)[1]) >> 10;
}

/** A process whose event loop waits for ever says where it is, and ends. */
function guarded(name, seconds) {
  return setTimeout(() => {
    console.error(`${name} hangs`);
    process.exit(1);
  }, seconds * 1000);
}

const add = (await guest()).get("guest__add");
const isWell = async () => {
  if ((await add.run({ a: 1, b: 2 })) !== 3) {
    throw new Error("another tool suffered");
  }
};

async function oneByOne(chosen) {
  const grown = {};
  for (const component of chosen) {
    const guard = guarded(component.name, SECONDS);
    if (isMainThread) {
      writeFileSync("/proc/self/clear_refs", "5");
    }
    const begun = residentMiB("VmRSS:");
    await component.load();
    await component.callInTurn();
    await isWell();
    grown[component.name] = residentMiB("VmHWM:") - begun;
    clearTimeout(guard);
  }
  return grown;
}

async function atOnce(chosen, signal) {
  await Promise.all(chosen.map((it) => it.load()));
  const calls = chosen.flatMap((it) => (it.tool ? it.calls.map((call) => it.call(call, signal())) : []));
  await Promise.all(calls);
  await isWell();
}

/** Three threads at once, each of which attacks with a third. */
async function workers(chosen) {
  const threads = [0, 1, 2].map((third) => new Worker(fileURLToPath(import.meta.url), { workerData: third, argv: ["workers"] }));
  const found = await Promise.all(threads.map(async (thread) => (await once(thread, "message"))[0]));
  for (const component of chosen) {
    component.cameTo = found.map((it) => it[component.name]).find((it) => it);
  }
}

async function main(way) {
  const all = components();
  const chosen = way === "one-by-one" ? all : all.filter((it) => !it.isSlow);
  if (!isMainThread) {
    const third = chosen.filter((_, at) => at % 3 === workerData);
    await oneByOne(third);
    parentPort.postMessage(Object.fromEntries(third.map((it) => [it.name, it.cameTo])));
    return;
  }
  let before = residentMiB("VmRSS:");
  const guard = guarded(way, SECONDS * 4);
  let grown = {};
  switch (way) {
    case "one-by-one":
      grown = await oneByOne(chosen);
      // The first round fills caches and pools; a second one must add no memory.
      globalThis.gc?.();
      before = residentMiB("VmRSS:");
      await oneByOne(components().filter((it) => !it.isSlow));
      globalThis.gc?.();
      break;
    case "at-once":
      await atOnce(chosen, () => undefined);
      break;
    case "aborted":
      await atOnce(chosen, () => AbortSignal.timeout(300));
      break;
    default:
      await workers(chosen);
  }
  clearTimeout(guard);
  await isWell();
  console.log(JSON.stringify({
    cameTo: Object.fromEntries(chosen.map((it) => [it.name, it.cameTo])),
    grownMiB: grown,
    leftMiB: residentMiB("VmRSS:") - before,
    peakMiB: residentMiB("VmHWM:"),
  }));
}

await main(process.argv[2]);
