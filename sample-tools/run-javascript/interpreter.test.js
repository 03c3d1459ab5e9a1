// Tests of running code: its value, its errors, and what is kept for the next run.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { functionsOf } from './functions.js';
import * as interpreter from './interpreter.js';
import { STATE_CHARACTERS_MAX } from './state.js';
import { fromJson, Media, plain, shown, toJson } from './values.js';

// What the engine of the component has, and Node has not yet.
Uint8Array.fromBase64 ??= (text) => new Uint8Array(Buffer.from(text, 'base64'));
Uint8Array.prototype.toBase64 ??= function toBase64() {
  return Buffer.from(this).toString('base64');
};

// Runs code and puts the global scope in order, which a component that runs once need not.
function run(code, { state, variables = {}, functions = {} } = {}) {
  const before = new Map(['console', 'Promise'].map((name) => [name, globalThis[name]]));
  const names = new Set(Object.getOwnPropertyNames(globalThis));
  try {
    return interpreter.run(code, variables, functions, state);
  } finally {
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (!names.has(name)) delete globalThis[name];
    }
    for (const [name, value] of before) globalThis[name] = value;
  }
}

function check(code, expected) {
  const { hasValue, value } = run(code);
  assert.deepEqual(hasValue ? value : undefined, expected, code);
}

function checkFails(code, ...said) {
  assert.throws(() => run(code), (error) => {
    assert.ok(error instanceof interpreter.CodeError, error.stack);
    assert.equal(error.message, said.join('\n'));
    return true;
  }, code);
}

// What is left of variables in the next run.
function checkKept(code, next, expected) {
  const { state, lost } = run(code, { state: '' });
  assert.deepEqual(lost, [], code);
  assert.deepEqual(run(next, { state }).value, expected, code);
}

function checkLost(code, ...names) {
  const { state, lost } = run(`${code}\nvar other = 1;`, { state: '' });
  assert.deepEqual(lost, names, code);
  assert.equal(run('other', { state }).value, 1);
}

test('the last statement has the value', () => {
  check('1 + 1', 2);
  check('const a = 2\na * 3', 6);
  check('let a = 2', 2);
  check('var a = 1, b = 2;;', 2);
  check('var a; a = 5', 5);
  check('const { a, b: [c] } = { a: 1, b: [2] };\na + c', 3);
  check('const { a } = { a: 1 }', undefined);
  check('for (const n of [1]) n', undefined);
  check('function f() { return 1 }', undefined);
  check('console.log(1)', undefined);
  check('null', null);
  check('"use strict"; const a = 1; a', 1);
  check('', undefined);
});

test('what is asynchronous comes to its end', () => {
  check('await 1', 1);
  check('const f = async () => 1;\nconst a = await f() + await f();', 2);
  check('const f = async (a) => ({ a });\nf(1)', { a: 1 });
  check('async function f(n) { await null; return n * 2 }\n(await Promise.all([f(1), f(2)])).join()', '2,4');
  check('class A { #n = 1; async m() { return this.#n + arguments.length } static async s() { return 2 } }\n'
    + '[await new A().m(0), await A.s()]', [2, 2]);
  check('const o = { async m() { await 1; return [1].map(async (n) => n + this.n) }, n: 1 };\n'
    + 'await Promise.all(await o.m())', [2]);
  check('async function* g() { yield await 1; yield Promise.resolve(2) }\nconst all = [];\n'
    + 'for await (const n of g()) all.push(n);\nall', [1, 2]);
  check('let a = 0; for await (const n of [Promise.resolve(1), 2]) a += n;\na', 3);
  check('let a; try { await Promise.reject(new Error("x")) } catch (error) { a = error.message } finally { a += 1 }\na', 'x1');
  check('await Promise.reject(1).catch((n) => n + 1).finally(() => 5)', 2);
  check('const all = []; Promise.resolve(2).then((n) => all.push(n)); all.push(1); all', [1, 2]);
  check('(await Promise.allSettled([Promise.reject(1), 2])).map((it) => it.status).join()', 'rejected,fulfilled');
  check('let go; const p = new Promise((resolve) => { go = resolve }); go(7); await p', 7);
  check('await { then: (resolve) => resolve(3) }', 3);
  check('Promise.resolve(1) instanceof Promise', true);
});

test('what is printed is bounded', () => {
  assert.equal(run("console.log('a', 1, { b: [null] }); console.error(new TypeError('x'))").printed, 'a 1 {"b":[null]}\nTypeError: x\n');
  const { printed } = run("for (let n = 0; n < 100; n++) console.log('x'.repeat(1000))");
  assert.equal(printed.length, interpreter.PRINTED_CHARACTERS_MAX + '\n[the rest was cut off]\n'.length);
});

test('values are shown in JSON where it has them', () => {
  assert.equal(shown(new Map([['a', new Set([1n])]])), '{"a":["1"]}');
  assert.equal(shown([() => 1, NaN, new Uint8Array(3)]), '["[function ]","NaN","[3 bytes]"]');
  assert.equal(shown(undefined), 'undefined');
  const round = {};
  round.round = round;
  assert.equal(shown(round), '[object Object]');
  assert.deepEqual(plain({ a: new Date(0), b: undefined }), { a: '1970-01-01T00:00:00.000Z' });
});

test('pictures and sounds go through JSON', () => {
  const media = new Media('image/png', [1, 2, 3]);
  const text = '{"a":[{"media_type":"image/png","data":"AQID"}]}';
  assert.deepEqual(fromJson(text), { a: [media] });
  assert.equal(toJson({ a: [media] }), text);
  assert.equal(shown(media), '<image/png, 3 bytes>');
  for (const value of [() => 1, Infinity, Promise.resolve(1)]) assert.throws(() => toJson({ value }), TypeError);
});

