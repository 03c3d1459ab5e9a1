// The globals that a tool in TypeScript has beside those of the language, for the type checker.

declare var console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};

declare var performance: { now(): number; readonly timeOrigin: number };

declare var crypto: {
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
};

declare function setTimeout(run: (...given: any[]) => unknown, delay?: number, ...given: any[]): number;
declare function setInterval(run: (...given: any[]) => unknown, delay?: number, ...given: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(job: () => void): void;
declare function structuredClone<T>(value: T, options?: { transfer?: unknown[] }): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function fetch(input: RequestInfo | URL, options?: RequestInit): Promise<Response>;

interface DOMException extends Error {
  readonly code: number;
}
declare var DOMException: { prototype: DOMException; new (message?: string, name?: string): DOMException };

interface Event {
  readonly type: string;
  readonly target: AbortSignal;
  readonly currentTarget: AbortSignal;
}
type AbortListener = ((this: AbortSignal, event: Event) => unknown) | { handleEvent(event: Event): unknown };

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => unknown) | null;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: AbortListener | null, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: AbortListener | null): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  timeout(ms: number): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };

interface URLSearchParams {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(run: (value: string, name: string, all: URLSearchParams) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (given?: Iterable<readonly [string, string]> | Record<string, string> | string): URLSearchParams;
};

interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};

interface TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };

interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

type HeadersInit = Iterable<readonly [string, string]> | Record<string, string>;
interface Headers {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(run: (value: string, name: string, all: Headers) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var Headers: { prototype: Headers; new (given?: HeadersInit | null): Headers };

type ReadableStreamReadResult<R> = { done: false; value: R } | { done: true; value: R | undefined };
interface ReadableStreamDefaultReader<R = any> {
  read(): Promise<ReadableStreamReadResult<R>>;
  cancel(): Promise<void>;
  releaseLock(): void;
}
interface ReadableStream<R = any> {
  readonly locked: boolean;
  cancel(): Promise<void>;
  getReader(): ReadableStreamDefaultReader<R>;
  [Symbol.asyncIterator](): AsyncIterableIterator<R>;
}

interface Blob {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  slice(start?: number, end?: number, type?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
}
type BlobPart = string | ArrayBuffer | ArrayBufferView | Blob;
interface BlobPropertyBag {
  type?: string;
}
declare var Blob: { prototype: Blob; new (parts?: Iterable<BlobPart>, options?: BlobPropertyBag): Blob };

interface File extends Blob {
  readonly name: string;
  readonly lastModified: number;
}
interface FilePropertyBag extends BlobPropertyBag {
  lastModified?: number;
}
declare var File: { prototype: File; new (parts: Iterable<BlobPart>, name: string, options?: FilePropertyBag): File };

type FormDataEntryValue = File | string;
interface FormData {
  append(name: string, value: string | Blob, filename?: string): void;
  delete(name: string): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  set(name: string, value: string | Blob, filename?: string): void;
  forEach(run: (value: FormDataEntryValue, name: string, all: FormData) => void, self?: unknown): void;
  entries(): IterableIterator<[string, FormDataEntryValue]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<FormDataEntryValue>;
  [Symbol.iterator](): IterableIterator<[string, FormDataEntryValue]>;
}
declare var FormData: { prototype: FormData; new (): FormData };

interface Body {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  json(): Promise<any>;
  text(): Promise<string>;
}

type BodyInit = string | ArrayBuffer | ArrayBufferView | Blob | FormData | URLSearchParams;
type RequestInfo = Request | string;
type RequestRedirect = "follow" | "error" | "manual";
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  redirect?: RequestRedirect;
  signal?: AbortSignal | null;
  // What is a browser's matter has no effect.
  cache?: string;
  credentials?: string;
  integrity?: string;
  keepalive?: boolean;
  mode?: string;
  priority?: string;
  referrer?: string;
  referrerPolicy?: string;
}
interface Request extends Body {
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirect: RequestRedirect;
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: { prototype: Request; new (input: RequestInfo | URL, options?: RequestInit): Request };

interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}
interface Response extends Body {
  // Nothing is there only for a status that has no body, such as 204.
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: "basic" | "default";
  readonly ok: boolean;
  clone(): Response;
}
declare var Response: {
  prototype: Response;
  new (body?: BodyInit | null, options?: ResponseInit): Response;
  json(value: unknown, options?: ResponseInit): Response;
};
