// `Request` and `Response` of the fetch standard.

import URL from "tool-hub-packages/core-js-pure/actual/url/index.js";
import { AbortController } from "./abort.js";
import { Body, twin } from "./body.js";
import { bytesOf } from "./bytes.js";
import { Headers } from "./headers.js";
import { BodyStream, bodyOf } from "./stream.js";

const UPPER_CASE = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
const REDIRECTS = ["follow", "error", "manual"];
const WITHOUT_BODY = [101, 103, 204, 205, 304];

export class Request extends Body {
  #bytes;

  constructor(input, options = {}) {
    const from = input instanceof Request ? input : undefined;
    const method = normalized(options.method ?? from?.method ?? "GET");
    const headers = new Headers(options.headers ?? from?.headers);
    let bytes = from?.takeBytes();
    if (options.body !== undefined && options.body !== null) {
      const given = bytesOf(options.body);
      bytes = given.bytes;
      if (given.type && !headers.has("content-type")) {
        headers.set("content-type", given.type);
      }
    }
    if (bytes !== undefined && ["GET", "HEAD"].includes(method)) {
      throw new TypeError(`a request with ${method} has no body`);
    }
    super(bytes === undefined ? null : bodyOf(bytes));
    this.#bytes = bytes;
    this.method = method;
    this.headers = headers;
    this.url = from?.url ?? address(input);
    this.redirect = options.redirect ?? from?.redirect ?? "follow";
    this.signal = options.signal ?? from?.signal ?? new AbortController().signal;
    if (!REDIRECTS.includes(this.redirect)) {
      throw new TypeError(`redirect is follow, error or manual, and not ${this.redirect}`);
    }
  }

  /** The bytes to send, which nobody read. */
  takeBytes() {
    if (this.bodyUsed) {
      throw new TypeError("the body was read already");
    }
    return this.#bytes;
  }

  clone() {
    return new Request(this);
  }
}

export class Response extends Body {
  constructor(body = null, { status = 200, statusText = "", headers, url = "", redirected = false } = {}) {
    if (!(status >= 200 && status <= 599)) {
      throw new RangeError(`${status} is not the status of a response`);
    }
    const all = new Headers(headers);
    let stream = body;
    if (body !== null && !(body instanceof BodyStream)) {
      const { bytes, type } = bytesOf(body);
      stream = bodyOf(bytes);
      if (type && !all.has("content-type")) {
        all.set("content-type", type);
      }
    }
    super(WITHOUT_BODY.includes(status) ? null : stream);
    this.status = status;
    this.statusText = statusText;
    this.headers = all;
    this.url = url;
    this.redirected = redirected;
    this.type = url ? "basic" : "default";
  }

  static json(value, options = {}) {
    const headers = new Headers(options.headers);
    if (!headers.has("content-type")) {
      headers.set("content-type", "application/json");
    }
    return new Response(JSON.stringify(value), { ...options, headers });
  }

  clone() {
    return new Response(this[twin](), this);
  }

  get ok() {
    return this.status >= 200 && this.status <= 299;
  }
}

function normalized(method) {
  const upper = String(method).toUpperCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Z]+$/.test(upper) || ["CONNECT", "TRACE", "TRACK"].includes(upper)) {
    throw new TypeError(`${method} is not a method that can be sent`);
  }
  return UPPER_CASE.includes(upper) ? upper : String(method);
}

function address(input) {
  let url;
  try {
    url = new URL(String(input));
  } catch {
    throw new TypeError(`${JSON.stringify(String(input))} is not a URL; here it has to be a whole one`);
  }
  if (url.username || url.password) {
    throw new TypeError("a URL with a user or a password is not fetched; send a header");
  }
  return url.href;
}
