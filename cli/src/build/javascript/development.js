// A module in the component that `tool dev` builds: evaluates the project's script from a variable.
// So the component stays the same while the script is edited.

import { getEnvironment } from "wasi:cli/environment@0.2.12";
{{imports}}
const modules = { {{modules}} };
let project;

function load() {
  if (project === undefined) {
    const given = Object.fromEntries(getEnvironment());
    globalThis.require = (name) => modules[name];
    const evaluate = eval;
    project = evaluate(given["{{variable}}"]);
  }
  return project.exports;
}

// A function of the project, in an interface by one of its names, or without one.
function called(interfaces, name) {
  return (...given) => {
    try {
      const module = load();
      const holder = interfaces.length === 0 ? module : interfaces.map((it) => module[it]).find(Boolean);
      return holder[name](...given);
    } catch (error) {
      told(error);
      throw error;
    }
  };
}

const seen = new WeakSet();

// Writes the trace of an error to standard error, once.
function told(error) {
  if (error instanceof Error && !seen.has(error)) {
    seen.add(error);
    mapped(project?.map);
    globalThis.console?.error(traced(error));
  }
}

{{exports}}
