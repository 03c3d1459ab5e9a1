// Globals of browsers and Node that the engine lacks, for JavaScript projects.
// The bundler takes only what the project names, by itself or as a member of `globalThis`.

import URL from "tool-hub-packages/core-js-pure/actual/url/index.js";
import URLSearchParams from "tool-hub-packages/core-js-pure/actual/url-search-params/index.js";
import structuredClone from "tool-hub-packages/core-js-pure/actual/structured-clone.js";
import { TextDecoder, TextEncoder } from "tool-hub-packages/@exodus/bytes/encoding-lite.js";
import { AbortController, AbortSignal } from "./abort.js";
import { Blob, File } from "./blob.js";
import { crypto } from "./crypto.js";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "./events.js";
import { fetch } from "./fetch.js";
import { FormData } from "./form.js";
import { Headers } from "./headers.js";
import { Request, Response } from "./message.js";

export { URL, URL as "globalThis.URL" };
export { URLSearchParams, URLSearchParams as "globalThis.URLSearchParams" };
export { structuredClone, structuredClone as "globalThis.structuredClone" };
export { TextDecoder, TextDecoder as "globalThis.TextDecoder" };
export { TextEncoder, TextEncoder as "globalThis.TextEncoder" };
export { AbortController, AbortController as "globalThis.AbortController" };
export { AbortSignal, AbortSignal as "globalThis.AbortSignal" };
export { crypto, crypto as "globalThis.crypto" };
export { clearInterval, clearInterval as "globalThis.clearInterval" };
export { clearTimeout, clearTimeout as "globalThis.clearTimeout" };
export { setInterval, setInterval as "globalThis.setInterval" };
export { setTimeout, setTimeout as "globalThis.setTimeout" };
export { fetch, fetch as "globalThis.fetch" };
export { Headers, Headers as "globalThis.Headers" };
export { Request, Request as "globalThis.Request" };
export { Response, Response as "globalThis.Response" };
export { Blob, Blob as "globalThis.Blob" };
export { File, File as "globalThis.File" };
export { FormData, FormData as "globalThis.FormData" };
