// Tests of calls: values, replies, failures, callbacks, abortion.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { load, loadTool, push, RefusedError, search, Tool, Toolbox, ToolError, ToolHubError, Tools } from "tool-hub";
import { approved, counting, fixtures, guest } from "./support.js";

const tools = await guest();

test("a call gives a plain value", async () => {
  assert.equal(await tools.get("guest__add").run({ a: 20, b: 22 }), 42);
  assert.deepEqual(await tools.get("guest__bounds").run({ low: -1, high: 1 }), { low: -1, high: 1 });
  assert.equal(await tools.get("guest__echo").run({ text: "é\u0000☃" }), "é\u0000☃");
});

test("a reply has all of it", async () => {
  const reply = await tools.get("guest__add").call({ a: 1, b: 2 });
  assert.equal(reply.value, 3);
  assert.equal(reply.structured, 3);
  assert.equal(reply.text, "3");
  assert.ok(reply.usage.total_us > 0 && reply.usage.memory_bytes > 0, JSON.stringify(reply.usage));
});

test("the text of a model is repaired", async () => {
  assert.equal(await tools.get("guest__add").run('{"a": "20", "b": 22}'), 42);
});

test("a picture is a buffer", async () => {
  const picture = await tools.get("guest__picture").run();
  assert.equal(picture.type, "image");
  assert.equal(picture.mediaType, "image/png");
  assert.ok(Buffer.isBuffer(picture.data));
  assert.deepEqual(picture.data, Buffer.from("\x89PNG", "latin1"));
});

test("functions are described", () => {
  assert.ok(tools instanceof Tools && tools.size === 8);
  const add = tools.get("guest__add");
  assert.ok(add instanceof Tool && Object.isFrozen(add));
  assert.deepEqual(Object.keys(add.inputSchema.properties), ["a", "b"]);
  assert.deepEqual([...tools.keys()], [...tools].map(([name]) => name));
  assert.throws(() => tools.get("ad"), /there is no function `ad`; there are `guest__add`/);
});

