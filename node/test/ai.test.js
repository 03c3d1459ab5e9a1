// Tests of the adapter for the AI SDK, by the SDK's own mock model.

import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { tools as toolsFor } from "tool-hub/ai";
import { answer } from "../examples/ai.js";
import { counting, guest } from "./support.js";

const usage = { inputTokens: {}, outputTokens: {} };

/** A model that calls one function, and is done when it has seen the result. */
function modelThatCalls(toolName, given) {
  const input = typeof given === "string" ? given : JSON.stringify(given);
  const call = { type: "tool-call", toolCallId: "1", toolName, input };
  return new MockLanguageModelV4({
    doGenerate: [
      { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] },
      { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] },
    ],
  });
}

/** What the model was shown as the result of its call. */
function shown(model) {
  const { prompt } = model.doGenerateCalls.at(-1);
  return prompt.at(-1).content[0].output;
}

async function called(toolName, given) {
  const model = modelThatCalls(toolName, given);
  const answered = await answer(model, "Go on.", await guest());
  assert.equal(answered.text, "Done.");
  return { answered, model };
}

test("the model reads a definition and a value", async () => {
  const { model, answered } = await called("guest__add", { a: 20, b: 22 });
  const [definition] = model.doGenerateCalls[0].tools.filter(({ name }) => name === "guest__add");
  assert.deepEqual(Object.keys(definition.inputSchema.properties), ["a", "b"]);
  assert.deepEqual(shown(model), { type: "json", value: 42 });
  assert.equal(answered.steps[0].toolResults[0].output, 42);
});

test("a structured value stays one", async () => {
  const { model } = await called("guest__bounds", { low: 1, high: 2 });
  assert.deepEqual(shown(model), { type: "json", value: { low: 1, high: 2 } });
});

test("a failure teaches the model", async () => {
  const { model, answered } = await called("guest__add", { a: 1 });
  const { type, value } = shown(model);
  assert.match(type, /^error-/);
  assert.match(value, /^`guest__add` failed \(invalid argument\): .*`b`[^]*Call again with changed arguments\.$/);
  assert.equal(answered.steps[0].content.at(-1).error.cause.kind, "invalid-argument");
});

test("arguments are repaired", async () => {
  const { model } = await called("guest__add", { a: "20", b: 22 });
  assert.deepEqual(shown(model), { type: "json", value: 42 });
});

test("a picture reaches the model", async () => {
  const { model } = await called("guest__picture", {});
  const { type, value } = shown(model);
  assert.equal(type, "content");
  assert.equal(value[0].type, "file");
  assert.equal(value[0].mediaType, "image/png");
  assert.deepEqual(Buffer.from(value[0].data.data, "base64"), Buffer.from("\x89PNG", "latin1"));
});

test("an abort reaches the guest", async () => {
  const model = modelThatCalls("guest__spin", {});
  const tools = await toolsFor(await guest());
  const abortSignal = AbortSignal.timeout(200);
  const began = performance.now();
  const { content } = await generateText({ model, tools, prompt: "Go on.", abortSignal });
  assert.equal(content.at(-1).error.name, "TimeoutError");
  assert.ok(performance.now() - began < 5000);
});

test("a destructive function waits for a person", async () => {
  const { counters, counter, total } = await counting();
  const tools = await toolsFor(counters);
  const messages = [{ role: "user", content: "Go on." }];
  const asked = await generateText({ model: modelThatCalls("tally__forget", { counter }), tools, messages });
  const [request] = asked.content.filter(({ type }) => type === "tool-approval-request");
  assert.deepEqual(request.toolCall.input, { counter });
  assert.equal(await total(), 1);

  messages.push(...asked.response.messages);
  const content = [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }];
  messages.push({ role: "tool", content });
  const model = new MockLanguageModelV4({
    doGenerate: { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] },
  });
  await generateText({ model, tools, messages });
  assert.equal(await total(), undefined);
});

test("`needsApproval` decides who is asked", async () => {
  const asked = await toolsFor(await guest(), { needsApproval: (tool) => tool.name === "guest__add" });
  const messages = [{ role: "user", content: "Go on." }];
  const adds = modelThatCalls("guest__add", { a: 1, b: 2 });
  const { content, response } = await generateText({ model: adds, tools: asked, messages });
  const [request] = content.filter(({ type }) => type === "tool-approval-request");
  assert.equal(request.toolCall.toolName, "guest__add");
  messages.push(...response.messages);
  const refused = { type: "tool-approval-response", approvalId: request.approvalId, approved: false };
  messages.push({ role: "tool", content: [refused] });
  const told = new MockLanguageModelV4({
    doGenerate: { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] },
  });
  assert.equal((await generateText({ model: told, tools: asked, messages })).text, "Done.");
  assert.equal(shown(told).type, "execution-denied");

  const { counters, counter, total } = await counting();
  const unasked = await toolsFor(counters, { needsApproval: () => false });
  await generateText({ model: modelThatCalls("tally__forget", { counter }), tools: unasked, prompt: "Go on." });
  assert.equal(await total(), undefined);
});
