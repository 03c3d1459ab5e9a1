// Runs code in the global scope, after restoring what the last run left, and saves it for the next.

import { getLineInfo } from 'acorn';

import { AWAITED, EACH, PROMISED, read } from './program.js';
import { awaited, each, finish, Promise, promised } from './promise.js';
import { kept, opened } from './state.js';
import { Media, shown } from './values.js';

// How much of what is printed is kept; the rest is dropped, and the code goes on.
export const PRINTED_CHARACTERS_MAX = 65_536;
const TOLD_PRINTED_CHARACTERS_MAX = 2_000;

/** The code threw; the message says what and where. */
export class CodeError extends Error {}

/**
 * Runs `code` after `state`, with `variables` and `functions` by name. Gives what was `printed`,
 * the `value` where it `hasValue`, and, unless `state` is undefined, the next `state` and the names
 * of what is `lost`. The global scope is left as the code left it.
 */
export function run(code, variables, functions, state) {
  const printed = new Printed();
  const helpers = { [AWAITED]: awaited, [PROMISED]: promised, [EACH]: each };
  Object.assign(globalThis, helpers, { Promise, Media, console: printed.console() }, functions);
  const given = new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]]));
  let value;
  let definitions;
  try {
    const program = read(code);
    // Behind the last line of the code, so that its lines are told apart.
    const before = state ? restored(state, '\n'.repeat(linesOf(code).length)) : [];
    Object.assign(globalThis, variables);
    definitions = new Map([...before, ...program.definitions]);
    value = executed(program);
  } catch (error) {
    throw new CodeError(told(error, code, printed.text()));
  }
  const ran = { printed: printed.text(), hasValue: value !== undefined, value, lost: [] };
  return state === undefined ? ran : { ...ran, ...kept(given, definitions) };
}

// Indirectly: outside of this module's scope.
const evaluate = eval;

function executed({ text, value }) {
  const came = evaluate(text);
  let last;
  if (value) last = awaited(value.isExpression ? came : globalThis[value.name]);
  finish();
  return last;
}

// Gives the definitions that it brought back.
function restored(state, padding) {
  const { definitions, variables } = opened(state);
  const before = definitions.flatMap(([, source]) => {
    const program = read(source);
    evaluate(padding + program.text);
    return [...program.definitions];
  });
  Object.assign(globalThis, Object.fromEntries(variables));
  return before;
}

/** What the code prints, as far as there is room. */
class Printed {
  #parts = [];
  #room = PRINTED_CHARACTERS_MAX;
  #isCut = false;

  console() {
    const log = (...values) => this.#write(`${values.map(shown).join(' ')}\n`);
    return { log, info: log, debug: log, warn: log, error: log };
  }

  #write(text) {
    const part = text.slice(0, this.#room);
    this.#isCut ||= part.length < text.length;
    this.#room -= part.length;
    this.#parts.push(part);
  }

  text() {
    return this.#parts.join('') + (this.#isCut ? '\n[the rest was cut off]\n' : '');
  }
}

// What the person or model who wrote the code needs to mend it.
function told(error, code, printed) {
  const lines = linesOf(code);
  const number = lineOf(error, code, lines.length);
  let text = saidBy(error);
  if (number) text += `\nin line ${number}: ${lines[number - 1].trim()}`;
  if (printed) text += `\nPrinted before that:\n${printed.slice(-TOLD_PRINTED_CHARACTERS_MAX)}`;
  return text;
}

// The parser puts the place at the end of its message.
function saidBy(error) {
  if (!(error instanceof Error)) return `thrown: ${shown(error)}`;
  const message = error.pos === undefined ? error.message : error.message.replace(/ \(\d+:\d+\)$/, '');
  return `${error.name}: ${message}`;
}

// Innermost first. The engine calls evaluated code `<input>`, Node `<anonymous>`.
function lineOf(error, code, last) {
  if (error?.pos !== undefined) return getLineInfo(code, error.pos).line;
  const frames = String(error?.stack ?? '').matchAll(/<(?:input|anonymous)>:(\d+)/g);
  const numbers = Array.from(frames, ([, number]) => Number(number));
  return numbers.find((number) => number <= last);
}

function linesOf(code) {
  return code.split(/\r\n|[\n\r\u2028\u2029]/);
}
