// The connection to a server that speaks MCP on what it takes for standard input and output.

import { ended, lines, listening, receive, starting } from "tool-node-process";

const PROTOCOL = "2025-06-18";
const waiting = new Map();
let count = 0;

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

/** Starts the server, up to where it waits for its client. */
export async function open() {
  starting();
  await Promise.race([Promise.all([import("tool-server"), listening()]), new Promise((_, reject) => ended(reject))]);
  const clientInfo = { name: "tool-hub", version: "1" };
  const { error } = await ask("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  if (error) throw new Error(error.message);
  receive({ jsonrpc: "2.0", method: "notifications/initialized" });
}

export async function tools() {
  const listed = [];
  let cursor;
  do {
    const { result, error } = await ask("tools/list", cursor === undefined ? {} : { cursor });
    if (error) throw new Error(error.message);
    listed.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor);
  return listed;
}

export async function call(name, given) {
  const { result, error } = await ask("tools/call", { name, arguments: given });
  if (error) throw error.message;
  return result;
}
