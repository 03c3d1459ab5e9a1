// Checks that arguments of a caller are text or a URL, with errors that name the argument.
//
// The native module would refuse them in words of its own.

import { inspect } from "node:util";

import { ToolHubError } from "./errors.js";

/** `given`, which has to be text. `name` is what the caller knows it by. */
export function text(name, given) {
  if (typeof given !== "string") {
    throw new ToolHubError(`\`${name}\` should be text, found ${inspect(given, { depth: 0 })}`);
  }
  return given;
}

/** `given`, which has to be a URL unless it is absent. */
export function url(name, given) {
  if (given !== undefined && !URL.canParse(text(name, given))) {
    throw new ToolHubError(`\`${name}\` should be a URL, found ${JSON.stringify(given)}`);
  }
  return given;
}
