// `fetch`, over the host's client of HTTP. Requests are sent at once and waited for together.

import { handle } from "host:http/outgoing-handler@0.2.0";
import { Fields, OutgoingBody, OutgoingRequest } from "host:http/types@0.2.0";
import URL from "tool-hub-packages/core-js-pure/actual/url/index.js";
import { ready } from "./events.js";
import { Request, Response } from "./message.js";
import { BodyStream } from "./stream.js";

const REDIRECTS_MAX = 20;
const READ_BYTES = 65536;
const REDIRECTING = [301, 302, 303, 307, 308];
const OF_A_BODY = ["content-encoding", "content-language", "content-length", "content-location", "content-type"];
const OF_AN_ORIGIN = ["authorization", "cookie", "proxy-authorization"];
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

export async function fetch(input, options) {
  const request = new Request(input, options);
  const { signal, redirect } = request;
  const bytes = request.takeBytes();
  const asked = { url: new URL(request.url), method: request.method, headers: request.headers, bytes };
  for (let redirects = 0; ; redirects++) {
    signal.throwIfAborted();
    const { status, headers, body } = await exchange(asked, signal);
    const answered = { status, headers, url: withoutFragment(asked.url), redirected: redirects > 0 };
    const response = new Response(body, answered);
    const location = response.headers.get("location");
    if (redirect === "manual" || !REDIRECTING.includes(status) || location === null) {
      return response;
    }
    await body.cancel();
    if (redirect === "error") {
      throw failed(`${asked.url.origin} answered with a redirect, which this request does not follow`);
    }
    if (redirects === REDIRECTS_MAX) {
      throw failed(`there were more than ${REDIRECTS_MAX} redirects`);
    }
    follow(asked, status, location);
  }
}

// Makes of `asked` what a redirect asks for.
function follow(asked, status, location) {
  const from = asked.url;
  try {
    asked.url = new URL(location, from);
  } catch {
    throw failed(`${from.origin} redirects to what is not a URL`);
  }
  const isPost = asked.method === "POST" && (status === 301 || status === 302);
  if (isPost || (status === 303 && !["GET", "HEAD"].includes(asked.method))) {
    asked.method = "GET";
    asked.bytes = undefined;
    OF_A_BODY.forEach((name) => asked.headers.delete(name));
  }
  if (asked.url.origin !== from.origin) {
    OF_AN_ORIGIN.forEach((name) => asked.headers.delete(name));
  }
}

function withoutFragment(url) {
  return url.href.split("#", 1)[0];
}

// Sends one request; gives the status, the headers and the body of its answer.
async function exchange(asked, signal) {
  const { origin } = asked.url;
  const request = outgoing(asked);
  const sending = request.body();
  let coming;
  try {
    coming = handle(request, null);
  } catch (error) {
    throw unreachable(origin, error.payload);
  }
  // If the body is not taken, the answer says why.
  send(sending, asked.bytes ?? new Uint8Array(), signal).catch(() => {});
  try {
    await ready(coming.subscribe(), signal);
    const found = coming.get().val;
    if (found.tag !== "ok") {
      throw unreachable(origin, found.val);
    }
    return incoming(found.val, origin, signal);
  } finally {
    coming[Symbol.dispose]();
  }
}

function outgoing({ url, method, headers, bytes }) {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw failed(`${url.protocol} is not a protocol that can be fetched, only http: and https:`);
  }
  const sent = [...headers].filter(([name]) => name !== "host" && name !== "content-length");
  if (bytes !== undefined || method === "POST" || method === "PUT") {
    sent.push(["content-length", String(bytes?.length ?? 0)]);
  }
  const fields = sent.map(([name, value]) => [name, Uint8Array.from(value, (it) => it.charCodeAt(0))]);
  const request = new OutgoingRequest(Fields.fromList(fields));
  const isKnown = METHODS.includes(method);
  request.setMethod(isKnown ? { tag: method.toLowerCase() } : { tag: "other", val: method });
  request.setScheme({ tag: url.protocol === "https:" ? "HTTPS" : "HTTP" });
  request.setAuthority(url.host);
  request.setPathWithQuery(url.pathname + url.search);
  return request;
}

async function send(body, bytes, signal) {
  if (bytes.length > 0) {
    const stream = body.write();
    try {
      for (let start = 0; start < bytes.length; ) {
        const room = stream.checkWrite();
        if (room === 0) {
          await ready(stream.subscribe(), signal);
          continue;
        }
        const part = bytes.subarray(start, start + room);
        stream.write(part);
        start += part.length;
      }
      stream.flush();
      while (stream.checkWrite() === 0) {
        await ready(stream.subscribe(), signal);
      }
    } finally {
      stream[Symbol.dispose]();
    }
  }
  OutgoingBody.finish(body, null);
}

function incoming(response, origin, signal) {
  const fields = response.headers();
  const headers = fields.entries().map(([name, value]) => [name, String.fromCharCode(...value)]);
  fields[Symbol.dispose]();
  const status = response.status();
  const body = response.consume();
  response[Symbol.dispose]();
  const stream = body.stream();
  const end = () => {
    stream[Symbol.dispose]();
    body[Symbol.dispose]();
  };
  const pull = async () => {
    try {
      for (;;) {
        signal.throwIfAborted();
        const chunk = stream.read(READ_BYTES);
        if (chunk.length > 0) {
          return chunk;
        }
        await ready(stream.subscribe(), signal);
      }
    } catch (error) {
      end();
      if (error.payload?.tag === "closed") {
        return undefined;
      }
      if (signal.aborted) {
        throw signal.reason;
      }
      throw failed(`the answer of ${origin} broke off`);
    }
  };
  return { status, headers, body: new BodyStream(pull, end) };
}

function unreachable(origin, code) {
  if (code?.tag === "HTTP-request-denied") {
    return failed(
      `this tool may not reach ${origin}: its author names it in \`network\` below [capabilities] of tool.toml, ` +
        "and its user grants it",
      code.tag,
    );
  }
  const more = code?.val === undefined || code.val === null ? "" : ` ${JSON.stringify(code.val)}`;
  return failed(`${origin} cannot be reached (${code?.tag ?? "for an unknown reason"}${more})`, code?.tag);
}

function failed(why, code) {
  const cause = new Error(why);
  if (code !== undefined) {
    cause.code = code;
  }
  return new TypeError("fetch failed", { cause });
}
