// The answers of an export of a program, with the tools of a server or of a package's exports.

import process, { asked, setListing } from "tool-node-process";
import { call, open, tools } from "tool-server-connection";

let failure;

/** Starts the server. What goes wrong is told in a call: it may have lacked a variable. */
export async function start({ arguments: given, isListing }) {
  process.argv.splice(2, process.argv.length, ...given);
  setListing(isListing);
  try {
    await open();
  } catch (error) {
    failure = error;
  }
}

async function result(name, given) {
  if (failure) throw failure;
  if (name === null) return { content: [], structuredContent: { tools: await tools(), ...asked() } };
  return call(name, JSON.parse(given));
}

/** What an export answers, as JSON says a `result<reply, failure>` of WIT. */
export function answered(settle, name, given) {
  const { ok, err } = settle(() => result(name, given), (it) => it);
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
