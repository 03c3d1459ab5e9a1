// The component that runs the programs of tools that are written in JavaScript.
//
// `tool build` makes it once for all of them. A program is a JSON object: `script` is the bundle of
// a project, whose value, or that of the promise that it is, is a function that takes what
// `functions.js` exports and gives the functions of the tool by the names of their exports;
// `map` is its source map.

import { getRandomBytes } from "wasi:random/random@0.2.12";
import { seed } from "../random_numbers.js";
import { AbortController, AbortSignal } from "../web/abort.js";
import { crypto } from "../web/crypto.js";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "../web/events.js";
import { settled } from "../web/promise.js";
import * as conversions from "./functions.js";
import { define } from "./globals.js";
import { mapped, traced } from "../trace.js";

define({ AbortController, AbortSignal, crypto, clearInterval, clearTimeout, setInterval, setTimeout });

const evaluate = eval;
let functions;

function prepare(program) {
  const { script, map } = JSON.parse(program);
  mapped(map);
  functions = settled(evaluate(script), "a module")(conversions);
}

function run(name, given) {
  // The last part of an export's name is the function's own.
  const called = functions[name.slice(name.lastIndexOf(".") + 1)];
  return JSON.stringify(called(...JSON.parse(given)));
}

export const interpreter = {
  prepare(program) {
    try {
      prepare(program);
    } catch (error) {
      throw traced(error);
    }
  },

  call(name, given) {
    // A module may have drawn numbers while it was loaded, perhaps once for many calls.
    seed(new Uint32Array(getRandomBytes(4).buffer)[0]);
    return run(name, given);
  },
};

// A bundle as `tool build` makes one of a project.
const SAMPLE = `"use strict";var toolHubProgram=(()=>{
  var source = {
    paint(text, times = 1, more) {
      if (text === "") {
        throw new RangeError("there is nothing to paint");
      }
      const lines = Array.from({ length: times }, (_, at) => [at, text, ...(more ?? [])].join(" "));
      return Promise.resolve(lines).then((all) => all.map((line) => line.replace("a", "b").trim()));
    },
  };
  var functions = ({ call, maybe, asText }) => ({
    "paint"(a0, a1, a2) {
      const more = maybe(a2, (it) => Array.from(it, (it) => Number(it)));
      return call(() => source.paint(a0, maybe(a1, (it) => Number(it)), more), (it) => Array.from(it, (it) => asText(it)));
    },
  });
  return { functions };
})();toolHubProgram.functions`;

// Loads and calls a program while the component is built. What the engine makes of itself at its
// first use is the same in all programs then, and is not copied for each call.
function warmUp() {
  const program = JSON.stringify({ script: SAMPLE, map: '{"version":3,"sources":["a.js"],"mappings":"AAAA"}' });
  for (let round = 0; round < 16; round++) {
    prepare(program);
    for (const given of [["a", null, null], ["b", 2, [1.5]]]) {
      run("tools:sample/functions.paint", JSON.stringify(given));
    }
  }
  functions = undefined;
  mapped('{"sources":[],"mappings":""}');
  delete globalThis.toolHubProgram;
}

warmUp();
