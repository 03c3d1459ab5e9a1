// Tests of push, search, load and approval on a real registry, and of servers that are not one.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";

import { HubError, load, loadTool, push, RefusedError, search, tool, ToolHubError } from "tool-hub";
import { directory, fixtures, ran, registry } from "./support.js";

const { url, user } = await registry();
const token = user("ada");
const calculator = path.join(fixtures, "calculator");
process.env.HF_ENDPOINT = url;
delete process.env.HF_TOKEN;

/** What `act` comes to for a user with a token. */
async function asUser(token, act) {
  process.env.HF_TOKEN = token;
  try {
    return await act();
  } finally {
    delete process.env.HF_TOKEN;
  }
}

/** The error of `promise`, which is one of the registry and says `words`. */
async function registryError(promise, words) {
  let told;
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof HubError && error instanceof ToolHubError, `${error?.stack}`);
    assert.match(error.message, words);
    told = error;
    return true;
  });
  return told;
}

const pushed = await asUser(token, () => push(calculator, "ada/calculator"));

test("a package is pushed, and the same one again changes nothing", async () => {
  assert.deepEqual([pushed.repo, pushed.version], ["ada/calculator", "0.1.0"]);
  assert.match(pushed.digest, /^sha256:[0-9a-f]{64}$/);
  assert.match(pushed.commit, /^[0-9a-f]{40}$/);
  assert.equal(pushed.url, `${url}/ada/calculator`);
  assert.deepEqual(await asUser(token, () => push(calculator, "ada/calculator")), pushed);
});

test("a search finds it, with its functions", async () => {
  const [found, ...others] = await search("calculator");
  assert.deepEqual(others, []);
  assert.deepEqual([found.repo, found.version, found.private], ["ada/calculator", "0.1.0", false]);
  assert.ok(found.functions.includes("evaluate"), `${found.functions}`);
  assert.ok(found.description.length > 10);
  assert.deepEqual([found.likes, typeof found.downloads], [0, "number"]);
  assert.deepEqual(await search("xyzzy"), []);
});

test("a package is loaded by its name and called", async () => {
  for (const reference of ["ada/calculator", "ada/calculator@0.1.0"]) {
    const inspection = await load(reference);
    assert.deepEqual([inspection.digest, inspection.publisher], [pushed.digest, "ada"]);
    assert.equal(inspection.signer, null);
    assert.ok(`${inspection}`.includes(inspection.published), `${inspection}`);
    const tools = await inspection.approve(pushed.digest);
    assert.equal((await tools.get("calculator__evaluate").run({ expression: "6 * 7" })).value, 42);
  }
  const tools = await loadTool("ada/calculator", { approve: pushed.digest });
  assert.ok(tools.has("calculator__evaluate"));
});

test("no other digest is approved, and no more than is asked for", async () => {
  const wrong = `sha256:${"0".repeat(64)}`;
  await assert.rejects(loadTool("ada/calculator", { approve: wrong }), (error) => {
    assert.ok(error instanceof RefusedError, `${error.stack}`);
    assert.ok(error.message.includes(pushed.digest) && error.message.includes(wrong), error.message);
    return true;
  });
  await assert.rejects(loadTool("ada/calculator", {}), ToolHubError);
  const grants = { network: ["https://elsewhere.example"] };
  await assert.rejects(loadTool("ada/calculator", { approve: pushed.digest, grants }), RefusedError);
});

test("what the registry does not have, or does not take, is told", async () => {
  const unknown = await registryError(load("ada/nothing"), /ada\/nothing is not on /);
  assert.ok(unknown.hint, "there is no hint");
  await registryError(load("ada/calculator@9.9.9"), /9\.9\.9/);
  await registryError(push(calculator, "ada/calculator"), /token/);
  await registryError(asUser(user("eve"), () => push(calculator, "ada/stolen")), /ada\/stolen/);
  await assert.rejects(push(calculator, "no name"), ToolHubError);
  await assert.rejects(asUser(token, async () => push(await directory(), "ada/empty")), ToolHubError);
});

