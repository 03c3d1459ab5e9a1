// Tests that JavaScript functions are built as tools, called in the sandbox, or refused.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { load, tool, ToolError, ToolHubError } from "tool-hub";

const place = await mkdtemp(path.join(os.tmpdir(), "authoring-"));

const readingTime = tool(
  {
    name: "reading-time",
    version: "0.2.0",
    description: 'Estimates how long somebody reads a "text". 😀 */',
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "The text." },
        rate: { type: "integer", description: "Words that are read in a minute." },
        unit: { type: "string", enum: ["minutes", "seconds"], description: "The unit." },
        reader: {
          type: "object",
          description: "Who reads.",
          properties: { pauses: { type: "array", items: { type: "number" }, description: "Minutes." } },
        },
      },
      required: ["text"],
    },
    outputSchema: { type: "number", description: "How long." },
    capabilities: { network: ["https://api.example"], storage: { why: 'what it "knows"' } },
  },
  ({ text, rate = 230, unit = "minutes", reader }) => {
    if (rate < 1) {
      throw new Error("nobody reads so slowly");
    }
    const pauses = (reader?.pauses ?? []).reduce((sum, pause) => sum + pause, 0);
    const minutes = text.split(/\s+/).length / rate + pauses;
    return unit === "seconds" ? minutes * 60 : minutes;
  },
);

const described = { name: "x", description: "Does it." };

test("a function becomes a tool", async () => {
  const given = { text: "word ".repeat(460).trim(), reader: { pauses: [0.5, 1] } };
  assert.equal(readingTime.run(given), 3.5);
  const directory = path.join(place, "reading-time");
  const built = await readingTime.build(directory);
  assert.equal(built, path.join(directory, "dist"));
  const inspection = await load(built);
  assert.equal(inspection.version, "0.2.0");
  assert.deepEqual(inspection.capabilities.map(({ what }) => what).includes("https://api.example"), true);
  const tools = await inspection.approve(inspection.digest);
  const [built_tool] = [...tools.values()];
  assert.equal(built_tool.name, "reading_time");
  assert.deepEqual(built_tool.inputSchema.required, ["text"]);
  assert.equal(await built_tool.run(given), 3.5);
  assert.equal(await built_tool.run({ ...given, unit: "seconds", rate: 460 }), 150);
  await assert.rejects(built_tool.run({ text: "", rate: 0 }), (error) => {
    assert.ok(error instanceof ToolError);
    assert.match(error.message, /nobody reads so slowly/);
    return true;
  });
});

test("what a function prints reaches whoever calls it", async () => {
  const outputSchema = { type: "boolean", description: "Well." };
  const prints = tool({ name: "prints", description: "Prints.", outputSchema }, () => {
    console.log("to the\u001b[2J output", { a: 1 });
    console.error("to the error");
    return true;
  });
  const built = await prints.build(path.join(place, "prints"));
  const inspection = await load(built);
  const heard = [];
  const tools = await inspection.approve(inspection.digest);
  assert.equal(await tools.run({}, { onOutput: (output) => heard.push(output) }), true);
  const [{ stdout, stderr, droppedBytes }, ...others] = heard;
  // It is as the tool wrote it: whoever prints it, escapes it.
  assert.deepEqual([stdout, stderr, droppedBytes], ['to the\u001b[2J output {"a":1}\n', "to the error\n", 0]);
  assert.deepEqual(others, []);
});

test("what cannot be a tool is refused with a reason", async () => {
  assert.throws(() => tool({ name: "X y", description: "Does it." }, () => 1), /no name for a tool/);
  assert.throws(() => tool({ name: "x" }, () => 1), /needs a `description`/);
  assert.throws(() => tool(described), /needs a function/);
  assert.throws(() => tool(described, async () => 1), /asynchronous/);
  assert.throws(() => tool(described, { method() {} }.method), /no source of its own/);
  assert.throws(() => tool(described, Math.max), /no source of its own/);
  await assert.rejects(
    tool({ ...described, capabilities: { storage: null } }, () => 1).build(path.join(place, "null")),
    /null cannot be written into tool.toml/,
  );
  const odd = { properties: { when: { type: "date" } } };
  assert.throws(() => tool({ ...described, inputSchema: odd }, () => 1).source, /x_when: expected a schema/);
});

const outer = 5;
const helper = () => outer;
/** What the build of a function says, as far as it is about names from outside. */
function saidOf(implementation) {
  try {
    return [tool(described, implementation).source, undefined];
  } catch ({ message }) {
    return [undefined, message];
  }
}

