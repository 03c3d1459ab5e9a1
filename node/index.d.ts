// Types of the package `tool-hub`.

/** A value that JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A JSON Schema. */
export type JsonSchema = { [keyword: string]: Json };

interface ForAudience {
  /** For whom the part is, if the tool says so. */
  audience?: ("user" | "assistant")[];
}

export interface TextPart extends ForAudience {
  type: "text";
  text: string;
}

export interface ImagePart extends ForAudience {
  type: "image";
  /** Such as `image/png`. */
  mediaType: string;
  data: Buffer;
}

export interface AudioPart extends ForAudience {
  type: "audio";
  /** Such as `audio/wav`. */
  mediaType: string;
  data: Buffer;
}

export interface LinkPart extends ForAudience {
  type: "link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mediaType?: string;
}

export interface ResourcePart extends ForAudience {
  type: "resource";
  uri: string;
  mediaType?: string;
  /** Its contents, if they are text. */
  text?: string;
  /** Its contents, if they are not text. */
  data?: Buffer;
}

export type Part = TextPart | ImagePart | AudioPart | LinkPart | ResourcePart;

/** What a call used, in the units that end the names. */
export interface Usage {
  total_us: number;
  queued_us: number;
  guest_us: number;
  host_us: number;
  input_bytes: number;
  output_bytes: number;
  memory_bytes: number;
  http_requests: number;
  http_sent_bytes: number;
  http_received_bytes: number;
  storage_operations: number;
}

/** What a call answered. */
export interface Reply {
  /** The structured value if there is one, else the text, the one part, or the list of parts. */
  value: any;
  /** All of it as a text for a model. */
  text: string;
  /** Part by part. */
  content: Part[];
  /** The structured value, if there is one. */
  structured?: Json;
  /** What the tool suggests to do next. */
  next?: string;
  /** What it used; null if it never began. */
  usage: Usage | null;
}

/** What a tool asks the person. */
export interface Question {
  message: string;
  /** JSON Schema of the answer, an object. */
  schema: JsonSchema;
}

/**
 * An object that fits the schema of a question; null or undefined where the person declines, and
 * `"cancelled"` where they closed the question without an answer.
 */
export type Answered = object | "cancelled" | null | undefined;

/** What a tool wrote, once the call is over. It is a stranger's text. */
export interface Output {
  stdout: string;
  stderr: string;
  log: { level: string; context: string; message: string }[];
  droppedBytes: number;
}

/** A function that the guest of a call may call, as code interpreters do. */
export interface BesideFunction {
  description: string;
  inputSchema: JsonSchema;
  call(given: { [name: string]: Json }): unknown;
}

/**
 * What happens while a call runs. A callback that throws ends the call with its error, and the call
 * is over when the promises of `onProgress` and `onOutput` are.
 */
export interface CallOptions {
  /** Stops the guest when it is aborted; the call then throws the signal's reason. */
  signal?: AbortSignal;
  /** Hears how far the call is, at most about ten times a second. */
  onProgress?(done: number, total?: number, message?: string): void;
  /** Answers a question, as `Answered` says. */
  onQuestion?(question: Question): Answered | Promise<Answered>;
  /** Takes what the tool wrote to its streams and its log. */
  onOutput?(output: Output): void;
  /** Functions that the guest may call, by name. */
  functions?: { [name: string]: BesideFunction };
}

/**
 * The most that a call may use, by the names of the reference; the unit ends the name. A call that
 * reaches one fails with the kind `host-limit`.
 */
export interface Limits {
  call_ms?: number;
  cpu_ms?: number;
  memory_bytes?: number;
  input_bytes?: number;
  outcome_bytes?: number;
  output_stream_bytes?: number;
  storage_bytes?: number;
  http_in_flight?: number;
  http_response_bytes?: number;
  questions?: number;
}

/** Arguments by name, or the JSON text that a model wrote, which is repaired when nearly right. */
export type Given = { [name: string]: any } | string;

