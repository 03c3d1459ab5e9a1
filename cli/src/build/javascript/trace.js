// Traces of errors by the places in a project's own files, which a source map names.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
let map = '{"sources":[],"mappings":""}';
let lines;

/** Takes the source map of the script, as a text, for the traces that follow. */
export function mapped(text) {
  map = text;
}

/** An error, and below it the frames of its trace that are in the project's files. */
export function traced(error) {
  const frames = (error.stack ?? "").split("\n").map(ofProject).filter(Boolean);
  return [`${error.name}: ${error.message}`, ...frames].join("\n");
}

// A line of a trace with the place from which the script was made; nothing for this module's own.
function ofProject(frame) {
  const found = /^(.*)<input>:(\d+):(\d+)(.*)$/.exec(frame);
  const place = found && origin(Number(found[2]), Number(found[3]));
  return place ? `${found[1]}${place}${found[4]}` : undefined;
}

// The place that the source map names for a line and a column of the script.
function origin(line, column) {
  lines ??= decoded(JSON.parse(map));
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
