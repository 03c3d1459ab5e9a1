// Makes the calls of `calls.json` with a client and checks the answers, for scripts in JavaScript.
//
// usage of each script: SCRIPT              over stdio, of the toolbox that is the user's own
//                       SCRIPT URL TOKEN    over HTTP

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// Whatever takes longer hangs.
const MILLISECONDS_MAX = 300_000;

const CALLS = JSON.parse(readFileSync(new URL("calls.json", import.meta.url), "utf8"));

/**
 * Makes every call with a client.
 *
 * `connect(url, token)` gives the names of the tools, a function that calls one, and a function
 * that ends it all. `shows` names what the client hands on besides content and failures:
 * `structured` values, `progress`.
 */
export async function main(connect, shows) {
  const [url, token] = process.argv.slice(2);
  const hanging = () => assert.fail(`not done after ${MILLISECONDS_MAX} ms`);
  const timer = setTimeout(hanging, MILLISECONDS_MAX);
  const { names, call, close } = await connect(url, token);
  for (const wanted of CALLS) {
    assert(names.includes(wanted.tool), `${wanted.tool} is not among ${names}`);
    check(wanted, await call(wanted.tool, wanted.arguments), shows);
    console.log("ok", wanted.tool, JSON.stringify(wanted.arguments).slice(0, 60));
  }
  await close();
  clearTimeout(timer);
}

/** Compares a result, and the `progress` before it, with what is wanted, if the client shows it. */
function check(wanted, result, shows) {
  const shown = JSON.stringify(result);
  const content = result.content ?? [];
  const text = content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
  assert.equal(result.isError ?? false, "failure" in wanted, shown);
  assert(text.includes(wanted.failure ?? wanted.text ?? ""), shown);
  if (wanted.structured && shows.includes("structured")) {
    assert.partialDeepStrictEqual(result.structuredContent, wanted.structured, shown);
  }
  if (wanted.picture) {
    const pictures = content.filter((part) => part.type === "image");
    assert.deepEqual(pictures.map((part) => part.mimeType), [wanted.picture], shown);
  }
  if (wanted.progress && shows.includes("progress")) {
    const [progress, total, message] = wanted.progress;
    assert.deepEqual(result.progress, [{ progress, total, message }], shown);
  }
}
