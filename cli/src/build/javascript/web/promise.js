// A `Promise` with a queue of jobs of our own, which runs while a call waits for a promise.
// The engine runs its own queue only while a component is built. The bundler turns `async`
// functions into generators that take the `Promise` of the global scope, which is this one.

const jobs = [];
let wait = () => false;

/** Has `step` called when no job is left; it waits for an event and is false if none can come. */
export function whenIdle(step) {
  wait = step;
}

export function queueMicrotask(job) {
  if (typeof job !== "function") {
    throw new TypeError("queueMicrotask takes a function");
  }
  jobs.push(job);
}

export function runJobs() {
  // A job may add others. The queue is emptied at the end, since `shift` moves all that follow.
  let done = 0;
  try {
    while (done < jobs.length) {
      jobs[done++]();
    }
  } finally {
    jobs.splice(0, done);
  }
}

// `all`, `race`, `catch`, `finally` and the rest are the engine's, which only use what is here.
const Queued = class Promise extends globalThis.Promise {
  #state = "pending";
  #value;
  #reactions = [];

  constructor(executor) {
    if (typeof executor !== "function") {
      throw new TypeError("a promise takes a function");
    }
    super(() => {});
    this.#decideBy(executor);
  }

  then(fulfilled, rejected) {
    const Class = this.constructor[Symbol.species] ?? Queued;
    return new Class((resolve, reject) => {
      const react = () => {
        const isFulfilled = this.#state === "fulfilled";
        const reaction = isFulfilled ? fulfilled : rejected;
        if (typeof reaction !== "function") {
          return isFulfilled ? resolve(this.#value) : reject(this.#value);
        }
        try {
          resolve(reaction(this.#value));
        } catch (error) {
          reject(error);
        }
      };
      (this.#state === "pending" ? this.#reactions : jobs).push(react);
    });
  }

  // Gives `decide` two functions, of which only the first call counts.
  #decideBy(decide) {
    let isDecided = false;
    const once = (settle) => (value) => {
      if (!isDecided) {
        isDecided = true;
        settle(value);
      }
    };
    const reject = once((error) => this.#settle("rejected", error));
    try {
      decide(once((value) => this.#resolve(value)), reject);
    } catch (error) {
      reject(error);
    }
  }

  #resolve(value) {
    let then;
    try {
      if (value === this) {
        throw new TypeError("a promise cannot wait for itself");
      }
      then = isObject(value) ? value.then : undefined;
    } catch (error) {
      return this.#settle("rejected", error);
    }
    if (typeof then !== "function") {
      return this.#settle("fulfilled", value);
    }
    jobs.push(() => this.#decideBy((resolve, reject) => then.call(value, resolve, reject)));
  }

  #settle(state, value) {
    this.#state = state;
    this.#value = value;
    jobs.push(...this.#reactions);
    this.#reactions = [];
  }
};

function isObject(value) {
  return value !== null && (typeof value === "object" || typeof value === "function");
}

globalThis.Promise = Queued;
globalThis.queueMicrotask = queueMicrotask;

/** What a promise that `waiting` waits for gives, once it is settled; any other value as it is. */
export function settled(value, waiting = "the function") {
  if (!isObject(value) || typeof value.then !== "function") {
    return value;
  }
  let outcome;
  Queued.resolve(value).then(
    (result) => {
      outcome = { result };
    },
    (error) => {
      outcome = { error };
    },
  );
  do {
    runJobs();
  } while (outcome === undefined && wait());
  if (outcome === undefined) {
    throw new Error(`${waiting} waits for a promise that nothing will settle`);
  }
  if ("error" in outcome) {
    throw outcome.error;
  }
  return outcome.result;
}
