// Finds and loads the native module: the one that was built here, else the platform's package.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { platform } from "./platform.js";

const require = createRequire(import.meta.url);
const { version } = require("../package.json");

const file = find();

/** The native module of exactly this version. */
export const native = checked(require(file));

/** The command of this version, which compiles components in a process of its own. */
export const compiler = command();

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
  const beside = path.join(path.dirname(file), "bin", name);
  return existsSync(beside) ? beside : undefined;
}

/** Another version's module has other functions, and fails later and less clearly. */
function checked(module) {
  const found = module.version();
  if (found !== version) {
    throw new Error(
      `tool-hub ${version} found the native module of ${found}; install both in the same version`,
    );
  }
  return module;
}
