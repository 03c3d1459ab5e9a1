// The `Tool`: a function of an approved tool, its limits, and calls of it with callbacks.

import { ToolHubError } from "./errors.js";
import { bridge, operation } from "./operations.js";

/** One function of an approved tool. */
export class Tool {
  #tools;
  #definition;

  constructor(tools, definition) {
    this.#tools = tools;
    this.#definition = definition;
    /** The name by which agents call it. */
    this.name = definition.name;
    /** A name for people, if it has one. */
    this.title = definition.title;
    /** The description for agents. */
    this.description = definition.description;
    /** JSON Schema of its arguments, an object. */
    this.inputSchema = definition.input_schema;
    /** JSON Schema of its structured value, if it says one. */
    this.outputSchema = definition.output_schema;
    /** What it says of its effects; undefined where it says nothing. */
    this.annotations = annotationsOf(definition.annotations);
    Object.freeze(this);
  }

  /**
   * Calls it, and gives the whole reply. `given` are arguments by name, or the JSON text that a
   * model wrote, which is repaired when it is nearly right. A failure throws a `ToolError`.
   */
  async call(given = {}, options = {}) {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    const { signal } = options;
    const listeners = listenersOf(options);
    const heard = heardOf(options);
    const begin = (number) => bridge.call(number, this.#tools, this.name, text, heard);
    return operation(begin, { signal, listeners });
  }

  /** The limits of a call that can be lowered; undefined if the function is no tool's. */
  get limits() {
    const limits = this.#tools.limits(this.name);
    return limits === null ? undefined : JSON.parse(limits);
  }

  /** The same function with lower limits on each call. A higher one has no effect. */
  limited(limits) {
    return new Tool(this.#tools.limited(JSON.stringify(limits)), this.#definition);
  }

  /** Calls it, and gives the value of the reply. */
  async run(given, options) {
    return (await this.call(given, options)).value;
  }
}

function annotationsOf({ read_only, destructive, idempotent, open_world }) {
  return Object.freeze({ readOnly: read_only, destructive, idempotent, openWorld: open_world });
}

/** The events that somebody listens to, and the functions that the guest may call, as JSON. */
function heardOf({ onProgress, onQuestion, onOutput, functions }) {
  if (!onProgress && !onQuestion && !onOutput && !functions) {
    return undefined;
  }
  const described = Object.entries(functions ?? {}).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema,
  }));
  const listeners = { progress: onProgress, question: onQuestion, output: onOutput };
  const wanted = Object.keys(listeners).filter((kind) => listeners[kind]);
  return JSON.stringify({ wanted, functions: described });
}

function listenersOf({ onProgress, onQuestion, onOutput, functions }) {
  return {
    progress: ({ done, total, message }) =>
      onProgress(done, total ?? undefined, message ?? undefined),
    question: async ({ number, ...question }) => {
      bridge.answer(number, json(await onQuestion(question), "`onQuestion`"));
    },
    output: (output) => onOutput(output),
    function: async ({ number, name, given }) => {
      bridge.answer(number, await called(name, functions[name], given));
    },
  };
}

/** What a function beside the tool came to, as JSON. Its failure is the guest's to handle. */
async function called(name, beside, given) {
  let value;
  try {
    value = await beside.call(given);
  } catch (error) {
    const { kind = "failed", message = String(error) } = error ?? {};
    return JSON.stringify({ failure: { kind: String(kind), message: String(message) } });
  }
  return `{"value":${json(value, `the function \`${name}\``)}}`;
}

/** A value that `giver` gave, as JSON. */
function json(value, giver) {
  const text = JSON.stringify(value ?? null);
  if (text === undefined) {
    throw new ToolHubError(`${giver} gave a ${typeof value}, which JSON cannot say`);
  }
  return text;
}
