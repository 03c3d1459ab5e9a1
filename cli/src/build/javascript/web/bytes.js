// The bytes of what is sent as a body.

import { TextEncoder } from "tool-hub-packages/@exodus/bytes/encoding-lite.js";
import URLSearchParams from "tool-hub-packages/core-js-pure/actual/url-search-params/index.js";
import { Blob, bytesOfBlob } from "./blob.js";
import { FormData, encoded } from "./form.js";

/** The bytes of what is given as a body, and the media type that it has by itself. */
export function bytesOf(given) {
  if (typeof given === "string") {
    return { bytes: new TextEncoder().encode(given), type: "text/plain;charset=UTF-8" };
  }
  if (given instanceof URLSearchParams) {
    const type = "application/x-www-form-urlencoded;charset=UTF-8";
    return { bytes: new TextEncoder().encode(String(given)), type };
  }
  if (given instanceof FormData) {
    return encoded(given);
  }
  if (given instanceof Blob) {
    return { bytes: bytesOfBlob(given), type: given.type };
  }
  if (given instanceof ArrayBuffer) {
    return { bytes: new Uint8Array(given.slice(0)) };
  }
  if (ArrayBuffer.isView(given)) {
    const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    return { bytes: bytes.slice() };
  }
  throw new TypeError(
    "a body is a string, a Uint8Array, an ArrayBuffer, a Blob, FormData or URLSearchParams; write JSON with JSON.stringify",
  );
}
