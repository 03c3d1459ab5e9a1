// The part of `crypto` that makes random values, from the host's generator.

import { getRandomBytes } from "wasi:random/random@0.2.12";

const BYTES_MAX = 65536;

function getRandomValues(array) {
  if (!ArrayBuffer.isView(array) || /^(Float|DataView)/.test(array.constructor.name)) {
    throw new DOMException("getRandomValues takes an array of integers", "TypeMismatchError");
  }
  if (array.byteLength > BYTES_MAX) {
    throw new DOMException(`getRandomValues fills at most ${BYTES_MAX} bytes`, "QuotaExceededError");
  }
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  bytes.set(getRandomBytes(bytes.length));
  return array;
}

// Version 4 of RFC 9562.
function randomUUID() {
  const bytes = getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export const crypto = { getRandomValues, randomUUID };
