// Runs the native module's operations as promises: hands their events to callbacks, aborts them.

import { inspect } from "node:util";
import { isMainThread } from "node:worker_threads";

import { problem, ToolError } from "./errors.js";
import { native } from "./native.js";
import { reply } from "./reply.js";

/** By number. The native module knows an operation by the same number. */
const underWay = new Map();
let lastNumber = 0;

/** Events of all operations wait here until this thread takes them, many at once. */
export const bridge = new native.Bridge(takeEvents);

if (isMainThread) {
  // Guests do not run on while the process is taken apart.
  process.on("exit", () => bridge.stop());
}

/** Keeps the process alive while operations are under way, as a timer does, and no longer. */
const alive = setInterval(() => {}, 2 ** 31 - 1);
alive.unref();

/**
 * Begins an operation by `begin(number)`. `listeners` has a method for each kind of event that
 * comes before the end, and promises of those that answer nothing are awaited. When `signal` is
 * aborted, the operation is dropped, which stops a guest.
 */
export function operation(begin, { signal, listeners = {} } = {}) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const number = (lastNumber = (lastNumber + 1) >>> 0);
    if (underWay.size === 0) {
      alive.ref();
    }
    underWay.set(number, { resolve, reject, listeners, signal, hearing: new Set() });
    if (signal) {
      watch(signal, number);
    }
    try {
      begin(number);
    } catch (error) {
      take(number)?.reject(error);
    }
  });
}

/** The operation with this number, which is over. */
function take(number) {
  const operation = underWay.get(number);
  if (operation && underWay.delete(number)) {
    watched.get(operation.signal)?.delete(number);
    if (underWay.size === 0) {
      alive.unref();
    }
  }
  return operation;
}

/** Hands an operation that is over to `settle`, once its events have been heard. */
function end(number, settle) {
  const operation = underWay.get(number);
  if (!operation) {
    return;
  }
  const settled = () => {
    // If a listener failed, the operation has ended with its error.
    if (underWay.get(number) === operation) {
      operation.isSettled = true;
      settle(take(number));
    }
  };
  if (operation.hearing.size === 0) {
    settled();
  } else {
    Promise.all(operation.hearing).then(settled);
  }
}

/** Operations by the signals that end them. A signal is listened to once, however many it ends. */
const watched = new WeakMap();

function watch(signal, number) {
  let numbers = watched.get(signal);
  if (!numbers) {
    numbers = new Set();
    watched.set(signal, numbers);
    const onAbort = () => [...numbers].forEach((number) => drop(number, signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
  }
  numbers.add(number);
}

/** Stops an operation for `reason`. */
function drop(number, reason) {
  bridge.abort(number);
  take(number)?.reject(reason);
}

function takeEvents() {
  for (const event of bridge.takeEvents()) {
    takeEvent(event);
  }
}

function takeEvent({ operation: number, kind, text, blobs, inspection, tools }) {
  switch (kind) {
    case "reply":
      return end(number, ({ resolve }) => resolve(reply(JSON.parse(text), blobs)));
    case "failure":
      return end(number, ({ reject }) => reject(new ToolError(JSON.parse(text))));
    case "done":
      return end(number, ({ resolve }) => resolve(inspection ?? tools ?? JSON.parse(text)));
    case "error":
      return end(number, ({ reject }) => reject(problem(JSON.parse(text))));
    case "warning":
      return process.emitWarning(JSON.parse(text), "ToolHubWarning");
    default:
      return listen(number, kind, JSON.parse(text));
  }
}

/** Kinds of events to which nobody waits for an answer. */
const TOLD = new Set(["progress", "output"]);

/** Hands an event to its listener. A listener that fails ends the operation with its error. */
function listen(number, kind, event) {
  const operation = underWay.get(number);
  const listener = operation?.listeners[kind];
  if (!listener) {
    return;
  }
  const fail = (error) => failed(number, operation, error);
  let given;
  try {
    given = listener(event);
  } catch (error) {
    return fail(error);
  }
  if (typeof given?.then === "function") {
    const heard = Promise.resolve(given).then(() => {}, fail);
    if (TOLD.has(kind)) {
      operation.hearing.add(heard);
      heard.then(() => operation.hearing.delete(heard));
    }
  }
}

/** Ends an operation with the error of a listener. One that has given its reply can only warn. */
function failed(number, operation, error) {
  if (underWay.get(number) === operation) {
    drop(number, error);
  } else if (operation.isSettled) {
    process.emitWarning(`a callback failed after its call was over: ${inspect(error)}`, "ToolHubWarning");
  }
}
