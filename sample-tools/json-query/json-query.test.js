// Tests of the exports of `json-query`, called in Node.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { queries } from './app.js';

const PEOPLE = JSON.stringify({
  people: [
    { name: 'Ada', age: 36, tags: ['maths'], 'first-seen': '1815' },
    { name: 'Bob', age: 29, tags: [] },
    { name: 'Cyd', age: 41, tags: ['music', 'maths'] },
  ],
});

function check(expression, expected) {
  assert.deepEqual(JSON.parse(queries.query(PEOPLE, expression)), expected, expression);
}

function refusal(call) {
  try {
    call();
  } catch (error) {
    assert.equal(typeof error, 'string', error?.stack);
    return error;
  }
  assert.fail('the call succeeded');
}

function checkRefused(expression, ...parts) {
  const message = refusal(() => queries.query(PEOPLE, expression));
  for (const part of parts) assert.ok(message.includes(part), `${expression}: ${message}`);
}

function checkBroken(json, ...parts) {
  const message = refusal(() => queries.query(json, '@'));
  for (const part of parts) assert.ok(message.includes(part), `${json}: ${message}`);
}

test('expressions', () => {
  check('people[0].name', 'Ada');
  check('people[*].name', ['Ada', 'Bob', 'Cyd']);
  check('people[?age > `30`].name', ['Ada', 'Cyd']);
  check('people[].{n: name, a: age} | [0]', { n: 'Ada', a: 36 });
  check('length(people)', 3);
  check('sort_by(people, &age)[-1].name', 'Cyd');
  check('people[0]."first-seen"', '1815');
  check("people[?contains(tags, 'maths')].name", ['Ada', 'Cyd']);
  check('nobody', null);
  check('@.people[1].tags', []);
});

test('the result is one line or indented', () => {
  assert.equal(queries.query('{"a": [1, 2]}', 'a'), '[1,2]');
  assert.equal(queries.query('{"a": [1]}', 'a', 2), '[\n  1\n]');
  assert.match(refusal(() => queries.query('{}', '@', 9)), /`indent` is 9; use 0 to 8/);
});

test('expressions that fail say where and why', () => {
  checkRefused('', 'is empty');
  checkRefused('$.people', 'position 1 ($.people)', 'without `$`');
  checkRefused('people[?age > 30].name', 'position 15 (30].name)', 'backticks: `30`');
  checkRefused("people[?name == 'Ada' and age == `1`]", 'position 23 (and age == `…)', '`&&`');
  checkRefused('people[0', 'position 9', 'not complete');
  checkRefused('people[0].first-name', 'position 16', 'double quotes');
  checkRefused('people name', 'position 8 (name)', 'join the parts');
  checkRefused('people..name', 'position 8 (.name)', 'cannot follow');
  checkRefused('people.', 'position 8', 'not complete');
  checkRefused('size(people)', 'no function `size`', 'length');
  checkRefused('length(nobody)', 'received type null', '`shape`');
  checkRefused('length(people[0].age)', 'length() expected argument 1', 'to_string');
  checkRefused('join(people)', 'join()', 'as many arguments');
  checkRefused(`${'['.repeat(100)}`, 'nests deeper than 64');
  checkRefused('a'.repeat(5000), 'longer than 4096');
  checkRefused(`a${'.a'.repeat(400)}`, 'more than 300');
});

test('JSON that is broken says where and why', () => {
  checkBroken('', 'line 1, column 1', 'the text ends');
  checkBroken('{"a": 1,}', 'line 1, column 9', 'remove the comma');
  checkBroken('{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3', '`,` or `}`');
  checkBroken("{'a': 1}", 'double quotes, not single');
  checkBroken('[1, 2', 'column 6', '`,` or `]`');
  checkBroken('[None]', 'Python');
  checkBroken('[01]', 'write numbers like');
  checkBroken('[1,]', 'remove the comma');
  checkBroken('"a\nb"', '`\\n`');
  checkBroken('"a\\d"', 'backslash');
  checkBroken('"abc', 'close it');
  checkBroken('{} {}', 'the end of the text');
  checkBroken('/data/people.json', 'pass the JSON text itself');
  checkBroken('{a: 1}', 'a key in double quotes');
  checkBroken('{"a" 1}', '`:` behind the key');
  checkBroken('['.repeat(1_000_000), 'nesting is limited to 500');
});

test('what the scanner takes, JSON.parse takes too', () => {
  for (const json of ['0', '-0.5e+3', 'true', ' [ ] ', '{"a":{}}', '"\\u00e9\\n"', '[[],{},null]', '{"__proto__": 1}']) {
    assert.deepEqual(JSON.parse(queries.query(json, '@')), JSON.parse(json), json);
  }
});

test('find gives pointers in the order of the text', () => {
  const found = queries.find(PEOPLE, 'MATHS');
  assert.deepEqual(found, [
    { pointer: '/people/0/tags/0', value: '"maths"' },
    { pointer: '/people/2/tags/1', value: '"maths"' },
  ]);
  assert.deepEqual(queries.find('{"a/b": {"c~d": 7}}', 'c~'), [{ pointer: '/a~1b/c~0d', value: '7' }]);
  assert.deepEqual(queries.find('null', 'null'), [{ pointer: '', value: 'null' }]);
  assert.equal(queries.find(PEOPLE, 'a', 2).length, 2);
  assert.equal(queries.find(JSON.stringify(['x'.repeat(500)]), 'x')[0].value.length, 201);
  assert.match(refusal(() => queries.find('{}', '')), /empty/);
  assert.match(refusal(() => queries.find('{}', 'a', 0)), /`limit` is 0/);
});

test('shape tells kinds and counts', () => {
  assert.deepEqual(queries.shape('[{"id": 1}, {"id": null}]'), [
    { path: '', kinds: ['array'], count: 1 },
    { path: '[]', kinds: ['object'], count: 2 },
    { path: '[].id', kinds: ['null', 'number'], count: 2 },
  ]);
  assert.deepEqual(queries.shape('{"a": {"b-c": {"d": true}}}', 2).map(({ path }) => path), ['', 'a', 'a."b-c"']);
  assert.equal(queries.shape(JSON.stringify(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`k${n}`, n])))).length, 500);
});
