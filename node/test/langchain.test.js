// Tests of the adapter for LangChain, by LangChain's own fake model.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Command, MemorySaver } from "@langchain/langgraph";
import { AIMessage, createAgent, fakeModel } from "langchain";
import { ToolError } from "tool-hub";
import { tools as toolsFor } from "tool-hub/langchain";
import { agent } from "../examples/langchain.js";
import { counting, guest } from "./support.js";

const config = () => ({ configurable: { thread_id: crypto.randomUUID() } });
const go = { messages: [{ role: "user", content: "Go on." }] };

const modelThatCalls = (name, args) =>
  fakeModel().respondWithTools([{ name, args, id: "1" }]).respond(new AIMessage("Done."));

/** What the model was shown as the result of its call. */
function shown(model) {
  return model.calls.at(-1).messages.findLast((message) => message.type === "tool");
}

async function called(name, given) {
  const model = modelThatCalls(name, given);
  const answered = await (await agent(model, await guest())).invoke(go, config());
  assert.equal(answered.messages.at(-1).text, "Done.");
  return shown(model);
}

test("the model reads a value", async () => {
  const message = await called("guest__add", { a: 20, b: 22 });
  assert.equal(message.content, "42");
  assert.equal(message.artifact, 42);
});

test("a structured value is the artifact", async () => {
  const message = await called("guest__bounds", { low: 1, high: 2 });
  assert.deepEqual(message.artifact, { low: 1, high: 2 });
  assert.deepEqual(JSON.parse(message.content), { low: 1, high: 2 });
});

test("a failure teaches the model", async () => {
  const message = await called("guest__refuse", { text: "not so" });
  assert.equal(message.status, "error");
  assert.match(message.content, /^`guest__refuse` failed: not so\n/);
});

test("a failure outside of an agent is thrown", async () => {
  const tools = await toolsFor(await guest());
  const refuse = tools.find(({ name }) => name === "guest__refuse");
  await assert.rejects(refuse.invoke({ text: "not so" }), ToolError);
});

test("a picture reaches the model", async () => {
  const message = await called("guest__picture", {});
  const data = Buffer.from("\x89PNG", "latin1").toString("base64");
  assert.deepEqual(message.content, [{ type: "image", mimeType: "image/png", data }]);
});

test("an abort reaches the guest", async () => {
  const spinning = await agent(modelThatCalls("guest__spin", {}), await guest());
  const began = performance.now();
  await assert.rejects(spinning.invoke(go, { ...config(), signal: AbortSignal.timeout(200) }));
  assert.ok(performance.now() - began < 5000);
});

test("a destructive function waits for a person", async () => {
  const { counters, counter, total } = await counting();
  for (const [type, left] of [["reject", 1], ["approve", undefined]]) {
    const model = modelThatCalls("tally__forget", { counter });
    const [forgetting, thread] = [await agent(model, counters), config()];
    const asked = await forgetting.invoke(go, thread);
    const [{ value }] = asked.__interrupt__;
    assert.deepEqual(value.actionRequests[0].args, { counter });
    assert.equal(await total(), 1);
    await forgetting.invoke(new Command({ resume: { decisions: [{ type, message: "Not today." }] } }), thread);
    assert.equal(await total(), left);
    assert.equal(shown(model).content, type === "reject" ? "Not today." : "true");
  }
});

test("`needsApproval` decides who is asked", async () => {
  const asked = await toolsFor(await guest(), { needsApproval: (tool) => tool.name === "guest__add" });
  const agentWith = (model, tools) => createAgent({ model, tools, checkpointer: new MemorySaver() });
  const adds = modelThatCalls("guest__add", { a: 1, b: 2 });
  const interrupted = await agentWith(adds, asked).invoke(go, config());
  assert.deepEqual(interrupted.__interrupt__[0].value.actionRequests[0].args, { a: 1, b: 2 });
  const echoes = await agentWith(modelThatCalls("guest__echo", { text: "x" }), asked).invoke(go, config());
  assert.equal(echoes.messages.at(-1).text, "Done.");

  const { counters, counter, total } = await counting();
  const unasked = await toolsFor(counters, { needsApproval: () => false });
  const forgot = await agentWith(modelThatCalls("tally__forget", { counter }), unasked).invoke(go, config());
  assert.equal(forgot.messages.at(-1).text, "Done.");
  assert.equal(await total(), undefined);
});
