// The `Inspection` of a package: what it claims next to what its bytes can do, and its approval.

import { inspect } from "node:util";

import { bridge, operation } from "./operations.js";
import { Tools } from "./tools.js";

/** A package that was verified and has not run. */
export class Inspection {
  #native;

  constructor(native) {
    this.#native = native;
    Object.assign(this, JSON.parse(native.facts()));
    Object.freeze(this);
  }

  /** The report that a person reads before approving. */
  report({ verbose = false } = {}) {
    return verbose ? this.#native.fullReport() : this.#native.report();
  }

  toString() {
    return this.report();
  }

  [inspect.custom]() {
    return this.report();
  }

  /**
   * Loads the package with `grants`, which are no more than it asks for. `digest` is the one that
   * a person saw and agreed to; with any other this throws a `RefusedError`.
   */
  async approve(digest, grants = {}) {
    const text = JSON.stringify(grants);
    const begin = (number) => bridge.approve(number, this.#native, String(digest), text);
    return new Tools(await operation(begin));
  }
}
