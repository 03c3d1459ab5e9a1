// Timers, and promises of what the host has ready, for whoever waits for a promise.
// All that is waited for is waited for at once.

import { poll } from "host:io/poll@0.2.0";
import { subscribeDuration } from "host:clocks/monotonic-clock@0.2.0";
import { runJobs, whenIdle } from "./promise.js";

const WAIT_MS_MAX = 2 ** 31 - 1;

const sources = new Set();
const timers = new Map();
let lastTimer = 0;

/** Settles once `pollable`, which is taken, is ready, or fails as `signal` says. */
export function ready(pollable, signal) {
  return new Promise((resolve, reject) => {
    const source = { pollable, end };
    const stop = () => end(() => reject(signal.reason));
    function end(settle) {
      if (sources.delete(source)) {
        pollable[Symbol.dispose]();
        signal?.removeEventListener("abort", stop);
        settle();
      }
    }
    source.resolve = resolve;
    sources.add(source);
    if (signal?.aborted) {
      return stop();
    }
    signal?.addEventListener("abort", stop);
  });
}

function start(run, delay, given, isRepeated) {
  if (typeof run !== "function") {
    throw new TypeError("a timer takes a function");
  }
  // As in browsers and Node, what is not a delay is the shortest one.
  const ms = delay >= 1 && delay <= WAIT_MS_MAX ? Math.trunc(delay) : 1;
  timers.set(++lastTimer, { run, given, due: performance.now() + ms, every: isRepeated ? ms : undefined });
  return lastTimer;
}

export function setTimeout(run, delay, ...given) {
  return start(run, delay, given, false);
}

export function setInterval(run, delay, ...given) {
  return start(run, delay, given, true);
}

export function clearTimeout(id) {
  timers.delete(id);
}

export { clearTimeout as clearInterval };

function nextTimer() {
  let next;
  for (const [id, { due }] of timers) {
    if (next === undefined || due < next.due) {
      next = { id, due };
    }
  }
  return next;
}

function runTimer(id) {
  const timer = timers.get(id);
  if (timer.every === undefined) {
    timers.delete(id);
  } else {
    timer.due = performance.now() + timer.every;
  }
  timer.run(...timer.given);
}

whenIdle(() => {
  const waiting = [...sources];
  const next = nextTimer();
  if (waiting.length === 0 && next === undefined) {
    return false;
  }
  const pollables = waiting.map((source) => source.pollable);
  let sleep;
  if (next !== undefined) {
    const ms = Math.max(0, next.due - performance.now());
    sleep = subscribeDuration(Math.ceil(ms * 1e6));
    pollables.push(sleep);
  }
  const found = poll(pollables);
  sleep?.[Symbol.dispose]();
  for (const index of found) {
    const source = waiting[index];
    // The timer comes last. What ran before may have stopped the others.
    if (source !== undefined) {
      source.end(source.resolve);
    } else if (timers.has(next.id) && next.due <= performance.now()) {
      runTimer(next.id);
    }
    runJobs();
  }
  return true;
});
