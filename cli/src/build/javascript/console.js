// Defines `console` for JavaScript projects, on standard output and standard error.
// It is put before every project's own code, because the engine has none.

import { getStdout } from "wasi:cli/stdout@0.2.12";
import { getStderr } from "wasi:cli/stderr@0.2.12";

// WASI takes no more at once.
const WRITTEN_BYTES_MAX = 4096;

function shown(value) {
  if (typeof value === "string") {
    return value;
  }
  if (value instanceof Error) {
    return `${value}\n${value.stack ?? ""}`.trimEnd();
  }
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

// The engine has no `TextEncoder` either. The stream is opened anew each time: one that a module
// opened while the component was built is not there when a function is called.
function writer(open) {
  return (...values) => {
    const line = `${values.map(shown).join(" ")}\n`.toWellFormed();
    const bytes = Uint8Array.from(unescape(encodeURIComponent(line)), (byte) => byte.charCodeAt(0));
    const stream = open();
    for (let start = 0; start < bytes.length; start += WRITTEN_BYTES_MAX) {
      stream.blockingWriteAndFlush(bytes.slice(start, start + WRITTEN_BYTES_MAX));
    }
    stream[Symbol.dispose]();
  };
}

const log = writer(getStdout);
const error = writer(getStderr);
globalThis.console = { log, info: log, debug: log, warn: error, error };