test("a private package is there for its owner only", async () => {
  const repo = "ada/secret";
  await asUser(token, () => push(calculator, repo, { isPrivate: true }));
  await registryError(load(repo), /ada\/secret is not on /);
  assert.ok((await search("secret")).every((found) => found.repo !== repo));
  await asUser(token, async () => {
    assert.equal((await load(repo)).digest, pushed.digest);
    const found = (await search("secret")).find((it) => it.repo === repo);
    assert.equal(found?.private, true);
  });
});

test("a function is published, and its version never changes", async () => {
  const described = {
    name: "initials",
    version: "1.0.0",
    description: "Gives the initials of a name.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", description: "The name." } },
      required: ["name"],
    },
    outputSchema: { type: "string", description: "The initials." },
  };
  const initials = tool(described, ({ name }) => name.split(" ").map((word) => word[0]).join(""));
  const project = path.join(await directory(), "initials");
  const published = await asUser(token, () => initials.push("ada/initials", { directory: project }));
  assert.deepEqual([published.repo, published.version], ["ada/initials", "1.0.0"]);
  const tools = await loadTool("ada/initials@1.0.0", { approve: published.digest });
  assert.equal(await tools.run({ name: "Ada Lovelace" }), "AL");
  const [found] = await search("initials");
  assert.deepEqual([found.repo, found.functions], ["ada/initials", ["initials"]]);

  const other = tool(described, ({ name }) => name.slice(0, 1));
  const again = asUser(token, () => other.push("ada/initials", { directory: project }));
  await assert.rejects(again, { name: "RefusedError", message: /version 1\.0\.0 already, with other content/ });
  assert.equal((await load("ada/initials")).digest, published.digest);
});

test("the option goes before the surroundings", async () => {
  process.env.HF_ENDPOINT = "http://127.0.0.1:9";
  try {
    await registryError(search("calculator"), /cannot be reached/);
    await registryError(load("ada/nowhere"), /cannot be reached/);
    const [found] = await search("calculator", { endpoint: url });
    assert.equal(found.repo, "ada/calculator");
    assert.equal((await load("ada/calculator", { endpoint: url })).digest, pushed.digest);
  } finally {
    process.env.HF_ENDPOINT = url;
  }
});

test("a server that is no registry is told of", async () => {
  const handlers = [
    [http.createServer((_, answer) => answer.writeHead(500).end("\u001b[2J")), /status 500/],
    [http.createServer((_, answer) => answer.writeHead(401).end("{}")), /wants a token/],
    [net.createServer((socket) => socket.end("SSH-2.0-x\r\n")), /connection broke/],
    [net.createServer((socket) => socket.destroy()), /connection broke/],
  ];
  for (const [server, words] of handlers) {
    // It does not keep the process alive when a test fails.
    await once(server.unref().listen(0, "127.0.0.1"), "listening");
    const endpoint = `http://127.0.0.1:${server.address().port}`;
    for (const act of [() => search("x", { endpoint }), () => load("ada/x", { endpoint })]) {
      const { message } = await registryError(act(), words);
      assert.doesNotMatch(message, /\p{Cc}/u);
    }
    server.close();
  }
});

test("a signal ends the waiting for a registry", async () => {
  const server = net.createServer(() => {}).unref();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const endpoint = `http://127.0.0.1:${server.address().port}`;
  const reason = new Error("enough");
  const acts = [
    (options) => search("x", options),
    (options) => load("ada/x", options),
    (options) => loadTool("ada/x", { ...options, approve: pushed.digest }),
    (options) => asUser(token, () => push(calculator, "ada/x", options)),
  ];
  for (const act of acts) {
    const stop = new AbortController();
    const ended = assert.rejects(act({ endpoint, signal: stop.signal }), (error) => error === reason);
    setTimeout(() => stop.abort(reason), 100);
    await ended;
    await assert.rejects(act({ endpoint, signal: AbortSignal.abort(reason) }), (error) => error === reason);
  }
  server.close();
});

for (const [way, expected] of [["exit", 7], ["throw", 1], ["a thread ends", 0]]) {
  test(`a process ends while a registry is waited for: ${way}`, async () => {
    const began = performance.now();
    const { code, said } = await ran("waiting.js", way);
    assert.deepEqual([code, said.includes("asked")], [expected, true], said);
    assert.ok(performance.now() - began < 10_000);
  });
}
