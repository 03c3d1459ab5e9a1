// `undici`, whose requests are those of the global `fetch`.

const { fetch, Headers, Request, Response, FormData } = globalThis;
export { fetch, Headers, Request, Response, FormData };
export class Agent {}
export class ProxyAgent {}
export class EnvHttpProxyAgent {}
export class Client {}
export class Pool {}
export const setGlobalDispatcher = () => {};
export const getGlobalDispatcher = () => new Agent();
export default { fetch, Headers, Request, Response, FormData, Agent, ProxyAgent, EnvHttpProxyAgent, setGlobalDispatcher, getGlobalDispatcher };
