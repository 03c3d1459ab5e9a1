// Loads the native module, and refuses one of another version than the package.

import { createRequire } from "node:module";

import { moduleFile } from "./files.js";

const require = createRequire(import.meta.url);
const { version } = require("../package.json");

/** The native module of exactly this version. */
export const native = checked(require(moduleFile));

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
