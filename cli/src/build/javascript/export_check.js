// Wraps a project's module, and fails in the build if it lacks an export of its WIT.
// It is evaluated once, in the sandbox in which the component is built: what the module lacks is
// said there, and not when an agent calls it.

import * as module from "tool-checked";
export * from "tool-checked";

const wrong = [];
for (const { place, interfaces, functions } of {{exports}}) {
  const holder = interfaces.length === 0 ? module : interfaces.map((name) => module[name]).find(Boolean);
  if (holder === undefined) {
    wrong.push(`it does not export \`${place}\`, an object with the functions ${functions.join(", ")}`);
    continue;
  }
  for (const name of functions) {
    const called = place === "" ? name : `${place}.${name}`;
    const value = holder[name];
    if (value === undefined) {
      wrong.push(`\`${called}\` is missing`);
    } else if (typeof value !== "function") {
      wrong.push(`\`${called}\` is not a function`);
    } else if (value.constructor.name === "AsyncFunction") {
      wrong.push(`\`${called}\` is async, and a tool in JavaScript cannot wait`);
    }
  }
}
if (wrong.length > 0) {
  throw new Error(`{{mark}}${wrong.join("; ")}`);
}
