// The client of a server that speaks MCP on what it takes for standard input and output.

import process, { asked, ended, listening, lines, receive, setListing, starting } from "tool-node-process";

const PROTOCOL = "2025-06-18";
const waiting = new Map();
let count = 0;
let started;
let failure;

lines((line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  if (message.method !== undefined && message.id !== undefined) {
    // Nobody is there for what a server asks of its client.
    const error = { code: -32601, message: `the client has no ${message.method}` };
    return receive({ jsonrpc: "2.0", id: message.id, error });
  }
  const settle = waiting.get(message.id);
  waiting.delete(message.id);
  settle?.(message);
});

function ask(method, params) {
  const id = ++count;
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve);
    ended(reject);
    receive({ jsonrpc: "2.0", id, method, params });
  });
}

async function connected() {
  starting();
  await Promise.race([Promise.all([import("tool-server"), listening()]), new Promise((_, reject) => ended(reject))]);
  const clientInfo = { name: "tool-hub", version: "1" };
  const { error } = await ask("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  if (error) throw new Error(error.message);
  receive({ jsonrpc: "2.0", method: "notifications/initialized" });
}

/** Starts the server. What goes wrong is told in a call: it may have lacked a variable. */
export async function start({ arguments: given, isListing }) {
  process.argv.splice(2, process.argv.length, ...given);
  setListing(isListing);
  started = connected();
  try {
    await started;
  } catch (error) {
    failure = error;
  }
}

async function listed() {
  const tools = [];
  let cursor;
  do {
    const { result, error } = await ask("tools/list", cursor === undefined ? {} : { cursor });
    if (error) throw new Error(error.message);
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor);
  return { content: [], structuredContent: { tools, variables: asked() } };
}

async function result(name, given) {
  if (failure) throw failure;
  if (name === null) return listed();
  const answer = await ask("tools/call", { name, arguments: JSON.parse(given) });
  if (answer.error) throw answer.error.message;
  return answer.result;
}

/** What an export answers, as JSON says a `result<reply, failure>` of WIT. */
export function answered(call, name, given) {
  const { ok, err } = call(() => result(name, given), (it) => it);
  return err === undefined ? reply(ok) : failed(err);
}

function reply({ content = [], structuredContent, isError }) {
  const parts = content.map(part);
  if (isError) {
    const texts = parts.filter(({ body }) => body.tag === "text").map(({ body }) => body.val);
    return failed(texts.join("\n") || JSON.stringify(structuredContent ?? null));
  }
  const structured = structuredContent === undefined ? null : JSON.stringify(structuredContent);
  return { ok: { content: parts, structured, next: null } };
}

function failed(message) {
  return { err: { kind: "internal", message, fix: null, argument: null, retryable: false } };
}

function part(content) {
  return { body: body(content), annotations: null };
}

function body(content) {
  switch (content.type) {
    case "text":
      return { tag: "text", val: content.text };
    case "image":
    case "audio":
      return { tag: content.type, val: { media_type: content.mimeType, data: content.data } };
    case "resource_link": {
      const { uri, name, title = null, description = null, mimeType = null, size = null } = content;
      return { tag: "link", val: { uri, name, title, description, media_type: mimeType, size } };
    }
    default: {
      const { uri, mimeType = null, text, blob } = content.resource ?? {};
      const contents = blob === undefined ? { tag: "text", val: text ?? "" } : { tag: "blob", val: blob };
      return { tag: "resource", val: { uri, media_type: mimeType, contents } };
    }
  }
}
