// Parses JSON with error messages of its own; also `Refusal`, an error for agents, and `cut`.

const JSON_CHARACTERS_MAX = 8 * 1024 * 1024;
const DEPTH_MAX = 500;

// Sticky, because the engine walks over long runs faster than any loop here.
const SPACE = /[ \t\n\r]*/y;
const WORD = /(?:true|false|null)(?![\w$])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** A refusal written for the agent that made the call. */
export class Refusal extends Error {}

/** Parses `json`; a `Refusal` names the line, the column and the cure. */
export function parseJson(json) {
  if (json.length > JSON_CHARACTERS_MAX) {
    throw new Refusal(`\`json\` is longer than ${JSON_CHARACTERS_MAX} characters; pass a part of it`);
  }
  const fault = new Scanner(json).fault();
  if (fault) throw new Refusal(describe(json, fault));
  return JSON.parse(json);
}

/** The first characters of `text`, with a mark where something was cut. */
export function cut(text, longest) {
  const characters = Array.from(text.slice(0, 2 * longest + 2));
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : text;
}

function describe(json, { position, expected, fix }) {
  const before = json.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  const found = position < json.length ? `found ${JSON.stringify(cut(json.slice(position), 12))}` : 'the text ends';
  return `\`json\` is not valid at line ${line}, column ${column}: expected ${expected}, but ${found}; ${fix}`;
}

// Walks through a JSON text once without building anything. It keeps its own stack of open
// brackets, because a text of a million `[` must not become a million calls.
class Scanner {
  constructor(json) {
    this.json = json;
    this.position = 0;
  }

  fault() {
    const open = [];
    let wanted = 'value';
    for (;;) {
      this.skipSpace();
      const character = this.json[this.position];
      if (wanted === 'value' || wanted === 'first item') {
        if (wanted === 'first item' && character === ']') {
          open.pop();
          this.position += 1;
          wanted = 'end';
        } else if (character === '[' || character === '{') {
          if (open.length === DEPTH_MAX) {
            return this.at('a value', `nesting is limited to ${DEPTH_MAX} levels, pass an inner part`);
          }
          open.push(character);
          this.position += 1;
          wanted = character === '[' ? 'first item' : 'first key';
        } else {
          const fault = this.scalar();
          if (fault) return fault;
          wanted = 'end';
        }
      } else if (wanted === 'key' || wanted === 'first key') {
        if (wanted === 'first key' && character === '}') {
          open.pop();
          this.position += 1;
          wanted = 'end';
          continue;
        }
        if (character !== '"') return this.at('a key in double quotes', this.keyFix(character));
        const fault = this.string();
        if (fault) return fault;
        this.skipSpace();
        if (this.json[this.position] !== ':') return this.at('`:` behind the key', 'write `"key": value`');
        this.position += 1;
        wanted = 'value';
      } else {
        const opened = open[open.length - 1];
        if (opened === undefined) {
          return character === undefined ? null : this.at('the end of the text', 'pass one JSON value only');
        }
        if (character === ',') {
          wanted = opened === '[' ? 'value' : 'key';
        } else if (character === (opened === '[' ? ']' : '}')) {
          open.pop();
        } else if (opened === '[') {
          return this.at('`,` or `]`', 'separate items with commas and close the list');
        } else {
          return this.at('`,` or `}`', 'separate entries with commas and close the object');
        }
        this.position += 1;
      }
    }
  }

  scalar() {
    const character = this.json[this.position];
    if (character === '"') return this.string();
    if (this.takes(WORD)) return null;
    return this.at('a value', valueFix(this.json.slice(this.position, this.position + 20)));
  }

  string() {
    const start = this.position;
    this.position += 1;
    for (;;) {
      this.takes(PLAIN);
      const character = this.json[this.position];
      if (character === undefined) {
        this.position = start;
        return this.at('a string that ends', 'close it with `"`');
      }
      if (character === '"') break;
      if (character !== '\\') {
        return this.at('no bare control character in a string', 'write line breaks as `\\n` and tabs as `\\t`');
      }
      if (!this.takes(ESCAPE)) return this.at('a known escape', 'write a backslash as `\\\\`');
    }
    this.position += 1;
    return null;
  }

  skipSpace() {
    if (this.json[this.position] <= ' ') this.takes(SPACE);
  }

  takes(pattern) {
    pattern.lastIndex = this.position;
    if (!pattern.test(this.json)) return false;
    this.position = pattern.lastIndex;
    return true;
  }

  keyFix(character) {
    if (character === "'") return 'use double quotes, not single ones';
    if (character === '}') return 'remove the comma before it';
    return 'write `"key": value`';
  }

  at(expected, fix) {
    return { position: this.position, expected, fix };
  }
}

function valueFix(rest) {
  if (rest === '') return 'pass the whole JSON text';
  if (rest[0] === "'") return 'use double quotes, not single ones';
  if (rest[0] === ']' || rest[0] === '}') return 'remove the comma before it';
  if (/^[+-]?[.\d]/.test(rest)) return 'write numbers like `-12`, `0.5` or `1e3`';
  if (/^(?:None|True|False)\b/.test(rest)) return 'this is Python: write `null`, `true`, `false`';
  if (rest.startsWith('//') || rest.startsWith('/*')) return 'JSON has no comments';
  if (/^(?:https?:|\/|\.\/)/.test(rest)) return 'pass the JSON text itself, not where it is';
  return 'write an object, a list, a string in double quotes, a number, `true`, `false` or `null`';
}
