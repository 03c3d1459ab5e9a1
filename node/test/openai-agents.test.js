// Tests of the adapter for the OpenAI Agents SDK, by a scripted model.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Agent, run, setTracingDisabled, Usage } from "@openai/agents";
import { tools as toolsFor } from "tool-hub/openai-agents";
import { answer } from "../examples/openai-agents.js";
import { counting, guest } from "./support.js";

setTracingDisabled(true);

/** A model that calls one function, and is done when it has seen the result. */
class ModelThatCalls {
  requests = [];

  constructor(name, given) {
    this.call = { type: "function_call", callId: "1", name, status: "completed" };
    this.call.arguments = JSON.stringify(given);
  }

  async getResponse(request) {
    this.requests.push(structuredClone({ input: request.input, tools: request.tools }));
    const text = { type: "output_text", text: "Done." };
    const message = { type: "message", role: "assistant", status: "completed", content: [text] };
    return { usage: new Usage(), output: [this.requests.length === 1 ? this.call : message] };
  }

  /** What it was shown as the result of its call. */
  get shown() {
    return this.requests.at(-1).input.findLast(({ type }) => type === "function_call_result").output;
  }
}

async function called(name, given) {
  const model = new ModelThatCalls(name, given);
  const answered = await answer(model, "Go on.", await guest());
  assert.equal(answered.finalOutput, "Done.");
  return model;
}

test("the model reads a definition and a value", async () => {
  const model = await called("guest__add", { a: 20, b: 22 });
  const [definition] = model.requests[0].tools.filter(({ name }) => name === "guest__add");
  assert.deepEqual(Object.keys(definition.parameters.properties), ["a", "b"]);
  assert.deepEqual(model.shown, { type: "text", text: "42" });
});

test("a structured value is JSON", async () => {
  const { shown } = await called("guest__bounds", { low: 1, high: 2 });
  assert.deepEqual(JSON.parse(shown.text), { low: 1, high: 2 });
});

test("a failure teaches the model", async () => {
  const { shown } = await called("guest__add", { a: 1 });
  assert.match(shown.text, /^`guest__add` failed \(invalid argument\): [^]*Call again with changed arguments\.$/);
});

test("arguments are repaired", async () => {
  const { shown } = await called("guest__add", { a: "20", b: 22 });
  assert.match(shown.text, /^42\b/);
});

test("a picture reaches the model", async () => {
  const { shown } = await called("guest__picture", {});
  const [picture] = [shown].flat();
  assert.match(picture.type, /image/);
  assert.ok(JSON.stringify(picture).includes(Buffer.from("\x89PNG", "latin1").toString("base64")), JSON.stringify(shown));
});

test("a destructive function waits for a person", async () => {
  const { counters, counter, total } = await counting();
  for (const [decision, left] of [["reject", 1], ["approve", undefined]]) {
    const model = new ModelThatCalls("tally__forget", { counter });
    const agent = new Agent({ name: "helper", model, tools: await toolsFor(counters) });
    const asked = await run(agent, "Go on.");
    assert.equal(asked.interruptions.length, 1);
    assert.equal(await total(), 1);
    asked.state[decision](asked.interruptions[0]);
    assert.equal((await run(agent, asked.state)).finalOutput, "Done.");
    assert.equal(await total(), left);
  }
});

test("`needsApproval` decides who is asked", async () => {
  const asked = await toolsFor(await guest(), { needsApproval: (tool) => tool.name === "guest__add" });
  for (const [name, given, count] of [["guest__add", { a: 1, b: 2 }, 1], ["guest__echo", { text: "x" }, 0]]) {
    const agent = new Agent({ name: "helper", model: new ModelThatCalls(name, given), tools: asked });
    assert.equal((await run(agent, "Go on.")).interruptions.length, count, name);
  }

  const { counters, counter, total } = await counting();
  const model = new ModelThatCalls("tally__forget", { counter });
  const tools = await toolsFor(counters, { needsApproval: () => false });
  assert.equal((await run(new Agent({ name: "helper", model, tools }), "Go on.")).finalOutput, "Done.");
  assert.equal(await total(), undefined);
});
