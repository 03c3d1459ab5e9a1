// Finds and loads the native module: the one that was built here, else the platform's package.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { platform } from "./platform.js";

const require = createRequire(import.meta.url);
const { version } = require("../package.json");

/** The native module of exactly this version. */
export const native = checked(load());

function load() {
  const built = fileURLToPath(new URL("../tool-hub.node", import.meta.url));
  if (existsSync(built)) {
    return require(built);
  }
  const name = `@tool-hub/${platform()}`;
  try {
    return require(name);
  } catch (cause) {
    const message =
      `tool-hub has no native module for this platform: there is no ${built}, and ${name} cannot ` +
      "be loaded; run `npm run prepare` in the package's directory of a clone, which builds it with cargo";
    throw new Error(message, { cause });
  }
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
