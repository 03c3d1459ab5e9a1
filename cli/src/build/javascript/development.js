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
    globalThis.toolHubThrown = told;
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

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
let lines;
const told = traced();

// Writes the trace of an error to standard error, once, by the places in the project's own files.
function traced() {
  const seen = new WeakSet();
  return (error) => {
    if (!(error instanceof Error) || seen.has(error)) {
      return;
    }
    seen.add(error);
    const frames = (error.stack ?? "").split("\n").map(ofProject).filter(Boolean);
    globalThis.console?.error([`${error.name}: ${error.message}`, ...frames].join("\n"));
  };
}

// A line of a trace with the place from which the script was made; nothing for this module's own.
function ofProject(frame) {
  const found = /^(.*)<input>:(\d+):(\d+)(.*)$/.exec(frame);
  const place = found && origin(Number(found[2]), Number(found[3]));
  return place ? `${found[1]}${place}${found[4]}` : undefined;
}

// The place that the source map names for a line and a column of the script.
function origin(line, column) {
  lines ??= decoded(JSON.parse(project?.map ?? '{"sources":[],"mappings":""}'));
  const segments = lines[line - 1] ?? [];
  const nearest = segments.findLast((segment) => segment.column < column) ?? segments[0];
  return nearest?.source ? `${nearest.source}:${nearest.row + 1}:${nearest.place + 1}` : undefined;
}

// For each line of the script the places that a source map of version 3 has for its columns.
function decoded({ sources, mappings }) {
  let [source, row, place] = [0, 0, 0];
  return mappings.split(";").map((text) => {
    const segments = [];
    let generated = 0;
    for (const segment of text.split(",").filter(Boolean)) {
      const [across, ...original] = numbers(segment);
      generated += across;
      if (original.length > 0) {
        source += original[0];
        row += original[1];
        place += original[2];
        segments.push({ column: generated, source: sources[source], row, place });
      }
    }
    return segments;
  });
}

function numbers(segment) {
  const found = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) === 0) {
      found.push(value & 1 ? -(value >> 1) : value >> 1);
      [value, shift] = [0, 0];
    }
  }
  return found;
}

{{exports}}
