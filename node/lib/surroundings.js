// What this process stands in: variables and working directory, read here and nowhere else.

import { commandFile } from "./files.js";

/** The surroundings as JSON, as the native module takes them. */
export function surroundings(options = {}) {
  return JSON.stringify({ directory: process.cwd(), variables: process.env, compiler: commandFile, ...options });
}