test("a failure teaches", async () => {
  const wrong = await assert.rejects(tools.get("guest__add").run({ a: 1 }), (error) => {
    assert.ok(error instanceof ToolError && error instanceof ToolHubError);
    assert.equal(error.kind, "invalid-argument");
    assert.equal(error.argument, "b");
    assert.equal(error.retryable, false);
    assert.match(error.text, /guest__add` failed/);
    assert.match(error.text, /Call again with changed arguments/);
    return true;
  });
  assert.equal(wrong, undefined);
  const refused = { name: "ToolError", kind: "failed", message: "because" };
  await assert.rejects(tools.get("guest__refuse").run({ text: "because" }), refused);
});

test("progress is told", async () => {
  const heard = [];
  const onProgress = (...told) => heard.push(told);
  assert.equal(await tools.get("guest__work").run({}, { onProgress }), 2);
  assert.deepEqual(heard, [[1, 2, "halfway"]]);
});

test("questions are answered, declined, or asked of nobody", async () => {
  const confirm = tools.get("guest__confirm");
  const asked = [];
  const onQuestion = async (question) => {
    asked.push(question.message);
    return { ok: true };
  };
  assert.equal(await confirm.run({}, { onQuestion }), '{"ok":true}');
  assert.deepEqual(asked, ["Delete 12 notes?", "Really?"]);
  await assert.rejects(confirm.run({}, { onQuestion: () => null }), /nobody said yes/);
  await assert.rejects(confirm.run(), /nobody said yes/);
});

test("an answer that does not fit the question is none", async () => {
  const confirm = tools.get("guest__confirm");
  for (const answer of [{ ok: "yes" }, {}, 5, [true]]) {
    await assert.rejects(confirm.run({}, { onQuestion: () => answer }), /nobody said yes/);
  }
  await assert.rejects(confirm.run({}, { onQuestion: () => () => true }), /^ToolHubError: `onQuestion` gave a function/);
});

test("a tool is told how a question ended", async () => {
  const ask = await approved("answers.wasm");
  for (const [answer, told] of [
    [{ ok: true }, '{"ok":true}'],
    [null, "declined"],
    [undefined, "declined"],
    ["cancelled", "cancelled"],
    ["yes", "cancelled"],
  ]) {
    assert.equal(await ask.run({}, { onQuestion: async () => answer }), told);
  }
  assert.equal(await ask.run(), "unavailable");
});

test("the schema of a question is given", async () => {
  const onQuestion = ({ schema, ...question }) => {
    assert.deepEqual(schema.required, ["ok"]);
    assert.deepEqual(Object.keys(question), ["message"]);
    return { ok: false };
  };
  assert.equal(await tools.get("guest__confirm").run({}, { onQuestion }), '{"ok":false}');
});

test("a callback that throws ends the call with its error", async () => {
  const fault = new Error("no");
  const fails = () => {
    throw fault;
  };
  await assert.rejects(tools.get("guest__confirm").run({}, { onQuestion: fails }), fault);
  await assert.rejects(tools.get("guest__confirm").run({}, { onQuestion: async () => fails() }), fault);
  await assert.rejects(tools.get("guest__work").run({}, { onProgress: fails }), fault);
  await assert.rejects(tools.get("guest__work").run({}, { onOutput: fails }), fault);
});

test("a call waits for callbacks, and ends with the error of one that fails last", async () => {
  const [work, refuse] = [tools.get("guest__work"), tools.get("guest__refuse")];
  const fault = new Error("no");
  const heard = [];
  const hears = async (...told) => {
    await sleep(50);
    heard.push(told);
  };
  const fails = async () => {
    await sleep(50);
    throw fault;
  };
  assert.equal(await work.run({}, { onProgress: hears, onOutput: hears }), 2);
  assert.equal(heard.length, 2);
  await assert.rejects(refuse.run({ text: "because" }, { onOutput: hears }), { message: "because" });
  assert.equal(heard.length, 3);
  await assert.rejects(work.run({}, { onProgress: fails, onOutput: hears }), fault);
  await assert.rejects(work.run({}, { onProgress: hears, onOutput: fails }), fault);
  await assert.rejects(work.run({}, { onProgress: fails, onOutput: fails }), fault);
  await assert.rejects(refuse.run({ text: "because" }, { onOutput: fails }), fault);
});

test("an abort ends a call that waits for a callback", async () => {
  const signal = AbortSignal.timeout(100);
  const onOutput = () => new Promise(() => {});
  await assert.rejects(tools.get("guest__work").run({}, { onOutput, signal }), { name: "TimeoutError" });
});

test("what a tool wrote is told once, before its reply, and of a failure too", async () => {
  const { counters, counter } = await counting();
  const heard = [];
  const onOutput = (output) => heard.push(output);
  await counters.get("tally__add").run({ counter }, { onOutput }).then(() => heard.push("reply"));
  const [{ log, ...written }, end, ...others] = heard;
  assert.deepEqual([written, end, others], [{ stdout: "", stderr: "", droppedBytes: 0 }, "reply", []]);
  assert.equal(log[0].level, "info");
  assert.ok(log[0].message.includes(`${counter} grew by 1`), JSON.stringify(log));

  const failed = [];
  const refused = tools.get("guest__refuse").run({ text: "because" }, { onOutput: (output) => failed.push(output) });
  await assert.rejects(refused, { kind: "failed" });
  assert.deepEqual(failed, [{ stdout: "", stderr: "", log: [], droppedBytes: 0 }]);
});

test("an abort stops the guest", async () => {
  const spin = tools.get("guest__spin");
  await assert.rejects(spin.run({}, { signal: AbortSignal.abort() }), { name: "AbortError" });
  // More guests than may run at once, each of which would spin for its whole time.
  for (let round = 0; round < 3; round += 1) {
    const controller = new AbortController();
    const calls = Array.from({ length: 100 }, () => spin.run({}, { signal: controller.signal }));
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 50);
    const ends = await Promise.allSettled(calls);
    assert.ok(ends.every(({ reason: why }) => why === reason), JSON.stringify(ends));
  }
  const began = performance.now();
  assert.equal(await tools.get("guest__add").run({ a: 1, b: 1 }), 2);
  assert.ok(performance.now() - began < 2000, "the guests still hold the host");
});

test("one signal ends any number of calls, without a warning", async () => {
  const warned = [];
  process.on("warning", (warning) => warned.push(warning));
  const { signal } = new AbortController();
  const add = tools.get("guest__add");
  await Promise.all(Array.from({ length: 50 }, () => add.run({ a: 1, b: 1 }, { signal })));
  await new Promise(setImmediate);
  assert.deepEqual(warned, []);
});

test("a thousand calls at once", async () => {
  const add = tools.get("guest__add");
  const calls = Array.from({ length: 1000 }, (_, n) => add.run({ a: n, b: 1 }));
  assert.deepEqual(await Promise.all(calls), Array.from({ length: 1000 }, (_, n) => n + 1));
});

test("only what a person saw is approved", async () => {
  const inspection = await load(path.join(fixtures, "guest.wasm"));
  assert.equal(inspection.name, "guest");
  assert.match(inspection.digest, /^sha256:[0-9a-f]{64}$/);
  assert.match(`${inspection}`, /guest/);
  const other = `sha256:${"0".repeat(64)}`;
  await assert.rejects(inspection.approve(other), RefusedError);
  await assert.rejects(inspection.approve(undefined), ToolHubError);
  const more = { network: ["https://elsewhere.example"] };
  await assert.rejects(inspection.approve(inspection.digest, more), RefusedError);
  await assert.rejects(approved("nothing-there"), ToolHubError);
});

test("what is no text is refused with the name of it", async () => {
  const acts = [
    [() => load(undefined), /^`reference` should be text, found undefined$/],
    [() => loadTool(new URL("file:///x"), {}), /^`reference` should be text, found URL/],
    [() => search(5), /^`query` should be text, found 5$/],
    [() => search("x", { endpoint: 5 }), /^`endpoint` should be text, found 5$/],
    [() => search("x", { endpoint: "nowhere" }), /^`endpoint` should be a URL, found "nowhere"$/],
    [() => push(undefined, "ada/x"), /^`directory` should be text, found undefined$/],
    [() => push("x", null), /^`repo` should be text, found null$/],
    [async () => new Toolbox(null), /^`place` should be text, found null$/],
    [() => new Toolbox().tools(5), /^`name` should be text, found 5$/],
  ];
  for (const [act, message] of acts) {
    await assert.rejects(act(), { name: "ToolHubError", message });
  }
});