/** What a function says of its effects; undefined where it says nothing. */
export interface Annotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** One function of an approved tool. */
export class Tool {
  private constructor();
  /** The name by which agents call it. */
  readonly name: string;
  /** A name for people, if it has one. */
  readonly title?: string;
  /** The description for agents. */
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly inputSchema: JsonSchema;
  /** JSON Schema of its structured value, if it says one. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: Annotations;
  /** The limits of a call, as far as they can be lowered; undefined if it is no tool's. */
  readonly limits?: Required<Limits>;
  /** The same function with lower limits on each call. A higher one has no effect. */
  limited(limits: Limits): Tool;
  /** Calls it, and gives the whole reply. A failure throws a `ToolError`. */
  call(given?: Given, options?: CallOptions): Promise<Reply>;
  /** Calls it, and gives the value of the reply. */
  run(given?: Given, options?: CallOptions): Promise<any>;
}

/** Functions by the names that agents call. */
export class Tools implements Iterable<[string, Tool]> {
  private constructor();
  readonly size: number;
  /** The function of this name. An unknown name throws, and the error lists those there are. */
  get(name: string): Tool;
  has(name: string): boolean;
  keys(): IterableIterator<string>;
  values(): IterableIterator<Tool>;
  entries(): IterableIterator<[string, Tool]>;
  forEach(visit: (tool: Tool, name: string, tools: Tools) => void): void;
  [Symbol.iterator](): IterableIterator<[string, Tool]>;
  /** The same functions with lower limits on each call. A higher one has no effect. */
  limited(limits: Limits): Tools;
  /**
   * The same functions; each call is noted in the audit log `file`, as `tool serve --audit` does,
   * as a call of `caller` (`node` unless told). While the log cannot be written no call is made.
   */
  audited(file: string, options?: { caller?: string }): Tools;
  /** Calls the only function there is, as `Tool.call` does. */
  call(given?: Given, options?: CallOptions): Promise<Reply>;
  /** Calls the only function there is, as `Tool.run` does. */
  run(given?: Given, options?: CallOptions): Promise<any>;
}

/** What a person grants a tool: never more than it asks for. */
export interface Grants {
  /** Origins, such as `https://api.example`. */
  network?: string[];
  /** The place of each directory that it asks for, by the name it has there. */
  directories?: { [name: string]: string };
  /** The value of each variable that it asks for. */
  variables?: { [name: string]: string };
  /** The value of each credential that it asks for. The host sends it; the tool never sees it. */
  credentials?: { [name: string]: string };
  /** True if it may keep data from call to call. */
  storage?: boolean;
}

/** A package that was verified and has not run: its claims, next to what its bytes can do. */
export class Inspection {
  private constructor();
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly publisher: string | null;
  /** The signer: the fingerprint of a key, or an identity; null if it is not signed. */
  readonly signer: string | null;
  readonly published: string | null;
  /** The digest that `approve` takes. */
  readonly digest: string;
  /** What it asks for, and whether its bytes could use it. */
  readonly capabilities: { access: string; what: string; why: string; used: boolean }[];
  /** The names of its functions. */
  readonly functions: string[];
  /** Remarks for the person who decides. */
  readonly warnings: string[];
  /** Why it cannot be approved; empty if it can be. */
  readonly refusals: string[];
  /** The report that a person reads before approving. */
  report(options?: { verbose?: boolean }): string;
  toString(): string;
  /**
   * Loads the package. `digest` is the one that a person saw and agreed to; with any other, with
   * more grants than the package asks for, or where it is signed or built by somebody else than
   * what the person approved last from its repo, this throws a `RefusedError`.
   */
  approve(digest: string, grants?: Grants): Promise<Tools>;
}

/** The toolbox that the command `tool` made, with what was approved there. */
export class Toolbox {
  /**
   * The toolbox in force here: the nearest `toolbox.toml` upwards, else the user's. Or the one at
   * `place`, which is its directory or its file.
   */
  constructor(place?: string);
  /** The functions of all tools in it, or of those that are named. */
  tools(...names: string[]): Promise<Tools>;
}

