// The component `json-query`: checks arguments, calls `query`, `find` and `shape`, words errors.
// An object named like an interface implements it; an error of a `result` is thrown as a string.

import { find } from './find.js';
import { query } from './query.js';
import { shape } from './shape.js';
import { parseJson, Refusal } from './text.js';

const FIND_LIMIT = { least: 1, most: 1000, default: 20 };
const DEPTH = { least: 1, most: 20, default: 6 };
const INDENT = { least: 0, most: 8, default: 0 };

export const queries = {
  query(json, expression, indent) {
    return answer(() => {
      const spaces = within('indent', indent, INDENT);
      return JSON.stringify(query(parseJson(json), expression), null, spaces);
    });
  },

  find(json, text, limit) {
    return answer(() => find(parseJson(json), text, within('limit', limit, FIND_LIMIT)));
  },

  shape(json, depth) {
    return answer(() => shape(parseJson(json), within('depth', depth, DEPTH)));
  },
};

function within(name, given, range) {
  const value = given ?? range.default;
  if (value < range.least || value > range.most) {
    throw new Refusal(`\`${name}\` is ${value}; use ${range.least} to ${range.most}`);
  }
  return value;
}

// Only what was written for the agent may become the error side of the result; anything else
// is a fault of this tool and must look like one.
function answer(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) throw error.message;
    throw error;
  }
}
