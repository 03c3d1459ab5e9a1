// Finds the places in a JSON value whose key or scalar value contains a text.

import { cut, Refusal } from './text.js';

const VALUE_CHARACTERS_MAX = 200;

/** The first `limit` places whose key or scalar value contains `text`, in document order. */
export function find(value, text, limit) {
  if (text === '') throw new Refusal('`text` is empty; pass what to search for, or call `shape` for the structure');
  const wanted = text.toLowerCase();
  const found = [];
  const stack = [{ value, key: '', pointer: '' }];
  while (stack.length > 0 && found.length < limit) {
    const { value: current, key, pointer } = stack.pop();
    const isScalar = current === null || typeof current !== 'object';
    if (contains(key, wanted) || (isScalar && contains(String(current), wanted))) {
      found.push({ pointer, value: shown(current) });
    }
    if (!isScalar) {
      const entries = Array.isArray(current) ? current.map((item, index) => ['', item, index]) : Object.entries(current);
      for (const [name, item, index] of entries.reverse()) {
        stack.push({ value: item, key: name, pointer: `${pointer}/${index ?? escape(name)}` });
      }
    }
  }
  return found;
}

function contains(text, wanted) {
  return text.toLowerCase().includes(wanted);
}

function shown(value) {
  return cut(JSON.stringify(value), VALUE_CHARACTERS_MAX);
}

function escape(name) {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
