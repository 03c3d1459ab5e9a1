#!/usr/bin/env node
// Starts the command `tool`, which the package carries.

import { spawn } from "node:child_process";
import os from "node:os";

import { commandFile } from "./lib/files.js";

if (!commandFile) {
  console.error("tool-hub: the package was built without the command; run: npm run prepare");
  process.exit(1);
}
const command = spawn(commandFile, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends these to the command as well, which decides what they mean.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {});
}
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => command.kill(signal));
}
command.on("error", (error) => {
  console.error(`tool-hub: ${commandFile} cannot be started: ${error.message}`);
  process.exit(1);
});
command.on("exit", (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
