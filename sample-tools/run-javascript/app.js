// The entry point of `run-javascript`, which runs code that may call the toolbox's functions.
// It replies with what the code printed and its value. An object named like an interface implements
// it; an error of a `result` is thrown.

import { call, listFunctions } from 'tool-hub:tool/toolbox@0.1.0';

import { functionsOf } from './functions.js';
import { CodeError, run } from './interpreter.js';
import { fromJson, Media, plain, shown } from './values.js';

// What the engine's own bindings leave in the global scope.
delete globalThis.wit;
delete globalThis.__cqjs;

export const javascript = {
  run(code, variables, state) {
    const found = variables == null ? {} : objectOf(variables);
    try {
      return replyOf(run(code, found, functionsOf({ call, listFunctions }), state ?? undefined));
    } catch (error) {
      if (error instanceof CodeError) throw failure('code', error.message, 'mend the code and run it again');
      throw error;
    }
  },
};

function objectOf(variables) {
  let found;
  try {
    found = fromJson(variables);
  } catch (error) {
    throw failure('variables', `\`variables\` is no JSON: ${error.message}`);
  }
  if (found === null || typeof found !== 'object' || Array.isArray(found)) {
    throw failure('variables', '`variables` is no JSON object');
  }
  return found;
}

function replyOf({ printed, hasValue, value, state, lost }) {
  const content = printed ? [textOf(printed)] : [];
  if (hasValue) content.push(value instanceof Media ? mediaOf(value) : textOf(shown(value)));
  const structured = JSON.stringify({
    printed,
    value: hasValue ? plain(value) : undefined,
    state,
    lost: lost.length > 0 ? lost : undefined,
  });
  return { content, structured };
}

function textOf(text) {
  return { body: { tag: 'text', val: text } };
}

function mediaOf({ mediaType, data }) {
  const tag = mediaType.startsWith('audio/') ? 'audio' : 'image';
  return { body: { tag, val: { mediaType, data } } };
}

function failure(argument, message, fix) {
  return { kind: 'invalid-argument', message, fix, argument, retryable: false };
}
