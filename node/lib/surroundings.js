// This process's variables, working directory and command, as JSON for the native module.

import { url } from "./checked.js";
import { commandFile } from "./files.js";

/**
 * The surroundings as JSON, as the native module takes them, with a registry in place of the one
 * that they name, and with the directory of a toolbox.
 */
export function surroundings({ endpoint, toolbox } = {}) {
  return JSON.stringify({
    directory: process.cwd(),
    variables: process.env,
    compiler: commandFile,
    endpoint: url("endpoint", endpoint),
    toolbox,
  });
}
