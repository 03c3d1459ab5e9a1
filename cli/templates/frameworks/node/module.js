// `module`, whose `createRequire` finds a server's own `package.json` and what is part of Node.

import manifest from "tool-server-manifest";

export * from "unenv/node/module";

export function createRequire() {
  const required = (name) => {
    if (String(name).endsWith("package.json")) return manifest;
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
  };
  required.resolve = (name) => name;
  return required;
}
export const builtinModules = [];
export default { createRequire, builtinModules };
