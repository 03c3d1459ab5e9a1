// Makes the toolbox's functions callable from JavaScript.

import { fromJson, Media, toJson } from './values.js';

/** A function of the toolbox failed; the message says why and how to call it again. */
export class ToolError extends Error {
  name = 'ToolError';
}

/** The functions of a toolbox by name. */
export function functionsOf(toolbox) {
  return Object.fromEntries(toolbox.listFunctions().map((entry) => [entry.name, functionOf(toolbox, entry)]));
}

function functionOf(toolbox, { name, inputSchema }) {
  const names = Object.keys(JSON.parse(inputSchema).properties ?? {});
  const call = (...values) => {
    const [first] = values;
    const isNamed = values.length === 1 && first !== null && typeof first === 'object'
      && Object.getPrototypeOf(first) === Object.prototype;
    if (values.length > names.length && !isNamed) {
      throw new TypeError(`${name}() takes ${names.length} arguments: ${names.join(', ')}`);
    }
    const named = isNamed ? first : Object.fromEntries(values.map((value, at) => [names[at], value]));
    return called(toolbox, name, named);
  };
  return Object.defineProperty(call, 'name', { value: name });
}

function called(toolbox, name, values) {
  const text = toJson(values);
  let reply;
  try {
    reply = toolbox.call(name, text);
  } catch (error) {
    // The error side of a `result`, which the engine wraps.
    const { message, fix } = error.payload;
    throw new ToolError(`${name}: ${message}${fix ? `; ${fix}` : ''}`);
  }
  return answerOf(reply);
}

// A reply as one value: the structured one, the only part, or all parts.
function answerOf({ structured, content }) {
  if (typeof structured === 'string') return fromJson(structured);
  const parts = content.map(({ body }) => partOf(body));
  return parts.length === 1 ? parts[0] : parts;
}

function partOf({ tag, val }) {
  switch (tag) {
    case 'image':
    case 'audio':
      return new Media(val.mediaType, val.data);
    case 'link':
      return val.uri;
    case 'resource':
      return val.contents.tag === 'text' ? val.contents.val : new Media(val.mediaType, val.contents.val);
    default:
      return val;
  }
}
