// Rewrites code so that a plain `eval` runs it, and finds its last value and its definitions.
// What it declares outside of functions becomes global, where later code finds it, and asynchronous
// functions become functions that answer with a promise (`promise.js`). Lines stay where they are.

import { parse as parseScript } from 'acorn';

/** What the rewritten code calls; whoever runs it puts them there. */
export const AWAITED = '__awaited';
export const PROMISED = '__promised';
export const EACH = '__each';

/**
 * Reads `code`: the `text` to evaluate, the `value` that it has (`{ isExpression }`, `{ name }`, or
 * nothing), and its `definitions`, the functions and classes that a text brings back, by name.
 * Throws the parser's SyntaxError, which has a `loc`.
 */
export function read(code) {
  const tree = parseScript(code, { ecmaVersion: 'latest', sourceType: 'script', allowAwaitOutsideFunction: true });
  const edits = [];
  for (const statement of tree.body) declareGlobally(statement, edits);
  rewrite(tree, code, edits);
  return { text: applied(edits, code), value: valueOf(tree.body), definitions: definitionsIn(tree.body, code) };
}

function replace(edits, start, length, text) {
  edits.push({ start, end: start + length, text });
}

function insert(edits, at, text) {
  replace(edits, at, 0, text);
}

// Of several edits at one place the first stays first: what is outside is opened before and closed
// after what is inside.
function applied(edits, code) {
  const parts = [];
  let end = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    parts.push(code.slice(end, edit.start), edit.text);
    end = edit.end;
  }
  parts.push(code.slice(end));
  return parts.join('');
}

// `eval` makes only `var` and functions global, and nothing in strict code.
function declareGlobally(statement, edits) {
  if (statement.type === 'VariableDeclaration' && ['const', 'let'].includes(statement.kind)) {
    replace(edits, statement.start, statement.kind.length, 'var');
    for (const { id, init, end } of statement.declarations) {
      if (!init) insert(edits, end, ' = undefined');
    }
  }
  if (statement.type === 'ClassDeclaration') {
    insert(edits, statement.start, `var ${statement.id.name} = `);
    insert(edits, statement.end, ';');
  }
  if (statement.directive === 'use strict') replace(edits, statement.start, statement.end - statement.start, ';');
}

function rewrite(node, code, edits) {
  const close = opened(node, code, edits);
  for (const child of children(node)) rewrite(child, code, edits);
  close?.();
}

// Makes the edits where `node` begins; what it returns makes those where it ends.
function opened(node, code, edits) {
  switch (node.type) {
    case 'AwaitExpression':
      replace(edits, node.start, 'await'.length, `${AWAITED}(`);
      return () => insert(edits, node.end, ')');
    case 'ForOfStatement':
      if (!node.await) return undefined;
      replace(edits, code.indexOf('await', node.start), 'await'.length, '');
      insert(edits, node.right.start, `${EACH}(`);
      insert(edits, node.right.end, ')');
      return undefined;
    case 'MethodDefinition':
    case 'Property':
      if (node.value?.async && (node.method || node.type === 'MethodDefinition')) {
        replace(edits, code.slice(0, node.key.start).lastIndexOf('async'), 'async'.length, '');
      }
      return undefined;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.async ? openedFunction(node, code, edits) : undefined;
    case 'ImportExpression':
      throw fault(node, 'there are no modules to import');
    default:
      return undefined;
  }
}

function openedFunction(node, code, edits) {
  if (code.startsWith('async', node.start)) replace(edits, node.start, 'async'.length, '');
  // What a generator yields is awaited by whoever goes through it.
  if (node.generator) return undefined;
  const { body } = node;
  if (body.type === 'BlockStatement') {
    // An arrow function has the `this`, `arguments` and `super` of the function around it.
    insert(edits, body.start + 1, `return ${PROMISED}(() => {`);
    return () => insert(edits, body.end - 1, '})');
  }
  insert(edits, body.start, `${PROMISED}(() => (`);
  return () => insert(edits, body.end, '))');
}

function* children(node) {
  for (const member of Object.values(node)) {
    for (const child of Array.isArray(member) ? member : [member]) {
      if (typeof child?.type === 'string') yield child;
    }
  }
}

function valueOf(statements) {
  const last = statements.findLast(({ type }) => type !== 'EmptyStatement');
  if (last?.type === 'ExpressionStatement') return { isExpression: true };
  const declared = last?.type === 'VariableDeclaration' ? last.declarations.at(-1).id : undefined;
  return declared?.type === 'Identifier' ? { name: declared.name } : undefined;
}

function definitionsIn(statements, code) {
  const found = new Map();
  for (const statement of statements) {
    const source = code.slice(statement.start, statement.end);
    if (statement.type === 'FunctionDeclaration') found.set(statement.id.name, { source });
    if (statement.type === 'ClassDeclaration' && runsNothing(statement)) {
      found.set(statement.id.name, { source, base: statement.superClass?.name });
    }
    for (const { id, init } of statement.declarations ?? []) {
      const isFunction = ['ArrowFunctionExpression', 'FunctionExpression'].includes(init?.type);
      if (id.type === 'Identifier' && (isFunction || (init?.type === 'ClassExpression' && runsNothing(init)))) {
        const source = `const ${id.name} = ${code.slice(init.start, init.end)}`;
        found.set(id.name, { source, base: init.superClass?.name });
      }
    }
  }
  return found;
}

// True if the class can be evaluated again without running any other code.
function runsNothing({ superClass, body }) {
  return (!superClass || superClass.type === 'Identifier') && body.body.every(
    (member) => member.type !== 'StaticBlock' && !member.computed
      && !(member.type === 'PropertyDefinition' && member.static && member.value),
  );
}

function fault(node, message) {
  return Object.assign(new SyntaxError(message), { pos: node.start });
}
