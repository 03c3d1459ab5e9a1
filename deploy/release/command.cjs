#!/usr/bin/env node
// Starts the command `tool` of the package for this platform, in place of this process where Node
// can do that.

"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

const command = find();
const given = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
  process.execve(command, [command, ...given], process.env);
}
const child = spawn(command, given, { stdio: "inherit" });
for (const signal of SIGNALS) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => fail(`${command} cannot be started: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  for (const each of SIGNALS) {
    process.removeAllListeners(each);
  }
  process.kill(process.pid, signal);
});

function find() {
  const name = `@tool-hub/${platform()}`;
  const file = process.platform === "win32" ? "tool.exe" : "tool";
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", file);
  } catch {
    return fail(`expected the package ${name}, which holds the command for this platform; found none.
Install again without --omit=optional, or build the command from source with cargo.`);
  }
}

function platform() {
  const { platform: system, arch } = process;
  if (system !== "linux") {
    return `${system}-${arch}`;
  }
  process.report.excludeNetwork = true;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime;
  return `${system}-${arch}-${isGlibc ? "gnu" : "musl"}`;
}

function fail(why) {
  console.error(`tool-hub: ${why}`);
  process.exit(1);
}
