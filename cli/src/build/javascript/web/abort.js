// `AbortController` and `AbortSignal`, with the part of `EventTarget` that they are used by.

import { setTimeout } from "./events.js";

const MAKING = Symbol("making");
const abort = Symbol("abort");

export class AbortSignal {
  #isAborted = false;
  #reason;
  #listeners = new Map();
  onabort = null;

  constructor(key) {
    if (key !== MAKING) {
      throw new TypeError("a signal is made by an AbortController");
    }
  }

  static abort(reason) {
    const signal = new AbortSignal(MAKING);
    signal[abort](reason);
    return signal;
  }

  static timeout(ms) {
    const signal = new AbortSignal(MAKING);
    setTimeout(() => signal[abort](new DOMException("The operation timed out", "TimeoutError")), ms);
    return signal;
  }

  static any(signals) {
    const signal = new AbortSignal(MAKING);
    for (const source of signals) {
      const follow = () => signal[abort](source.reason);
      source.aborted ? follow() : source.addEventListener("abort", follow);
    }
    return signal;
  }

  get aborted() {
    return this.#isAborted;
  }

  get reason() {
    return this.#reason;
  }

  throwIfAborted() {
    if (this.#isAborted) {
      throw this.#reason;
    }
  }

  addEventListener(type, listener, options) {
    if (type === "abort" && listener != null && !this.#listeners.has(listener)) {
      this.#listeners.set(listener, options?.once === true);
    }
  }

  removeEventListener(type, listener) {
    if (type === "abort") {
      this.#listeners.delete(listener);
    }
  }

  [abort](reason = new DOMException("The operation was aborted", "AbortError")) {
    if (this.#isAborted) {
      return;
    }
    this.#isAborted = true;
    this.#reason = reason;
    const event = { type: "abort", target: this, currentTarget: this };
    this.onabort?.(event);
    for (const listener of [...this.#listeners.keys()]) {
      typeof listener === "function" ? listener.call(this, event) : listener.handleEvent(event);
    }
    this.#listeners.clear();
  }
}

export class AbortController {
  #signal = new AbortSignal(MAKING);

  get signal() {
    return this.#signal;
  }

  abort(reason) {
    this.#signal[abort](reason);
  }
}
