// Finds the native module and the command: those built here, else the platform package's.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { platform } from "./platform.js";

const require = createRequire(import.meta.url);

/** The native module. */
export const moduleFile = find();

/** The command of the same version; undefined if the module was built without it. */
export const commandFile = command();

/** The module's file: the one that was built here, else the platform's package. */
function find() {
  const built = fileURLToPath(new URL("../tool-hub.node", import.meta.url));
  if (existsSync(built)) {
    return built;
  }
  const name = `@tool-hub/${platform()}`;
  try {
    return require.resolve(name);
  } catch (cause) {
    const message =
      `tool-hub has no native module for this platform: there is no ${built}, and ${name} cannot ` +
      "be loaded; run `npm run prepare` in the package's directory of a clone, which builds it with cargo";
    throw new Error(message, { cause });
  }
}

function command() {
  const name = process.platform === "win32" ? "tool.exe" : "tool";
  const beside = path.join(path.dirname(moduleFile), "bin", name);
  return existsSync(beside) ? beside : undefined;
}
