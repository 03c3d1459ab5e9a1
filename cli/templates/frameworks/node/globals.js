// Globals of Node, for the modules that name them.

import { Buffer as NodeBuffer } from "node:buffer";
import nodeProcess from "tool-node-process";
import "tool-node-locale";

export const process = nodeProcess;
export const Buffer = NodeBuffer;
export const setImmediate = (job, ...values) => setTimeout(job, 0, ...values);
export const clearImmediate = (timer) => clearTimeout(timer);
export const navigator = { userAgent: "Node.js/22", language: "en-US", languages: ["en-US"], platform: "linux", hardwareConcurrency: 1 };

// Some look for them there.
for (const [name, value] of Object.entries({ process, Buffer, setImmediate, clearImmediate, navigator })) globalThis[name] ??= value;
