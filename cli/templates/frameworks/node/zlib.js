// `zlib`, of the package `pako`.

import { Buffer } from "node:buffer";
import * as pako from "tool-node-pako";
import nodeZlib from "unenv/node/zlib";
import { Transform } from "tool-node-streams";

export * from "unenv/node/zlib";

const bytes = (data) => (typeof data === "string" ? Buffer.from(data) : new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength));

const OPTIONS = ["level", "memLevel", "strategy", "windowBits"];
const done = (work) => (data, options = {}) => {
  const given = OPTIONS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  try {
    return Buffer.from(work(bytes(data), Object.fromEntries(given)));
  } catch (error) {
    throw Object.assign(new Error(error.message ?? String(error)), { code: "Z_DATA_ERROR", errno: -3 });
  }
};
export const gzipSync = done(pako.gzip);
export const deflateSync = done(pako.deflate);
export const deflateRawSync = done(pako.deflateRaw);
export const gunzipSync = done(pako.ungzip);
export const inflateSync = done(pako.inflate);
export const inflateRawSync = done(pako.inflateRaw);
export const unzipSync = gunzipSync;

// With the callbacks of Node.
const called = (work) => (data, ...rest) => {
  const done = rest.pop();
  Promise.resolve()
    .then(() => work(data, ...rest))
    .then((value) => done(null, value), (error) => done(error));
};
export const gzip = called(gzipSync);
export const deflate = called(deflateSync);
export const deflateRaw = called(deflateRawSync);
export const gunzip = called(gunzipSync);
export const inflate = called(inflateSync);
export const inflateRaw = called(inflateRawSync);
export const unzip = called(unzipSync);

// A stream that works on all that it is given at its end.
const stream = (work) => (options) => {
  const parts = [];
  return new Transform({
    transform(chunk, _, done) {
      parts.push(chunk);
      done();
    },
    flush(done) {
      try {
        done(null, work(Buffer.concat(parts), options));
      } catch (error) {
        done(error);
      }
    },
  });
};
export const createGzip = stream(gzipSync);
export const createDeflate = stream(deflateSync);
export const createDeflateRaw = stream(deflateRawSync);
export const createGunzip = stream(gunzipSync);
export const createInflate = stream(inflateSync);
export const createInflateRaw = stream(inflateRawSync);
export const createUnzip = stream(unzipSync);

export default {
  ...nodeZlib, gzipSync, deflateSync, deflateRawSync, gunzipSync, inflateSync, inflateRawSync, unzipSync, gzip, deflate, deflateRaw, gunzip, inflate,
  inflateRaw, unzip, createGzip, createDeflate, createDeflateRaw, createGunzip, createInflate, createInflateRaw, createUnzip,
};
