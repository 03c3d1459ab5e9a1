// What `Request` and `Response` have in common: their bodies, read whole or in chunks.

import { TextDecoder } from "tool-hub-packages/@exodus/bytes/encoding-lite.js";
import { Blob, joined } from "./blob.js";
import { tee } from "./stream.js";

export const twin = Symbol("twin");

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

  /** A stream with the same bytes as this body, which nobody read, and goes on to have. */
  [twin]() {
    if (this.#body === null) {
      return null;
    }
    if (this.bodyUsed || this.#body.locked) {
      throw new TypeError("the body was read already");
    }
    const [own, other] = tee(this.#body);
    this.#body = own;
    return other;
  }

  async bytes() {
    if (this.#body === null) {
      return new Uint8Array();
    }
    if (this.bodyUsed || this.#body.locked) {
      throw new TypeError("the body was read already");
    }
    const chunks = [];
    for await (const chunk of this.#body) {
      chunks.push(chunk);
    }
    return joined(chunks);
  }

  async arrayBuffer() {
    return (await this.bytes()).buffer;
  }

  async text() {
    return new TextDecoder().decode(await this.bytes());
  }

  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }

  async json() {
    return JSON.parse(await this.text());
  }
}
