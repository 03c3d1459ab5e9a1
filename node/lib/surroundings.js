// The variables and the working directory of this process, read here and nowhere else.

import { commandFile } from "./files.js";

/** The surroundings as JSON, as the native module takes them. */
export function surroundings(options = {}) {
  return JSON.stringify({ directory: process.cwd(), variables: process.env, compiler: commandFile, ...options });
}
