// The part of `ReadableStream` that bodies are read by, whole or in chunks.

/** The part of `ReadableStream` that reads: a reader, and going through it with `for await`. */
export class BodyStream {
  #pull;
  #cancel;
  #isEnded = false;
  isUsed = false;
  locked = false;

  /** `pull` promises the next chunk, `undefined` at the end; `cancel` ends it before that. */
  constructor(pull, cancel = () => {}) {
    this.#pull = pull;
    this.#cancel = cancel;
  }

  getReader() {
    if (this.locked) {
      throw new TypeError("the body has a reader already");
    }
    this.locked = true;
    return {
      read: () => this.#read(),
      cancel: () => this.#stop(),
      releaseLock: () => {
        this.locked = false;
      },
    };
  }

  cancel() {
    return this.locked ? Promise.reject(new TypeError("the body has a reader")) : this.#stop();
  }

  [Symbol.asyncIterator]() {
    const reader = this.getReader();
    return {
      next: reader.read,
      return: (value) => reader.cancel().then(() => ({ done: true, value })),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async #read() {
    this.isUsed = true;
    const value = this.#isEnded ? undefined : await this.#pull();
    this.#isEnded = value === undefined;
    return { done: this.#isEnded, value };
  }

  async #stop() {
    this.isUsed = true;
    if (!this.#isEnded) {
      this.#isEnded = true;
      this.#cancel();
    }
  }
}

/** A body that is there as a whole. */
export function bodyOf(bytes) {
  let rest = bytes;
  return new BodyStream(async () => {
    const chunk = rest;
    rest = undefined;
    return chunk?.length ? chunk : undefined;
  });
}

/** Two streams with all that `stream` has, which nobody reads yet. */
export function tee(stream) {
  const first = following(stream.getReader());
  let cancelled = 0;
  const branch = (copied) => {
    let next = first;
    return new BodyStream(
      async () => {
        const { value, rest } = await next();
        next = rest;
        return copied(value);
      },
      () => {
        cancelled += 1;
        if (cancelled === 2) {
          first.reader.cancel();
        }
      },
    );
  };
  return [branch((chunk) => chunk), branch((chunk) => chunk?.slice())];
}

// The next chunk of a reader and how to get the rest, read once however often it is asked for.
function following(reader) {
  let read;
  const next = () => {
    read ??= reader.read().then(({ value }) => ({ value, rest: following(reader) }));
    return read;
  };
  next.reader = reader;
  return next;
}