export interface RegistryOptions {
  /** The registry, if it is not the one that the surroundings name. */
  endpoint?: string;
  /** Stops waiting for the registry, and throws the signal's reason. A push may have happened. */
  signal?: AbortSignal;
}

/** Pulls and verifies a package, and runs nothing. */
export function load(reference: string, options?: RegistryOptions): Promise<Inspection>;

/** Loads a package whose digest a person has approved before. */
export function loadTool(
  reference: string,
  options: RegistryOptions & { approve: string; grants?: Grants },
): Promise<Tools>;

/** A package that a search found. */
export interface Found {
  repo: string;
  description: string | null;
  /** Null where the registry reads no manifests, and so for `functions`. */
  version: string | null;
  functions: string[] | null;
  downloads: number;
  likes: number;
  private: boolean;
}

/** A version that is on the registry. */
export interface Pushed {
  repo: string;
  version: string;
  commit: string;
  url: string;
  digest: string;
}

/** Packages on the registry that fit `query`, best first. */
export function search(query: string, options?: RegistryOptions): Promise<Found[]>;

/** Publishes the built package in `directory` as `repo`. */
export function push(
  directory: string,
  repo: string,
  options?: RegistryOptions & { isPrivate?: boolean },
): Promise<Pushed>;

/** The description of a function that becomes a tool. */
export interface ToolDefinition {
  /** a-z, 0-9 and -, such as `reading-time`; agents see `reading_time`. */
  name: string;
  /** What it does, for agents. */
  description: string;
  /** `0.1.0` unless said otherwise. */
  version?: string;
  /** An SPDX expression, `Apache-2.0` unless said otherwise. */
  license?: string;
  /**
   * Its arguments. Types are string, number, integer, boolean, arrays with `items`, objects with
   * `properties`, and enumerations of strings.
   */
  inputSchema?: JsonSchema;
  /** Its result, in the same types. */
  outputSchema?: JsonSchema;
  /** The rights that it asks for, as `[capabilities]` of `tool.toml` has them. */
  capabilities?: { [name: string]: Json };
}

/** A function that can be built and published as a tool. */
export class AuthoredTool<Given = unknown, Result = unknown> {
  private constructor();
  readonly name: string;
  readonly version: string;
  /**
   * The file that the tool is built from. Reading it throws where the function uses a name from
   * outside of itself that the sandbox does not have, or an `import(…)`.
   */
  readonly source: string;
  /** Calls the function itself, here and with all rights. */
  run(given: Given): Result;
  /**
   * Builds the tool in `directory`, `./NAME` unless said otherwise, and gives the path of its
   * package, which `load` takes. The first build fetches componentize-qjs.
   */
  build(directory?: string): Promise<string>;
  /** Builds the tool and publishes it as `repo`. A version never changes. */
  push(
    repo: string,
    options?: RegistryOptions & { isPrivate?: boolean; directory?: string },
  ): Promise<Pushed>;
}

/**
 * Makes a function one that can be built and published as a tool. It takes one object of arguments
 * and uses nothing from outside of itself: its own text is what is built.
 */
export function tool<Given, Result>(
  definition: ToolDefinition,
  implementation: (given: Given) => Result,
): AuthoredTool<Given, Result>;

/** The base of all errors that this package throws. */
export class ToolHubError extends Error {}

/** A call that failed, in words that teach whoever made it. */
export class ToolError extends ToolHubError {
  /** The kind of failure: `malformed-argument`, `denied`, `timeout`, … */
  readonly kind: string;
  /** What to do instead, if the tool or the host knows. */
  readonly fix?: string;
  /** The argument that is wrong, if one is. */
  readonly argument?: string;
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** What a model is shown. */
  readonly text: string;
}

/** Something that a policy refuses: another digest, more than was asked, no approval. */
export class RefusedError extends ToolHubError {
  readonly hint?: string;
}

/** A registry that cannot be reached, or does not have what was asked for. */
export class HubError extends ToolHubError {
  readonly hint?: string;
}
