// `Blob` and `File`: bytes with a media type, and with a name.

import { TextDecoder, TextEncoder } from "tool-hub-packages/@exodus/bytes/encoding-lite.js";
import { bodyOf } from "./stream.js";

/** The bytes of a blob, which nobody may change. */
export let bytesOfBlob;

export class Blob {
  #bytes;
  #type;

  static {
    bytesOfBlob = (blob) => blob.#bytes;
  }

  constructor(parts = [], { type = "" } = {}) {
    if (parts === null || typeof parts !== "object" || typeof parts[Symbol.iterator] !== "function") {
      throw new TypeError("a Blob takes a list of its parts");
    }
    this.#bytes = joined([...parts].map(bytesOfPart));
    this.#type = /^[ -~]*$/.test(type) ? String(type).toLowerCase() : "";
  }

  get size() {
    return this.#bytes.length;
  }

  get type() {
    return this.#type;
  }

  slice(start = 0, end = this.size, type = "") {
    return new Blob([this.#bytes.subarray(start, end)], { type });
  }

  stream() {
    return bodyOf(this.#bytes.slice());
  }

  async bytes() {
    return this.#bytes.slice();
  }

  async arrayBuffer() {
    return (await this.bytes()).buffer;
  }

  async text() {
    return new TextDecoder().decode(this.#bytes);
  }
}

export class File extends Blob {
  constructor(parts, name, { lastModified = Date.now(), ...options } = {}) {
    super(parts, options);
    this.name = String(name);
    this.lastModified = lastModified;
  }
}

function bytesOfPart(part) {
  if (part instanceof Blob) {
    return bytesOfBlob(part);
  }
  if (part instanceof ArrayBuffer) {
    return new Uint8Array(part);
  }
  if (ArrayBuffer.isView(part)) {
    return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  }
  return new TextEncoder().encode(String(part));
}

/** The bytes of all `pieces`, one after the other. */
export function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let start = 0;
  for (const piece of pieces) {
    whole.set(piece, start);
    start += piece.length;
  }
  return whole;
}
