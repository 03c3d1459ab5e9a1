// A `Promise` class with a queue of jobs of its own, which runs while the code waits for a promise.
// The engine's own queue would never run: a call of a component ends when its function returns.

const jobs = [];
// Promises that failed and that nobody has asked yet.
const unasked = new Set();

/** Replaces the engine's class, from which it inherits `all`, `race`, `catch` and the rest. */
const QueuedPromise = class Promise extends globalThis.Promise {
  #state = 'pending';
  #value;
  #reactions = [];

  constructor(executor) {
    super(() => {});
    this.#follow(executor);
  }

  then(fulfilled, rejected) {
    unasked.delete(this);
    return new QueuedPromise((resolve, reject) => {
      this.#whenSettled(() => {
        const [react, otherwise] = this.#state === 'fulfilled' ? [fulfilled, resolve] : [rejected, reject];
        if (typeof react !== 'function') return otherwise(this.#value);
        try {
          resolve(react(this.#value));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  // Runs `start` with two functions of which the first call counts.
  #follow(start) {
    let isDecided = false;
    const once = (decide) => (value) => {
      if (isDecided) return;
      isDecided = true;
      decide(value);
    };
    const reject = once((error) => this.#settle('rejected', error));
    try {
      start(once((value) => this.#resolve(value)), reject);
    } catch (error) {
      reject(error);
    }
  }

  #resolve(value) {
    if (value === this) return this.#settle('rejected', new TypeError('a promise cannot wait for itself'));
    if (!isThenable(value)) return this.#settle('fulfilled', value);
    jobs.push(() => this.#follow((resolve, reject) => value.then(resolve, reject)));
  }

  #settle(state, value) {
    this.#state = state;
    this.#value = value;
    if (state === 'rejected' && this.#reactions.length === 0) unasked.add(this);
    jobs.push(...this.#reactions);
  }

  #whenSettled(react) {
    (this.#state === 'pending' ? this.#reactions : jobs).push(react);
  }
};

export { QueuedPromise as Promise };

/** What `await value` gives: runs jobs until the promise is settled. */
export function awaited(value) {
  if (!isThenable(value)) return value;
  let outcome;
  QueuedPromise.resolve(value).then(
    (result) => { outcome = { result }; },
    (error) => { outcome = { error }; },
  );
  while (!outcome && jobs.length > 0) jobs.shift()();
  if (!outcome) throw new Error('the code waits for a promise that nothing settles');
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

/** What an async function with this body gives. The body runs to its end at once. */
export function promised(body) {
  return new QueuedPromise((resolve) => resolve(body()));
}

/** What `for await` goes through. */
export function* each(values) {
  if (!values[Symbol.asyncIterator]) {
    for (const value of values) yield awaited(value);
    return;
  }
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (let next = awaited(iterator.next()); !next.done; next = awaited(iterator.next())) yield awaited(next.value);
  } finally {
    awaited(iterator.return?.());
  }
}

/** Runs the jobs that are left, and throws what a promise failed with that nobody asked. */
export function finish() {
  while (jobs.length > 0) jobs.shift()();
  for (const failed of unasked) awaited(failed);
}

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && typeof value?.then === 'function';
}
