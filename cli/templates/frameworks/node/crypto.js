// `crypto`, with the hashes of `@noble/hashes`.

import { Buffer } from "node:buffer";
import { hkdf as derived } from "tool-node-hashes/hkdf.js";
import { hmac } from "tool-node-hashes/hmac.js";
import { md5, ripemd160, sha1 } from "tool-node-hashes/legacy.js";
import { pbkdf2 as stretched } from "tool-node-hashes/pbkdf2.js";
import { scrypt as scrypted } from "tool-node-hashes/scrypt.js";
import { sha224, sha256, sha384, sha512, sha512_256 } from "tool-node-hashes/sha2.js";
import { sha3_224, sha3_256, sha3_384, sha3_512, shake128, shake256 } from "tool-node-hashes/sha3.js";
import nodeCrypto, { randomBytes } from "unenv/node/crypto";
import { Transform } from "tool-node-streams";

export * from "unenv/node/crypto";

const HASHES = {
  md5, ripemd160, rmd160: ripemd160, sha1, sha224, sha256, sha384, sha512, "sha512-256": sha512_256, "sha3-224": sha3_224, "sha3-256": sha3_256,
  "sha3-384": sha3_384, "sha3-512": sha3_512, shake128, shake256,
};

function named(algorithm) {
  const name = String(algorithm).toLowerCase().replace(/^rsa-/, "").replace(/^sha-(?=\d)/, "sha");
  if (HASHES[name]) return HASHES[name];
  throw Object.assign(new Error("Digest method not supported"), { code: "ERR_CRYPTO_INVALID_DIGEST" });
}
const bytes = (data, encoding) => (typeof data === "string" ? Buffer.from(data, encoding) : new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength));
const written = (data, encoding) => (encoding && encoding !== "buffer" ? Buffer.from(data).toString(encoding) : Buffer.from(data));

// Hash and Hmac of Node, which may be written to as streams too.
class Digest extends Transform {
  #state;
  #isDone = false;

  constructor(state) {
    super();
    this.#state = state;
  }

  update(data, encoding) {
    if (this.#isDone) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    this.#state.update(bytes(data, encoding));
    return this;
  }

  digest(encoding) {
    if (this.#isDone) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    this.#isDone = true;
    return written(this.#state.digest(), encoding);
  }

  copy() {
    return new Digest(this.#state.clone());
  }

  _transform(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }

  _flush(done) {
    this.push(this.digest());
    done();
  }
}

export { Digest as Hash, Digest as Hmac };
export const createHash = (algorithm) => new Digest(named(algorithm).create());
export const createHmac = (algorithm, key) => new Digest(hmac.create(named(algorithm), bytes(key)));
export const hash = (algorithm, data, encoding = "hex") => createHash(algorithm).update(data).digest(encoding);
export const getHashes = () => Object.keys(HASHES);

export const pbkdf2Sync = (password, salt, c, dkLen, algorithm) => Buffer.from(stretched(named(algorithm), bytes(password), bytes(salt), { c, dkLen }));
export const scryptSync = (password, salt, dkLen, { N, r, p, cost, blockSize, parallelization } = {}) =>
  Buffer.from(scrypted(bytes(password), bytes(salt), { N: N ?? cost ?? 16384, r: r ?? blockSize ?? 8, p: p ?? parallelization ?? 1, dkLen }));
export const hkdfSync = (algorithm, key, salt, info, length) => derived(named(algorithm), bytes(key), bytes(salt), bytes(info), length).buffer;

// With the callbacks of Node.
const called = (work) => (...given) => {
  const done = given.pop();
  Promise.resolve()
    .then(() => work(...given))
    .then((value) => done(null, value), (error) => done(error));
};
export const pbkdf2 = called(pbkdf2Sync);
export const scrypt = called(scryptSync);
export const hkdf = called(hkdfSync);

export function timingSafeEqual(a, b) {
  const [left, right] = [bytes(a), bytes(b)];
  if (left.length !== right.length) throw new RangeError("Input buffers must have the same byte length");
  return left.reduce((found, byte, at) => found | (byte ^ right[at]), 0) === 0;
}

export function randomInt(...given) {
  const done = typeof given.at(-1) === "function" ? given.pop() : undefined;
  const [min, max] = given.length === 1 ? [0, given[0]] : given;
  const range = max - min;
  if (!(range > 0 && range < 2 ** 48)) throw new RangeError(`The value of "max" is out of range. It must be greater than the value of "min" (${min}). Received ${max}`);
  // Numbers past the last whole multiple of the range would make small ones more likely.
  const limit = 2 ** 48 - (2 ** 48 % range);
  let drawn;
  do drawn = randomBytes(6).readUIntBE(0, 6);
  while (drawn >= limit);
  const value = min + (drawn % range);
  return done ? done(null, value) : value;
}

export function randomFillSync(buffer, offset = 0, size = buffer.byteLength - offset) {
  bytes(buffer).set(randomBytes(size), offset);
  return buffer;
}
export const randomFill = called(randomFillSync);

export default {
  ...nodeCrypto, Hash: Digest, Hmac: Digest, createHash, createHmac, getHashes, hash, hkdf, hkdfSync, pbkdf2, pbkdf2Sync, randomFill, randomFillSync,
  randomInt, scrypt, scryptSync, timingSafeEqual,
};
