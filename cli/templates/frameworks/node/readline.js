// Lines of standard input.

import { EventEmitter } from "node:events";

class Interface extends EventEmitter {
  #rest = "";
  #ended = false;
  terminal = false;

  constructor({ input }) {
    super();
    input?.on("data", (chunk) => {
      const parts = (this.#rest + chunk).split(/\r?\n/);
      this.#rest = parts.pop();
      for (const line of parts) this.emit("line", line);
    });
  }

  close() {
    this.#ended = true;
  }

  async *[Symbol.asyncIterator]() {
    const waiting = [];
    let more = () => {};
    this.on("line", (line) => {
      waiting.push(line);
      more();
    });
    while (!this.#ended) {
      if (waiting.length > 0) yield waiting.shift();
      else await new Promise((resolve) => (more = resolve));
    }
  }

  on(event, listener) {
    super.on(event, listener);
    return this;
  }

  prompt() {}
  setPrompt() {}
  pause = () => this;
  resume = () => this;
}

export const createInterface = (input, output) => new Interface(input?.input ? input : { input, output });
export { Interface };
export const clearLine = () => true;
export const cursorTo = () => true;
export const moveCursor = () => true;
export const promises = { createInterface, Interface };
export default { createInterface, Interface, clearLine, cursorTo, moveCursor, promises };
