// The interpreter for programs that make requests, or use other large parts of what browsers have.
//
// It is apart from the other one, because its memory is twice as large, which each call has to pay
// for, and because it imports the host's client of HTTP.

import * as globals from "../web/globals.js";
import { define } from "./globals.js";

export { interpreter } from "./interpreter.js";

define(Object.fromEntries(Object.entries(globals).filter(([name]) => !name.startsWith("globalThis."))));
