// Bodies of requests and responses: what is sent, and what is read whole or in chunks.

import { TextDecoder, TextEncoder } from "tool-hub-packages/@exodus/bytes/encoding-lite.js";
import URLSearchParams from "tool-hub-packages/core-js-pure/actual/url-search-params/index.js";

/** The bytes of what is given as a body, and the media type that it has by itself. */
export function bytesOf(given) {
  if (typeof given === "string") {
    return { bytes: new TextEncoder().encode(given), type: "text/plain;charset=UTF-8" };
  }
  if (given instanceof URLSearchParams) {
    const type = "application/x-www-form-urlencoded;charset=UTF-8";
    return { bytes: new TextEncoder().encode(String(given)), type };
  }
  if (given instanceof ArrayBuffer) {
    return { bytes: new Uint8Array(given.slice(0)) };
  }
  if (ArrayBuffer.isView(given)) {
    const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    return { bytes: bytes.slice() };
  }
  throw new TypeError(
    "a body is a string, a Uint8Array, an ArrayBuffer or URLSearchParams; write JSON with JSON.stringify",
  );
}

/** The part of `ReadableStream` that reads: a reader, and going through it with `for await`. */
export class BodyStream {
  #pull;
  #cancel;
  #isEnded = false;
  isUsed = false;
  locked = false;

  /** `pull` promises the next chunk, `undefined` at the end; `cancel` ends it before that. */
  constructor(pull, cancel = () => {}) {
    this.#pull = pull;
    this.#cancel = cancel;
  }

  getReader() {
    if (this.locked) {
      throw new TypeError("the body has a reader already");
    }
    this.locked = true;
    return {
      read: () => this.#read(),
      cancel: () => this.#stop(),
      releaseLock: () => {
        this.locked = false;
      },
    };
  }

  cancel() {
    return this.locked ? Promise.reject(new TypeError("the body has a reader")) : this.#stop();
  }

  [Symbol.asyncIterator]() {
    const reader = this.getReader();
    return {
      next: reader.read,
      return: (value) => reader.cancel().then(() => ({ done: true, value })),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async #read() {
    this.isUsed = true;
    const value = this.#isEnded ? undefined : await this.#pull();
    this.#isEnded = value === undefined;
    return { done: this.#isEnded, value };
  }

  async #stop() {
    this.isUsed = true;
    if (!this.#isEnded) {
      this.#isEnded = true;
      this.#cancel();
    }
  }
}

/** What `Request` and `Response` have in common. */
export class Body {
  #body;

  constructor(body) {
    this.#body = body;
  }

  get body() {
    return this.#body;
  }

  get bodyUsed() {
    return this.#body?.isUsed ?? false;
  }

  async bytes() {
    if (this.#body === null) {
      return new Uint8Array();
    }
    if (this.bodyUsed || this.#body.locked) {
      throw new TypeError("the body was read already");
    }
    const chunks = [];
    let length = 0;
    for await (const chunk of this.#body) {
      chunks.push(chunk);
      length += chunk.length;
    }
    const whole = new Uint8Array(length);
    let start = 0;
    for (const chunk of chunks) {
      whole.set(chunk, start);
      start += chunk.length;
    }
    return whole;
  }

  async arrayBuffer() {
    return (await this.bytes()).buffer;
  }

  async text() {
    return new TextDecoder().decode(await this.bytes());
  }

  async json() {
    return JSON.parse(await this.text());
  }
}

/** A body that is there as a whole. */
export function bodyOf(bytes) {
  let rest = bytes;
  return new BodyStream(async () => {
    const chunk = rest;
    rest = undefined;
    return chunk?.length ? chunk : undefined;
  });
}
