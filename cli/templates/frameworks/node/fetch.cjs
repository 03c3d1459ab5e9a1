// Packages that bring `fetch` to Node, with the global one.

const fetch = (...given) => globalThis.fetch(...given);
const { Headers, Request, Response, FormData, Blob, File } = globalThis;

class FetchError extends Error {}
class AbortError extends Error {}

module.exports = Object.assign(fetch, { default: fetch, fetch, Headers, Request, Response, FormData, Blob, File, FetchError, AbortError });
