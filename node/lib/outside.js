// Finds the names that a function takes from outside of itself, by V8's own reading of its text.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

/** Globals of the sandbox that an empty context of Node 20 does not have. */
const SANDBOX =
  "AsyncDisposableStack DOMException DisposableStack Float16Array InternalError Iterator SuppressedError " +
  "atob btoa performance queueMicrotask";

/**
 * The `names` that a function uses and that neither it nor the sandbox has, with its `place`. Where
 * this process may not inspect itself, none are found. `fault` says why a text cannot stand alone.
 */
export function outside(implementation) {
  const text = `${implementation}`;
  const words = new Set(text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
  // What a function looks for with `typeof` may be absent, and a direct `eval` may use any name.
  const looked = Array.from(text.matchAll(/\btypeof\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu), ([, name]) => name);
  const language = vm.runInNewContext("Object.getOwnPropertyNames(globalThis)");
  const known = new Set([...language, ...SANDBOX.split(" "), ...looked]);
  const names = [...words].filter((word) => !known.has(word) && !faultOf(`"use strict"; let ${word};`));
  const mayInspect = process.features.inspector && process.permission?.has("inspector") !== false;
  if (words.has("eval") || names.length === 0 || !mayInspect) {
    return { names: [] };
  }
  // Where all names are variables around the function, V8 keeps for it those that it uses.
  const around = `(() => { "use strict"; let ${names}; return (${text}\n); })()`;
  const fault = faultOf(around);
  return inspected(implementation, fault ? "() => {}" : around, fault);
}

function faultOf(script) {
  try {
    new vm.Script(script);
  } catch (error) {
    return error.message;
  }
}

/** Asks V8, which answers before `post` returns, for the place and the names of the variables. */
function inspected(implementation, around, fault) {
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
    return { fault, names, place: url && `${url.startsWith("file:") ? fileURLToPath(url) : url}:${lineNumber + 1}` };
  } finally {
    delete globalThis[key];
    session.disconnect();
  }
}
