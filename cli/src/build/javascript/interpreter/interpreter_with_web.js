// The interpreter for programs that make requests, or use other large parts of what browsers have.
//
// It is apart from the other one, because its memory is twice as large, which each call has to pay
// for, and because it imports the host's client of HTTP.

import { getEnvironment } from "wasi:cli/environment@0.2.12";
import * as globals from "../web/globals.js";
import { define } from "./globals.js";

export { interpreter } from "./interpreter.js";

define(Object.fromEntries(Object.entries(globals).filter(([name]) => !name.startsWith("globalThis."))));

// The variables that a tool was granted, for what stands in for Node.
define({ toolHubEnvironment: getEnvironment });
