// Files, of which a server has one: its own `package.json`.

import nodeFs from "unenv/node/fs";
import nodePromises from "unenv/node/fs/promises";
import manifest from "tool-server-manifest";

export * from "unenv/node/fs";

const isManifest = (path) => String(path?.pathname ?? path).endsWith("package.json");

function absent(name, path) {
  const error = new Error(`ENOENT: no such file or directory, ${name} '${path}' (a tool in JavaScript has no files)`);
  return Object.assign(error, { code: "ENOENT", errno: -2, syscall: name, path });
}

export function readFileSync(path) {
  if (isManifest(path)) return JSON.stringify(manifest);
  throw absent("open", path);
}
export const existsSync = isManifest;
export const realpathSync = (path) => String(path);
export const statSync = (path, options) => {
  if (options?.throwIfNoEntry === false) return undefined;
  throw absent("stat", path);
};
export const lstatSync = statSync;
export const readdirSync = (path) => {
  throw absent("scandir", path);
};
export const mkdirSync = (path) => {
  throw absent("mkdir", path);
};
export const writeFileSync = (path) => {
  throw absent("open", path);
};

export const promises = {
  ...nodePromises,
  readFile: async (path) => readFileSync(path),
  access: async (path) => {
    if (!isManifest(path)) throw absent("access", path);
  },
  stat: async (path) => statSync(path),
  lstat: async (path) => statSync(path),
  readdir: async (path) => readdirSync(path),
  mkdir: async (path) => mkdirSync(path),
  writeFile: async (path) => writeFileSync(path),
  realpath: async (path) => String(path),
};

const own = { readFileSync, existsSync, realpathSync, statSync, lstatSync, readdirSync, mkdirSync, writeFileSync, promises };
export default { ...nodeFs, ...own };
