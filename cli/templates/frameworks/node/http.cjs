// `http`, whose requests are those of the global `fetch`. Nothing listens.

const { Readable, Writable } = require("tool-node-streams");
const nodeHttp = require("unenv/node/http");

class IncomingMessage extends Readable {
  httpVersion = "1.1";
  complete = false;

  constructor(answer) {
    super();
    const { status, statusText, headers, body } = answer;
    Object.assign(this, { statusCode: status, statusMessage: statusText || STATUS_CODES[status] || "", headers: {}, rawHeaders: [] });
    for (const [name, value] of headers) {
      this.headers[name] = name === "set-cookie" ? [...(this.headers[name] ?? []), value] : value;
      this.rawHeaders.push(name, value);
    }
    this.reader = body?.getReader();
  }

  _read() {
    if (!this.reader) return this.finish();
    this.reader.read().then(({ done, value }) => (done ? this.finish() : this.push(Buffer.from(value))), (error) => this.destroy(error));
  }

  finish() {
    this.complete = true;
    this.push(null);
  }

  setTimeout = () => this;
}

class ClientRequest extends Writable {
  #parts = [];
  #headers = new Map();
  #abort = new AbortController();
  #timer;
  aborted = false;
  reusedSocket = false;

  constructor(protocol, ...given) {
    // It goes on after all was written, until it is answered.
    super({ autoDestroy: false });
    const done = typeof given.at(-1) === "function" ? given.pop() : undefined;
    const url = given[0] instanceof URL || typeof given[0] === "string" ? new URL(given.shift()) : undefined;
    const options = given[0] ?? {};
    this.method = (options.method ?? "GET").toUpperCase();
    this.url = addressed(url, options, protocol);
    this.path = this.url.pathname + this.url.search;
    this.host = this.url.hostname;
    this.protocol = this.url.protocol;
    for (const [name, value] of Object.entries(options.headers ?? {})) this.setHeader(name, value);
    if (options.auth) this.setHeader("authorization", `Basic ${Buffer.from(options.auth).toString("base64")}`);
    if (options.timeout) this.setTimeout(options.timeout);
    options.signal?.addEventListener("abort", () => this.destroy(options.signal.reason));
    if (done) this.once("response", done);
  }

  setHeader(name, value) {
    this.#headers.set(name.toLowerCase(), [name, value]);
    return this;
  }
  getHeader = (name) => this.#headers.get(name.toLowerCase())?.[1];
  hasHeader = (name) => this.#headers.has(name.toLowerCase());
  getHeaders = () => Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]));
  removeHeader(name) {
    this.#headers.delete(name.toLowerCase());
  }

  setTimeout(delay, listener) {
    if (listener) this.once("timeout", listener);
    clearTimeout(this.#timer);
    if (delay > 0) this.#timer = setTimeout(() => this.emit("timeout"), delay);
    return this;
  }

  _write(chunk, _, done) {
    this.#parts.push(chunk);
    done();
  }

  _final(done) {
    done();
    this.#send();
  }

  async #send() {
    const headers = new Headers();
    for (const [name, value] of this.#headers.values()) for (const it of [value].flat()) headers.append(name, String(it));
    const body = this.#parts.length > 0 && !["GET", "HEAD"].includes(this.method) ? Buffer.concat(this.#parts) : undefined;
    try {
      const answer = await fetch(this.url.href, { method: this.method, headers, body, redirect: "manual", signal: this.#abort.signal });
      clearTimeout(this.#timer);
      this.emit("response", new IncomingMessage(answer));
    } catch (error) {
      clearTimeout(this.#timer);
      // The cause is the error, as Node says it.
      if (!this.destroyed) this.destroy(error.cause ?? error);
    }
  }

  _destroy(error, done) {
    clearTimeout(this.#timer);
    this.#abort.abort();
    done(error);
  }

  abort() {
    this.aborted = true;
    this.destroy();
  }

  flushHeaders() {}
  setNoDelay() {}
  setSocketKeepAlive() {}
}

/** The URL that a request's options name. */
function addressed(url, options, protocol) {
  if (url !== undefined && options.path === undefined && options.hostname === undefined && options.host === undefined) return url;
  const whole = new URL(url ?? `${options.protocol ?? protocol}//localhost`);
  const host = options.hostname ?? options.host;
  if (host) whole.hostname = String(host).replace(/:\d+$/, "");
  const port = options.port ?? /:(\d+)$/.exec(options.host ?? "")?.[1];
  if (port) whole.port = String(port);
  if (options.path !== undefined) {
    const [pathname, ...search] = String(options.path).split("?");
    whole.pathname = pathname;
    whole.search = search.length > 0 ? `?${search.join("?")}` : "";
  }
  return whole;
}

const STATUS_CODES = {
  200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
  304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
  405: "Method Not Allowed", 409: "Conflict", 410: "Gone", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error",
  501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
};

class Agent {
  constructor(options = {}) {
    this.options = options;
  }
  destroy() {}
}

const checked = (name) => {
  if (typeof name !== "string" || !/^[\^`\-\w!#$%&'*+.|~]+$/.test(name)) {
    throw Object.assign(new TypeError(`Header name must be a valid HTTP token ["${name}"]`), { code: "ERR_INVALID_HTTP_TOKEN" });
  }
};
const clear = (name, value) => {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(String(value))) {
    throw Object.assign(new TypeError(`Invalid character in header content ["${name}"]`), { code: "ERR_INVALID_CHAR" });
  }
};

/** The module for URLs of `protocol`. */
function made(protocol, rest) {
  const request = (...given) => new ClientRequest(protocol, ...given);
  const get = (...given) => {
    const asked = request(...given);
    asked.end();
    return asked;
  };
  const own = { request, get, Agent, globalAgent: new Agent(), ClientRequest, IncomingMessage, STATUS_CODES, validateHeaderName: checked, validateHeaderValue: clear };
  return { ...rest, ...own, default: { ...rest.default, ...own } };
}

module.exports = { ...made("http:", nodeHttp), toolHubModule: made };
