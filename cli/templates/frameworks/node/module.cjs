// `module`, whose `createRequire` finds parts of Node, and the texts of the server's own package.

const manifest = require("tool-server-manifest");
const { sync } = require("tool-node-files");
const nodeModule = require("unenv/node/module");

// Each is made when it is asked for.
const PARTS = {
  assert: () => require("assert"),
  async_hooks: () => require("async_hooks"),
  buffer: () => require("buffer"),
  child_process: () => require("child_process"),
  constants: () => require("constants"),
  crypto: () => require("crypto"),
  diagnostics_channel: () => require("diagnostics_channel"),
  dns: () => require("dns"),
  events: () => require("events"),
  fs: () => require("fs"),
  "fs/promises": () => require("fs/promises"),
  http: () => require("http"),
  http2: () => require("http2"),
  https: () => require("https"),
  net: () => require("net"),
  os: () => require("os"),
  path: () => require("path"),
  perf_hooks: () => require("perf_hooks"),
  process: () => require("process").default,
  querystring: () => require("querystring"),
  readline: () => require("readline"),
  stream: () => require("stream"),
  "stream/promises": () => require("stream/promises"),
  string_decoder: () => require("string_decoder"),
  timers: () => require("timers"),
  tls: () => require("tls"),
  tty: () => require("tty"),
  url: () => require("url"),
  util: () => require("util"),
  worker_threads: () => require("worker_threads"),
  zlib: () => require("zlib"),
};

function part(name) {
  const found = PARTS[name.replace(/^node:/, "")]?.();
  return found?.__esModule && found.default ? found.default : found;
}

function createRequire() {
  const required = (name) => {
    const found = part(String(name));
    if (found) return found;
    if (String(name).endsWith(".json")) {
      const path = name.startsWith(".") ? `${__dirname}/${name}` : `/packages/${name}`;
      try {
        return JSON.parse(sync.readFileSync(path, "utf8"));
      } catch (error) {
        if (name.endsWith("package.json")) return manifest;
        if (error.code !== "ENOENT") throw error;
      }
    }
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
  };
  required.resolve = (name) => name;
  return required;
}

const own = { createRequire, builtinModules: Object.keys(PARTS), isBuiltin: (name) => name.replace(/^node:/, "") in PARTS };
module.exports = { ...nodeModule, ...own, default: { ...nodeModule.default, ...own } };
