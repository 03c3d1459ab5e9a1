// The `Tools`: a read-only map of functions by name, also with lower limits or an audit log.

import { ToolHubError } from "./errors.js";
import { Tool } from "./tool.js";

/** Functions by the names that agents call. */
export class Tools {
  #native;
  #byName;

  constructor(native) {
    this.#native = native;
    const definitions = JSON.parse(native.definitions());
    this.#byName = new Map(definitions.map((it) => [it.name, new Tool(native, it)]));
  }

  get size() {
    return this.#byName.size;
  }

  /** The function of this name. An unknown name throws, and the error lists those there are. */
  get(name) {
    const tool = this.#byName.get(name);
    if (!tool) {
      const names = [...this.#byName.keys()].map((known) => `\`${known}\``).join(", ");
      throw new ToolHubError(`there is no function \`${name}\`; there are ${names || "none"}`);
    }
    return tool;
  }

  has(name) {
    return this.#byName.has(name);
  }

  keys() {
    return this.#byName.keys();
  }

  values() {
    return this.#byName.values();
  }

  entries() {
    return this.#byName.entries();
  }

  forEach(visit) {
    this.#byName.forEach((tool, name) => visit(tool, name, this));
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  /** The same functions with lower limits on each call. A higher one has no effect. */
  limited(limits) {
    return new Tools(this.#native.limited(JSON.stringify(limits)));
  }

  /** The same functions; each call is noted in the audit log `file`, as a call of `caller`. */
  audited(file, { caller = "node" } = {}) {
    return new Tools(this.#native.audited(file, caller));
  }

  /** Calls the only function there is, as `Tool.call` does. */
  async call(given, options) {
    return this.#only().call(given, options);
  }

  /** Calls the only function there is, as `Tool.run` does. */
  async run(given, options) {
    return this.#only().run(given, options);
  }

  #only() {
    if (this.size !== 1) {
      const names = [...this.keys()].map((name) => `\`${name}\``).join(", ");
      throw new ToolHubError(`say which function is meant, with get(name): ${names || "none"}`);
    }
    return this.values().next().value;
  }
}
