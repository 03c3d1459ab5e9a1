// `Headers` of the fetch standard.

import { Pairs } from "./pairs.js";

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[^\0\r\n\u0100-\uffff]*$/;

export class Headers extends Pairs {
  // By name in lower case, the values in order.
  #values = new Map();

  constructor(given) {
    super();
    if (given === undefined || given === null) {
      return;
    }
    const entries = typeof given[Symbol.iterator] === "function" ? given : Object.entries(given);
    for (const [name, value] of entries) {
      this.append(name, value);
    }
  }

  append(name, value) {
    const key = keyOf(name);
    this.#values.set(key, [...(this.#values.get(key) ?? []), valueOf(name, value)]);
  }

  set(name, value) {
    this.#values.set(keyOf(name), [valueOf(name, value)]);
  }

  get(name) {
    return this.#values.get(keyOf(name))?.join(", ") ?? null;
  }

  getSetCookie() {
    return [...(this.#values.get("set-cookie") ?? [])];
  }

  has(name) {
    return this.#values.has(keyOf(name));
  }

  delete(name) {
    this.#values.delete(keyOf(name));
  }

  *entries() {
    for (const name of [...this.#values.keys()].sort()) {
      const values = this.#values.get(name);
      // Cookies hold commas, so they are the only ones that are not joined.
      for (const value of name === "set-cookie" ? values : [values.join(", ")]) {
        yield [name, value];
      }
    }
  }
}

function keyOf(name) {
  if (!NAME.test(name)) {
    throw new TypeError(`${JSON.stringify(String(name))} is not the name of a header`);
  }
  return String(name).toLowerCase();
}

function valueOf(name, value) {
  const text = String(value).replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, "");
  if (!VALUE.test(text)) {
    throw new TypeError(`the header ${name} has a value with characters that cannot be sent`);
  }
  return text;
}
