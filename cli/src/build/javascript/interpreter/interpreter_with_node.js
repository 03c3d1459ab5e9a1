// The interpreter for programs that were written for Node.
//
// It has what the one with the web has, and imports variables and files, of which a tool has those
// that it was granted.

import { getEnvironment } from "wasi:cli/environment@0.2.12";
import { getDirectories } from "host:filesystem/preopens@0.2.0";
import { define } from "./globals.js";

export { interpreter } from "./interpreter_with_web.js";

define({ toolHubEnvironment: getEnvironment, toolHubDirectories: getDirectories });
