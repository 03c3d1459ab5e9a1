// Tests of the toolbox that the command made, and of the warnings that come as Node's own.

import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { load, RefusedError, search, Toolbox, ToolHubError } from "tool-hub";
import { command, directory, fixtures, programs, registry } from "./support.js";

const project = await directory();
await writeFile(path.join(project, "toolbox.toml"), "");
const copy = path.join(project, "copy");
await cp(path.join(fixtures, "calculator", "dist"), copy, { recursive: true });
for (const [reference, ...flags] of [[copy], [path.join(fixtures, "tally"), "--allow-storage"]]) {
  const { digest } = await load(reference);
  command(["load", reference, "--approve", digest, "--quiet", ...flags], { cwd: project });
}
const written = await readFile(path.join(project, "toolbox.toml"), "utf8");

/** The warnings of this process while `act` runs. */
async function warnings(act) {
  const told = [];
  const listener = (warning) => told.push(warning);
  process.on("warning", listener);
  try {
    await act();
    await turn();
    return told;
  } finally {
    process.off("warning", listener);
  }
}

/** What `act` comes to while the toolbox has `lines` at its end. */
async function withLines(lines, act) {
  const file = path.join(project, "toolbox.toml");
  await writeFile(file, `${written}\n${lines}\n`);
  try {
    return await act();
  } finally {
    await writeFile(file, written);
  }
}

test("what the command approved is called, and nothing warns", async () => {
  const told = await warnings(async () => {
    for (const place of [project, path.join(project, "toolbox.toml")]) {
      const tools = await new Toolbox(place).tools();
      assert.ok(tools.has("calculator__evaluate") && tools.has("tally__add"));
      const reply = await tools.get("calculator__evaluate").run({ expression: "6 * 7" });
      assert.equal(reply.value, 42);
    }
    const named = await new Toolbox(project).tools("calculator");
    assert.ok([...named.keys()].every((name) => name.startsWith("calculator__")));
  });
  assert.deepEqual(told, []);
});

test("the toolbox in force is that of the working directory", async () => {
  const before = process.cwd();
  process.chdir(copy);
  try {
    assert.ok((await new Toolbox().tools()).has("tally__add"));
  } finally {
    process.chdir(before);
  }
});

test("what is not there is said", async () => {
  await assert.rejects(new Toolbox(path.join(project, "nowhere")).tools(), /there is no toolbox.toml in /);
  await assert.rejects(new Toolbox(project).tools("nothing"), (error) => {
    assert.ok(error instanceof ToolHubError, `${error}`);
    assert.match(error.message, /no tool called .*nothing.*calculator/);
    return true;
  });
});

test("a lock that came from elsewhere approves nothing", async () => {
  const home = process.env.TOOL_HUB_HOME;
  process.env.TOOL_HUB_HOME = await directory();
  try {
    await assert.rejects(new Toolbox(project).tools("calculator"), (error) => {
      assert.ok(error instanceof RefusedError, `${error}`);
      assert.match(error.message, /not with your approval/);
      assert.match(error.hint, /tool load/);
      return true;
    });
  } finally {
    process.env.TOOL_HUB_HOME = home;
  }
});

const ghost = '[tools.ghost]\npath = "/nowhere"';

test("a tool that is left out is warned of", async () => {
  const told = await warnings(() =>
    withLines(ghost, async () => {
      assert.ok((await new Toolbox(project).tools()).has("calculator__evaluate"));
    }),
  );
  assert.equal(told.length, 1, `${told}`);
  const [warning] = told;
  assert.ok(warning instanceof Error);
  assert.equal(warning.name, "ToolHubWarning");
  assert.match(warning.message, /^left out: .*ghost/);
});

test("a stranger's text in a warning is one line and steers no terminal", async () => {
  const poison = '[tools.calculator.functions.evaluate]\ndescription = "Is mine.\\n\\u001b[2Jforged\\u202e"';
  const told = await warnings(() =>
    withLines(poison, async () => {
      const tools = await new Toolbox(project).tools();
      assert.deepEqual([tools.has("tally__add"), tools.has("calculator__evaluate")], [true, false]);
    }),
  );
  assert.equal(told.length, 1, `${told}`);
  const [{ name, message }] = told;
  assert.equal(name, "ToolHubWarning");
  assert.match(message, /^left out: `calculator` has texts for agents that differ .*Is mine.*forged/);
  assert.ok(message.includes("\\u{1b}[2J") && message.includes("\\u{202e}"), message);
  assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
});

test("a changed package is warned of, and the approved one runs", async () => {
  const manifest = path.join(copy, "tool.toml");
  const before = await readFile(manifest, "utf8");
  await writeFile(manifest, before.replace(/^version = .*$/m, 'version = "9.0.0"'));
  try {
    const told = await warnings(async () => {
      const tools = await new Toolbox(project).tools("calculator");
      assert.equal((await tools.get("calculator__evaluate").run({ expression: "6 * 7" })).value, 42);
    });
    assert.deepEqual(told.map(({ name }) => name), ["ToolHubWarning"]);
    assert.match(told[0].message, /`calculator` runs as you approved it; the package on disk has changed/);
  } finally {
    await writeFile(manifest, before);
  }
});

test("a token that others could read is warned of", async () => {
  const { url, user } = await registry("--allow-host", "0.0.0.0");
  // The same server by an address that is not this machine's own by its looks.
  const endpoint = url.replace("127.0.0.1", "0.0.0.0");
  process.env.HF_TOKEN = user("ada");
  try {
    assert.deepEqual(await warnings(() => search("xyzzy", { endpoint: url })), []);
    const told = await warnings(() => search("xyzzy", { endpoint }));
    assert.deepEqual(told.map(({ name }) => name), ["ToolHubWarning"]);
    assert.match(told[0].message, /^the token for .* goes over the network unencrypted/);
    assert.ok(!told[0].message.includes(process.env.HF_TOKEN));
  } finally {
    delete process.env.HF_TOKEN;
  }
});

test("a thread hears its own warnings", async () => {
  const here = [];
  const listener = (warning) => here.push(warning);
  process.on("warning", listener);
  const told = await withLines(ghost, async () => {
    const worker = new Worker(path.join(programs, "warned.js"), { argv: [project], stderr: true });
    return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  });
  process.off("warning", listener);
  assert.equal(told.length, 1, `${told}`);
  assert.match(told[0], /^ToolHubWarning: left out: .*ghost/);
  assert.deepEqual(here, []);
});
