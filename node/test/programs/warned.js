// A thread that opens a toolbox and tells which warnings it hears meanwhile.

import { setImmediate as turn } from "node:timers/promises";
import { parentPort } from "node:worker_threads";

import { Toolbox } from "tool-hub";

const told = [];
process.on("warning", (warning) => told.push(`${warning}`));
await new Toolbox(process.argv[2]).tools();
await turn();
parentPort.postMessage(told);
