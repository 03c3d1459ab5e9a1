// Wraps a project's module, and fails in the build if it lacks an export of its WIT.
// It is evaluated once, in the sandbox in which the component is built: what the module lacks is
// said there, and not when an agent calls it. A function that promises something is waited for.

import * as module from "tool-checked";
import { settled } from "tool-hub-web/promise.js";
export * from "tool-checked";

// The module, or the object in it that is named like an interface.
function holderOf(interfaces) {
  return interfaces.length === 0 ? module : interfaces.map((name) => module[name]).find(Boolean);
}

// An agent reads only the message of an error, so the message of its cause is added there.
function called(interfaces, name) {
  return (...given) => {
    try {
      return settled(holderOf(interfaces)[name](...given));
    } catch (error) {
      if (error instanceof Error && error.cause instanceof Error) {
        error.message += `: ${error.cause.message}`;
      }
      throw error;
    }
  };
}

const wrong = [];
for (const { place, interfaces, functions } of {{expected}}) {
  const holder = holderOf(interfaces);
  if (holder === undefined) {
    wrong.push(`it does not export \`${place}\`, an object with the functions ${functions.join(", ")}`);
    continue;
  }
  for (const name of functions) {
    const shown = place === "" ? name : `${place}.${name}`;
    const value = holder[name];
    if (value === undefined) {
      wrong.push(`\`${shown}\` is missing`);
    } else if (typeof value !== "function") {
      wrong.push(`\`${shown}\` is not a function`);
    }
  }
}
if (wrong.length > 0) {
  throw new Error(`{{mark}}${wrong.join("; ")}`);
}

{{exports}}