test('functions of a toolbox take one object or values in order', () => {
  const calls = [];
  const toolbox = {
    listFunctions: () => [{ name: 'add', inputSchema: '{"properties": {"a": {}, "b": {}}}' }],
    call(name, text) {
      calls.push(text);
      if (text === '{}') throw Object.assign(new Error(), { payload: { message: 'nothing to add', fix: 'give `a`' } });
      return { content: [{ body: { tag: 'text', val: 'done' } }, { body: { tag: 'image', val: { mediaType: 'image/png', data: [1] } } }] };
    },
  };
  const functions = functionsOf(toolbox);
  assert.deepEqual(run('await add({ a: 1 })', { functions }).value, ['done', new Media('image/png', [1])]);
  run('add(1, new Media("image/png", []))', { functions });
  run('add([1])', { functions });
  assert.deepEqual(calls, ['{"a":1}', '{"a":1,"b":{"media_type":"image/png","data":""}}', '{"a":[1]}']);
  assert.throws(() => run('add()', { functions }), /ToolError: add: nothing to add; give `a`\nin line 1: add\(\)/);
  assert.throws(() => run('add(1, 2, 3)', { functions }), /TypeError: add\(\) takes 2 arguments: a, b/);
  assert.equal(run('let said; try { add() } catch (error) { said = error.message }\nsaid', { functions }).value, 'add: nothing to add; give `a`');
});

test('errors tell the line', () => {
  checkFails('const a = 1\na.b.c', "TypeError: Cannot read properties of undefined (reading 'c')", 'in line 2: a.b.c');
  checkFails('const a = (1', 'SyntaxError: Unexpected token', 'in line 1: const a = (1');
  checkFails('function f() {\n  return x\n}\nf()', 'ReferenceError: x is not defined', 'in line 2: return x');
  checkFails('const f = async () => {\n  throw new Error("a")\n};\nawait f()', 'Error: a', 'in line 2: throw new Error("a")');
  checkFails('1;\nimport("fs")', 'SyntaxError: there are no modules to import', 'in line 2: import("fs")');
  checkFails('throw { a: 1 }', 'thrown: {"a":1}');
  checkFails('console.log("so far")\nx', 'ReferenceError: x is not defined', 'in line 2: x', 'Printed before that:', 'so far\n');
});

test('a promise that is forgotten fails, and one that nothing settles', () => {
  checkFails('Promise.reject(new TypeError("a"));\n2', 'TypeError: a', 'in line 1: Promise.reject(new TypeError("a"));');
  checkFails('1\nawait new Promise(() => {})', 'Error: the code waits for a promise that nothing settles', 'in line 2: await new Promise(() => {})');
});

test('variables, functions and classes are kept', () => {
  checkKept('const a = [1, { b: null, $: 2 }], d = new Date(5), n = [NaN, -0, 3n, undefined];', '[a, d, n]',
    [[1, { b: null, $: 2 }], new Date(5), [NaN, -0, 3n, undefined]]);
  checkKept('const m = new Map([[1, new Set("ab")]]), r = /a+/g;', '[m.get(1).size, r.flags]', [2, 'g']);
  checkKept('const p = new Media("image/png", [7]);', 'p instanceof Media && p.data[0]', 7);
  checkKept('let n = 1; function up() { return ++n }', 'up(); n', 2);
  checkKept('const twice = (n) => 2 * n, later = async (n) => twice(await n);', '[twice(1), await later(2)]', [2, 4]);
  checkKept('async function f() { return 1 }\nfunction* g() { yield 2 }', '[await f(), ...g()]', [1, 2]);
  checkKept('class A { n = 1; async m() { return this.n } }\nclass B extends A {}\nconst C = class extends Error {};',
    '[await new B().m(), new C("x").message]', [1, 'x']);
  checkKept('a = 1;', 'a', 1);
});

test('a name may be declared again', () => {
  const first = run('const a = 1; let b = 5; const f = () => 1;', { state: '' });
  const second = run('const a = 2; let b; const f = (n) => n;\n[a, b, f(3)]', { state: first.state });
  assert.deepEqual(second.value, [2, undefined, 3]);
  assert.deepEqual(run('f(4)', { state: second.state }).value, 4);
});

test('what cannot be kept is named', () => {
  checkLost('const s = Symbol();', 's');
  checkLost('class A { #n = 1 }\nconst a = new A();', 'a');
  checkLost('class A { static n = console.log(1) }', 'A');
  checkLost('const A = makes(); class B extends A {}\nfunction makes() { return class {} }', 'A', 'B');
  checkLost('const o = { f() {} };', 'o');
  checkLost('function f() {}\nf.count = 1;', 'f');
  checkLost('let f = () => 1;\nf = ((n) => () => n)(2);', 'f');
  checkLost('const a = []; a.push(a);', 'a');
  checkLost('let a = [1]; for (let n = 0; n < 60; n++) a = [a, a];', 'a');
  checkLost(`const a = 'x'.repeat(${STATE_CHARACTERS_MAX});`, 'a');
});

test('errors in earlier code tell where it was called', () => {
  const { state } = run('function f() {\n\n  return x\n}', { state: '' });
  assert.throws(() => run('1\nf()', { state }), /^Error: ReferenceError: x is not defined\nin line 2: f\(\)$/);
});

test('functions of the toolbox are not kept', () => {
  const functions = { add: (n) => n };
  const { state, lost } = run('const a = add(1);', { state: '', functions });
  assert.deepEqual(lost, []);
  assert.throws(() => run('add(1)', { state }), /add is not defined/);
});

test('given variables are kept', () => {
  const { state } = run('n + 1', { state: '', variables: { n: 1 } });
  assert.equal(run('n', { state }).value, 1);
});