test("what a function uses from outside is named with the function's place", async () => {
  const uses = ({ text, rate = outer }) => path.join(text, `${helper()}`) + rate;
  const file = fileURLToPath(import.meta.url);
  const lines = (await readFile(file, "utf8")).split("\n");
  const line = lines.findIndex((each) => each.startsWith("  const uses = ")) + 1;
  const [, message] = saidOf(uses);
  assert.equal(
    message,
    `the function of \`x\` (${file}:${line}) uses \`outer\`, \`path\`, \`helper\` from outside of itself, which the tool ` +
      "does not have: write that inside of the function, or make it an argument",
  );
  await assert.rejects(tool(described, uses).build(path.join(place, "uses")), { name: "ToolHubError", message });
  assert.equal(existsSync(path.join(place, "uses")), false);
  assert.equal(Object.keys(globalThis).includes("the function of a tool"), false);
});

test("no name of a function's own is taken for one from outside", () => {
  const own = [
    ({ outer }) => ({ helper: outer.helper, path: "helper" }),
    ({ list }) => list.map((helper) => helper + 1).filter(Boolean), // outer
    ({ list, ...rest }) => {
      const { a: outer = 1, b: [helper] = [2] } = rest;
      path: for (const each of list) {
        if (/path|outer/.test(each)) break path;
      }
      try {
        return Math.max(outer, helper);
      } catch (load) {
        return load;
      }
    },
    function factorial({ n }) {
      return n < 2 ? 1 : n * factorial({ n: n - 1 });
    },
    function ({ n }) {
      class Helper {
        #outer = n;
        get helper() {
          return this.#outer;
        }
      }
      return new Helper().helper + arguments.length + hoisted();
      function hoisted() {
        return 1;
      }
    },
    ({ ä }) => ä.$x?._ ?? (typeof process === "undefined" ? 1 : process.pid),
  ];
  for (const implementation of own) {
    const [source, message] = saidOf(implementation);
    assert.ok(source?.includes(`${implementation}`), message);
  }
});

test("each use from outside is found", () => {
  const uses = [
    [() => [1].map(() => () => outer), "outer"],
    [({ x = helper() }) => x, "helper"],
    [() => ({ outer }), "outer"],
    [() => `${`${outer}`}`, "outer"],
    [() => { class A extends helper {} return A; }, "helper"],
    [() => Buffer.from(process.env.HOME), "Buffer`, `process"],
    [() => { const x = outer; { const outer = 1; return x + outer; } }, "outer"],
  ];
  for (const [implementation, names] of uses) {
    assert.match(saidOf(implementation)[1] ?? "", new RegExp(`uses \`${names}\` from outside`), `${implementation}`);
  }
  const [, message] = saidOf(() => import.meta.url);
  assert.match(message, /authoring\.test\.js:\d+\) cannot be built from its own text: .*import\.meta/);
});

test("an import within a function is refused with its line", async () => {
  const file = fileURLToPath(import.meta.url);
  const lines = (await readFile(file, "utf8")).split("\n");
  const imports = [
    ({ name }) => {
      const text = `import("a") ${name}`;
      return [text, /* 1 */ import(name)];
    },
    () => `${import("node:fs") /* 2 */}`,
    () => eval("1") + import("node:fs"), // 3
    function () {
      // import("b")
      return import /* 4 */ ("node:fs");
    },
  ];
  for (const [index, implementation] of imports.entries()) {
    const line = lines.findIndex((each) => each.includes("import") && each.match(`/[*/] ${index + 1}\\b`)) + 1;
    const [, message] = saidOf(implementation);
    assert.equal(
      message,
      `the function of \`x\` (${file}:${line}) cannot be built from its own text: there is nothing that \`import(…)\` ` +
        "could load in the sandbox; write what it needs inside of the function",
    );
  }
});

test("no other import is taken for one", () => {
  const own = [
    ({ text }) => text.replace(/import\(/, 'import("x")'), // import("x")
    ({ from }) => ({ import: from.import("x"), "import(": from?.import?.(1) }),
    ({ n }) => {
      class Trade {
        #import = n;
        import() {
          return this.#import;
        }
      }
      const $import = (it) => it.import();
      return $import(new Trade());
    },
    () => `import(${1})`,
  ];
  for (const implementation of own) {
    const [source, message] = saidOf(implementation);
    assert.ok(source?.includes(`${implementation}`), message);
  }
});

test("what the sandbox has is not from outside", async () => {
  const outputSchema = { type: "array", items: { type: "string" }, description: "Names." };
  const built = await tool({ ...described, name: "names", outputSchema }, () => Object.getOwnPropertyNames(globalThis)).build(path.join(place, "names"));
  const inspection = await load(built);
  const found = await (await inspection.approve(inspection.digest)).run();
  assert.ok(found.length > 60, `${found}`);
  // What the engine of the sandbox keeps there for itself is nothing to rely on.
  const used = found.filter((name) => !["__cqjs", "wit"].includes(name));
  const [source, message] = saidOf(new Function(`return [${used}]`));
  assert.ok(source, message);
});

test("a directory of somebody else's is left alone", async () => {
  const other = await mkdtemp(path.join(place, "other-"));
  await writeFile(path.join(other, "tool.toml"), "# mine");
  await assert.rejects(readingTime.build(other), ToolHubError);
  assert.equal(await readFile(path.join(other, "tool.toml"), "utf8"), "# mine");
});
