// What a server takes for the process of Node, with standard input and output that a client holds.

import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { Process } from "unenv/node/internal/process/process";
import { hrtime } from "unenv/node/internal/process/hrtime";

const HOME = "/home";
const given = Object.fromEntries(globalThis.toolHubEnvironment());
for (const [directory, name] of globalThis.toolHubDirectories()) {
  if (name === HOME) given.HOME ??= HOME;
  directory[Symbol.dispose]();
}
const names = new Set();
const ends = [];
const readers = [];
let isListing = false;
let isHomeAsked = false;
let ready;
let end;

// The names of variables that Node and what is built on it look for.
const COMMON = /^(NODE|NPM|npm|HTTPS?_|NO_PROXY|CI$|TERM|COLOR|FORCE_|NO_COLOR|DEBUG|HOME$|PATH$|USER|PWD$|LANG|TZ$|XDG|APPDATA|LOG_LEVEL|PORT$|HOST$|JEST|VITEST)/;
const SECRET = /(KEY|TOKEN|SECRET|PASSWORD)$/;

// While a server lists its tools it is told that it has its keys, and which it looked for is noted.
const env = new Proxy(given, {
  get(variables, name) {
    if (name in variables || typeof name !== "string") return variables[name];
    if (isListing && /^[A-Z][A-Z0-9_]{0,63}$/.test(name) && !COMMON.test(name)) {
      names.add(name);
      if (SECRET.test(name)) return "placeholder";
    }
    return undefined;
  },
});

class Input extends EventEmitter {
  isTTY = false;
  readable = true;
  fd = 0;
  #waiting = [];
  #isText = false;

  setEncoding() {
    this.#isText = true;
    return this;
  }

  // `once` calls this.
  on(event, listener) {
    super.on(event, listener);
    if (event === "data" || event === "readable") ready?.();
    return this;
  }

  addListener(event, listener) {
    return this.on(event, listener);
  }

  give(text) {
    const chunk = this.#isText ? text : Buffer.from(text, "utf8");
    if (this.listenerCount("data") > 0) return this.emit("data", chunk);
    this.#waiting.push(chunk);
    return this.emit("readable");
  }

  read() {
    return this.#waiting.shift() ?? null;
  }

  pipe(target) {
    this.on("data", (chunk) => target.write(chunk));
    return target;
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const next = this.read();
      if (next !== null) yield next;
      else await new Promise((resolve) => this.once("readable", resolve));
    }
  }

  resume = () => this;
  pause = () => this;
  ref = () => this;
  unref = () => this;
  destroy = () => this;
}

class Output extends EventEmitter {
  isTTY = false;
  writable = true;
  columns = 80;

  constructor(fd, take) {
    super();
    this.fd = fd;
    this.take = take;
  }

  write(chunk, encoding, done) {
    this.take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const call = typeof encoding === "function" ? encoding : done;
    if (call) queueMicrotask(() => call());
    return true;
  }

  end(chunk) {
    if (chunk) this.write(chunk);
  }

  cork() {}
  uncork() {}
}

let rest = "";
const stdin = new Input();
const stdout = new Output(1, (text) => {
  const parts = (rest + text).split("\n");
  rest = parts.pop();
  for (const line of parts) for (const reader of readers) if (line.trim()) reader(line);
});
const stderr = new Output(2, (text) => {
  if (text.trim()) console.error(text.trimEnd());
});

const made = new Process({ env, hrtime, nextTick: (job, ...values) => queueMicrotask(() => job(...values)) });
const own = {
  env, stdin, stdout, stderr, argv: ["node", __filename], execArgv: [], platform: "linux", arch: "wasm", pid: 1, exitCode: undefined,
  version: "v22.14.0", versions: { node: "22.14.0" }, cwd: () => "/", uptime: () => 0, on: () => own_process, once: () => own_process, off: () => own_process,
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }), emitWarning: () => {},
  report: undefined,
  exit(code) {
    end = new Error(`the server ended with code ${code ?? 0} instead of waiting for its client`);
    for (const reject of ends.splice(0)) reject(end);
    throw end;
  },
};
const own_process = new Proxy(made, {
  get: (target, name) => (name in own ? own[name] : Reflect.get(target, name, target)),
  set(_, name, value) {
    own[name] = value;
    return true;
  },
});

export default own_process;
export { env, stdin, stdout, stderr };
export const { argv, arch, platform, pid, version, versions, cwd, exit, on, uptime, memoryUsage, emitWarning, nextTick } = own_process;
export { hrtime };

export const setListing = (value) => {
  isListing = value;
};
export const asked = () => ({ variables: [...names].sort(), directories: isHomeAsked ? ["home"] : [] });
/** The home directory, which is there where it was granted. */
export const home = () => {
  isHomeAsked ||= isListing;
  return given.HOME ?? HOME;
};
export const lines = (reader) => readers.push(reader);
export const receive = (message) => stdin.give(`${JSON.stringify(message)}\n`);
export const ended = (reject) => (end ? reject(end) : ends.push(reject));

let isReady;
/** Begins to wait for the server to read its standard input. */
export const starting = () => {
  isReady = new Promise((resolve) => {
    ready = resolve;
  });
};
export const listening = () => isReady;
