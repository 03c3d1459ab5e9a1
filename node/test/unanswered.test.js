// A test of a registry that takes connections and never answers: each operation ends with an error.

import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";

import { HubError, load, loadTool, push, search } from "tool-hub";
import { fixtures } from "./support.js";

/** The client gives an answer one minute. */
const LIMIT_SECONDS = 60;

test("a registry that never answers is given up", { timeout: 150_000 }, async () => {
  const sockets = [];
  // It does not keep the process alive when the test fails.
  const silent = net.createServer((socket) => sockets.push(socket.unref())).unref();
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const endpoint = `http://127.0.0.1:${silent.address().port}`;
  process.env.HF_TOKEN = "hf_nobody";
  const began = performance.now();
  const approve = `sha256:${"0".repeat(64)}`;
  const ends = await Promise.allSettled([
    search("x", { endpoint }),
    load("ada/silent", { endpoint }),
    loadTool("ada/silent@0.1.0", { endpoint, approve }),
    push(path.join(fixtures, "calculator"), "ada/silent", { endpoint }),
  ]);
  const seconds = (performance.now() - began) / 1000;
  for (const { reason } of ends) {
    assert.ok(reason instanceof HubError, `${reason?.stack}`);
    assert.match(reason.message, /^cannot .*: it did not end within 60s$/);
  }
  assert.ok(seconds > LIMIT_SECONDS - 1 && seconds < LIMIT_SECONDS + 30, `${seconds}`);
  assert.ok(sockets.length > 0);
});
