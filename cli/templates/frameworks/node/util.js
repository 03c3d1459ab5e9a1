// `util`, with what servers read their command line by.

import nodeUtil from "unenv/node/util";
import types from "util/types";
import process from "tool-node-process";

export * from "unenv/node/util";
export { types };

export function parseArgs({ args = process.argv.slice(2), options = {}, allowPositionals = false, strict = true } = {}) {
  const values = Object.create(null);
  const positionals = [];
  for (const [name, { default: value }] of Object.entries(options)) if (value !== undefined) values[name] = value;
  const rest = [...args];
  while (rest.length > 0) {
    const word = rest.shift();
    const [, dashes, given, , value] = /^(--?)([^=]+)(=(.*))?$/s.exec(word) ?? [];
    if (given === undefined) {
      if (!allowPositionals && strict) throw new TypeError(`Unexpected argument '${word}'`);
      positionals.push(word);
      continue;
    }
    const name = dashes === "--" ? given : (Object.entries(options).find(([, { short }]) => short === given)?.[0] ?? given);
    if (options[name] === undefined && strict) throw new TypeError(`Unknown option '${word}'`);
    const found = options[name]?.type === "string" ? (value ?? rest.shift()) : (value ?? true);
    values[name] = options[name]?.multiple ? [...(values[name] ?? []), found] : found;
  }
  return { values, positionals };
}
export const stripVTControlCharacters = (text) => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
export const callbackify = (work) => (...given) => {
  const done = given.pop();
  work(...given).then((value) => done(null, value), done);
};
export default { ...nodeUtil, callbackify, parseArgs, stripVTControlCharacters, types };
