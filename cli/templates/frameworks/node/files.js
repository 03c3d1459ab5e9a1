// Files, of which a server has one: its own `package.json`.

import manifest from "tool-server-manifest";

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
export const appendFileSync = writeFileSync;

export const readFile = async (path) => readFileSync(path);
export const access = async (path) => {
  if (!isManifest(path)) throw absent("access", path);
};
export const stat = async (path) => statSync(path);
export const lstat = async (path) => statSync(path);
export const readdir = async (path) => readdirSync(path);
export const mkdir = async (path) => mkdirSync(path);
export const writeFile = async (path) => writeFileSync(path);
export const appendFile = writeFile;
export const unlink = async (path) => {
  throw absent("unlink", path);
};
export const rename = unlink;
export const rm = unlink;
export const open = writeFile;
export const realpath = async (path) => String(path);
