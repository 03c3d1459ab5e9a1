// Writes the variables and definitions that code leaves into one text, and reads them back.

import { read } from './program.js';
import { Media } from './values.js';

// How long a state may be. A variable that would make it longer is lost.
export const STATE_CHARACTERS_MAX = 4 << 20;
const DEPTH_MAX = 64;
// The member of an object that marks it as the encoding of another kind of value.
const MARK = '$';

/** What stands in a state: the texts of definitions by name, and variables. Throws for others. */
export function opened(state) {
  const { definitions, variables } = JSON.parse(state);
  return {
    definitions,
    variables: Object.entries(variables).map(([name, value]) => [name, decoded(value)]),
  };
}

/**
 * The state with all globals that are not as `given`, of functions and classes those that
 * `definitions` bring back, and the names of the `lost`.
 */
export function kept(given, definitions) {
  const variables = {};
  const bound = new Set();
  const lost = [];
  let room = STATE_CHARACTERS_MAX;
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = globalThis[name];
    if (given.has(name) && Object.is(given.get(name), value)) continue;
    if (isDefined(value, definitions.get(name))) {
      bound.add(name);
      continue;
    }
    const text = written(value, room);
    if (text === undefined) {
      lost.push(name);
      continue;
    }
    room -= text.length;
    variables[name] = JSON.parse(text);
  }
  const sources = [];
  const isThere = (name) => given.has(name) || sources.some(([other]) => other === name);
  for (const [name, { source, base }] of definitions) {
    if (!bound.has(name)) continue;
    if (source.length > room || (base && !isThere(base))) {
      lost.push(name);
      continue;
    }
    room -= source.length;
    sources.push([name, source]);
  }
  return { state: JSON.stringify({ definitions: sources, variables }), lost };
}

// True if the variable still holds the function that the definition makes, and nothing was added to
// that function.
function isDefined(value, definition) {
  return typeof value === 'function' && definition !== undefined
    && read(definition.source).text.includes(Function.prototype.toString.call(value))
    && Object.keys(value).length === 0;
}

// Undefined for what cannot be kept.
function written(value, room) {
  try {
    const text = JSON.stringify(encoder(room)(value, 0));
    return text.length <= room ? text : undefined;
  } catch {
    return undefined;
  }
}

// The number of characters that any value but a text counts for against the limit.
const MEMBER_CHARACTERS = 4;

// Counts what it goes through, because an object that stands in many places is written in each.
function encoder(room) {
  let left = room;
  return function encoded(value, depth) {
    left -= typeof value === 'string' ? value.length : MEMBER_CHARACTERS;
    if (left < 0 || depth > DEPTH_MAX) throw new RangeError('there is no room');
    const inner = (member) => encoded(member, depth + 1);
    const all = (members) => Array.from(members, inner);
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        if (Number.isFinite(value) && !Object.is(value, -0)) return value;
        return marked('number', Object.is(value, -0) ? '-0' : String(value));
      case 'undefined':
        return marked('undefined');
      case 'bigint':
        return marked('bigint', String(value));
      case 'object':
        break;
      default:
        throw new TypeError(`a ${typeof value} cannot be kept`);
    }
    if (value === null) return null;
    if (Array.isArray(value)) return all(value);
    if (value instanceof Media) return marked('media', [value.mediaType, value.data.toBase64()]);
    if (value instanceof Uint8Array) return marked('bytes', value.toBase64());
    if (value instanceof Date) return marked('date', inner(value.getTime()));
    if (value instanceof RegExp) return marked('regexp', [value.source, value.flags]);
    if (value instanceof Map) return marked('map', all(value));
    if (value instanceof Set) return marked('set', all(value));
    if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) throw new TypeError('its class would be lost');
    const members = Object.entries(value);
    if (Object.hasOwn(value, MARK)) return marked('object', all(members));
    return Object.fromEntries(members.map(([name, member]) => [name, inner(member)]));
  };
}

function marked(kind, of) {
  return { [MARK]: kind, of };
}

const DECODERS = {
  number: Number,
  undefined: () => undefined,
  bigint: BigInt,
  media: ([mediaType, data]) => new Media(mediaType, Uint8Array.fromBase64(data)),
  bytes: (data) => Uint8Array.fromBase64(data),
  date: (time) => new Date(decoded(time)),
  regexp: ([source, flags]) => new RegExp(source, flags),
  map: (entries) => new Map(entries.map(decoded)),
  set: (members) => new Set(members.map(decoded)),
  object: (entries) => Object.fromEntries(entries.map(decoded)),
};

function decoded(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(decoded);
  if (Object.hasOwn(value, MARK)) return DECODERS[value[MARK]](value.of);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decoded(member)]));
}
