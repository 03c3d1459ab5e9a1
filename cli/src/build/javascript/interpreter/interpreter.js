// The component that runs the programs of tools that are written in JavaScript.
//
// `tool build` makes it once for all of them. A program is a JSON object: `script` is the bundle of
// a project, whose value is a function that takes what `functions.js` exports and gives the
// functions of the tool by the names of their exports; `map` is its source map.

import { getRandomBytes } from "wasi:random/random@0.2.12";
import { seed } from "../random_numbers.js";
import { AbortController, AbortSignal } from "../web/abort.js";
import { crypto } from "../web/crypto.js";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "../web/events.js";
import * as conversions from "./functions.js";
import { define } from "./globals.js";
import { mapped, traced } from "../trace.js";

define({ AbortController, AbortSignal, crypto, clearInterval, clearTimeout, setInterval, setTimeout });

const evaluate = eval;
let functions;

export const interpreter = {
  prepare(program) {
    const { script, map } = JSON.parse(program);
    mapped(map);
    try {
      functions = evaluate(script)(conversions);
    } catch (error) {
      throw traced(error);
    }
  },

  call(name, given) {
    // A module may have drawn numbers while it was loaded, perhaps once for many calls.
    seed(new Uint32Array(getRandomBytes(4).buffer)[0]);
    // The last part of an export's name is the function's own.
    const called = functions[name.slice(name.lastIndexOf(".") + 1)];
    return JSON.stringify(called(...JSON.parse(given)));
  },
};
