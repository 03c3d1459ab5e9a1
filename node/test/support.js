// Shared by the tests: approved fixtures, a registry, programs run as processes, seeded numbers.

import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

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

/** Runs the command with what it needs of the surroundings, and gives what it prints. */
export function command(given, options = {}) {
  return execFileSync("tool", given, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options }).trim();
}

/** A directory that is removed when the tests of this file are over. */
export async function directory() {
  const place = await mkdtemp(path.join(os.tmpdir(), "tool-hub-"));
  after(() => rm(place, { recursive: true, force: true }));
  return place;
}

/** An empty registry in a process of its own, which ends when the tests of this file are over. */
export async function registry(...flags) {
  const env = { ...process.env, TOOL_HUB_HOME: await directory() };
  const given = ["registry", "serve", "--listen", "127.0.0.1:0", "--quiet", ...flags];
  const server = spawn("tool", given, { env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(server, "close");
  after(async () => {
    server.kill();
    await closed;
  });
  const ended = closed.then(([code]) => Promise.reject(new Error(`the registry ended with ${code}`)));
  const [url] = await Promise.race([once(createInterface(server.stdout), "line"), ended]);
  ended.catch(() => {});
  return {
    url,
    /** A token of a new user. */
    user(name) {
      command(["registry", "user", "add", name], { env });
      return command(["registry", "token", "create", name, "--quiet"], { env });
    },
  };
}

/** The directory of the programs that tests run in processes of their own. */
export const programs = fileURLToPath(new URL("programs", import.meta.url));

/** Runs a program to its end, which must come by itself. */
export async function ran(name, ...given) {
  const child = spawn(process.execPath, ["--expose-gc", path.join(programs, name), ...given], {
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  child.stderr.on("data", (text) => (said += text));
  const [code, signal] = await once(child, "close");
  return { code, signal, said };
}

/** Numbers from 0 to `below`, the same for the same seed (mulberry32). */
export function numbers(state) {
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
