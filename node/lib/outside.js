// Finds the free variables of a function through V8, because a tool is built from its text alone.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

/** Globals of the sandbox that an empty context of Node 20 does not have. */
const SANDBOX =
  "AsyncDisposableStack DOMException DisposableStack Float16Array InternalError Iterator SuppressedError " +
  "atob btoa performance queueMicrotask";

/** The word `import`, and not a part of another. */
const IMPORT = /(?<![\p{ID_Continue}$])import(?![\p{ID_Continue}$])/gu;

/**
 * The `names` that a function uses and that neither it nor the sandbox has, or the `fault` for
 * which its text cannot stand alone, with the `place`. Where this process may not inspect itself,
 * no names and no place are found.
 */
export function outside(implementation) {
  const text = `${implementation}`;
  const words = new Set(text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
  // What a function looks for with `typeof` may be absent, and a direct `eval` may use any name.
  const looked = Array.from(text.matchAll(/\btypeof\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu), ([, name]) => name);
  const language = vm.runInNewContext("Object.getOwnPropertyNames(globalThis)");
  const known = new Set([...language, ...SANDBOX.split(" "), ...looked]);
  const names = [...words].filter((word) => !known.has(word) && !faultOf(`"use strict"; let ${word};`));
  // Where all names are variables around the function, V8 keeps for it those that it uses.
  const variables = names.length > 0 ? `let ${names};` : "";
  const around = `(() => { "use strict"; ${variables} return (${text}\n); })()`;
  const fault = faultOf(around) ?? importIn(around);
  const mayInspect = process.features.inspector && process.permission?.has("inspector") !== false;
  if (!mayInspect || (!fault && (words.has("eval") || names.length === 0))) {
    return { names: [], fault: fault?.message };
  }
  const { place, names: used } = inspected(implementation, fault ? "() => {}" : around, fault?.line ?? 1);
  return { names: used, fault: fault?.message, place };
}

/** Why V8 cannot read a script, and the line. */
function faultOf(script) {
  try {
    new vm.Script(script, { filename: "script" });
  } catch ({ message, stack }) {
    const [, line = "1"] = /^script:(\d+)/.exec(stack) ?? [];
    return { message, line: Number(line) };
  }
}

/**
 * The first `import(…)` of a script that V8 can read: it cannot where that word becomes one that
 * begins nothing. As the name of a property, in text and in comments both are the same.
 */
function importIn(script) {
  const fault = faultOf(script.replace(IMPORT, "enum"));
  const message =
    "there is nothing that `import(…)` could load in the sandbox; write what it needs inside of the function";
  return fault && { ...fault, message };
}

/** Asks V8, which answers before `post` returns, for the place of a line and names of variables. */
function inspected(implementation, around, line) {
  const { Session } = createRequire(import.meta.url)("node:inspector");
  const [session, urls, key] = [new Session(), new Map(), "the function of a tool"];
  const ask = (method, given) => {
    let answer;
    session.post(method, given, (_, told) => (answer = told));
    return answer;
  };
  const properties = ({ objectId }) => ask("Runtime.getProperties", { objectId, ownProperties: true });
  const hidden = (expression, name) =>
    properties(ask("Runtime.evaluate", { expression }).result).internalProperties.find((it) => it.name === name).value;
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.connect();
  // V8 reaches the function by a name that is the program's for this moment.
  globalThis[key] = implementation;
  try {
    ask("Debugger.enable");
    const { scriptId, lineNumber } = hidden(`globalThis["${key}"]`, "[[FunctionLocation]]").value;
    const scopes = properties(hidden(around, "[[Scopes]]")).result.map(({ value }) => value);
    const closures = scopes.filter(({ description }) => description.startsWith("Closure"));
    const names = closures.flatMap((scope) => properties(scope).result.map(({ name }) => name));
    const url = urls.get(scriptId);
    return { names, place: url && `${url.startsWith("file:") ? fileURLToPath(url) : url}:${lineNumber + line}` };
  } finally {
    delete globalThis[key];
    session.disconnect();
  }
}
