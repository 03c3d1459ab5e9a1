// Evaluates JMESPath expressions, and says where and why one fails, and how to correct it.

import jmespath from 'jmespath';

import { cut, Refusal } from './text.js';

const EXPRESSION_CHARACTERS_MAX = 4096;
// The library calls itself for every link of a chain, on the small stack of a component.
const TOKENS_MAX = 300;
const DEPTH_MAX = 64;
const FUNCTIONS = [
  'abs', 'avg', 'ceil', 'contains', 'ends_with', 'floor', 'join', 'keys', 'length', 'map', 'max',
  'max_by', 'merge', 'min', 'min_by', 'not_null', 'reverse', 'sort', 'sort_by', 'starts_with',
  'sum', 'to_array', 'to_number', 'to_string', 'type', 'values',
];

/** Evaluates `expression` on `value`; what is not found is `null`. */
export function query(value, expression) {
  if (expression.length > EXPRESSION_CHARACTERS_MAX) {
    throw new Refusal(`\`expression\` is longer than ${EXPRESSION_CHARACTERS_MAX} characters; query in steps`);
  }
  if (expression.trim() === '') {
    throw new Refusal('`expression` is empty; write a JMESPath such as `people[0].name`, or `@` for the whole text');
  }
  const tokens = tokenize(expression);
  if (tokens.length > TOKENS_MAX) {
    throw new Refusal(`\`expression\` has more than ${TOKENS_MAX} names, numbers and signs; query in steps`);
  }
  checkDepth(tokens);
  checkDots(expression, tokens);
  try {
    jmespath.compile(expression);
  } catch (error) {
    throw new Refusal(describe(expression, tokens, error.message));
  }
  try {
    return jmespath.search(value, expression) ?? null;
  } catch (error) {
    throw new Refusal(`\`expression\` cannot be evaluated: ${evaluationFault(error.message)}`);
  }
}

function tokenize(expression) {
  try {
    return jmespath.tokenize(expression);
  } catch (error) {
    const unknown = /^Unknown character:(.*)$/s.exec(error.message)?.[1];
    const position = unknown === undefined ? 0 : expression.indexOf(unknown);
    const fix = {
      $: 'JMESPath begins at the whole text without `$`: write `people[0]`',
      '=': 'compare with `==`',
      '/': 'separate the parts of a path with `.`',
      '+': 'JMESPath does not calculate; use `sum`, `avg` or `join`',
    }[unknown] ?? 'strings stand in single quotes, numbers in backticks, odd names in double quotes';
    throw new Refusal(place(expression, position, unknown === undefined ? error.message : 'this character means nothing here', fix));
  }
}

// The parser calls itself for every bracket.
function checkDepth(tokens) {
  let depth = 0;
  for (const { type, start } of tokens) {
    if (['Lbracket', 'Lparen', 'Lbrace', 'Filter', 'Not', 'Expref'].includes(type)) depth += 1;
    if (['Rbracket', 'Rparen', 'Rbrace'].includes(type)) depth -= 1;
    if (depth > DEPTH_MAX) {
      throw new Refusal(`\`expression\` nests deeper than ${DEPTH_MAX} at position ${start + 1}; query in steps`);
    }
  }
}

// The parser takes `a..b` and `a.` for complete, and then stumbles over what is missing.
function checkDots(expression, tokens) {
  const dot = tokens.findIndex(({ type }, index) => type === 'Dot'
    && !['UnquotedIdentifier', 'QuotedIdentifier', 'Star', 'Lbracket', 'Lbrace'].includes(tokens[index + 1]?.type));
  if (dot < 0) return;
  const next = tokens[dot + 1];
  throw new Refusal(next === undefined
    ? place(expression, expression.length, 'the expression is not complete', 'name what to take behind the `.`, or remove it')
    : place(expression, next.start, 'this cannot follow a `.`', 'write a name behind it, or `*`, `[…]` or `{…}`'));
}

// The parser's errors do not say where. It reads from left to right, so the place is the last
// token of the shortest beginning of the expression that fails with the same message.
function describe(expression, tokens, message) {
  if (/\bEOF\b/.test(message)) {
    return place(expression, expression.length, 'the expression is not complete', 'close every bracket and finish the last part');
  }
  let least = 0;
  let most = tokens.length - 1;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (compileMessage(expression.slice(0, tokens[middle + 1]?.start ?? expression.length)) === message) most = middle;
    else least = middle + 1;
  }
  const token = tokens[least];
  // `first-name` reads as a name and a broken number.
  const fix = expression[token.start] === '-'
    ? 'names that contain `-` stand in double quotes: `"first-name"`'
    : syntaxFix(token, tokens[least - 1]);
  return place(expression, token.start, 'this does not fit here', fix);
}

function compileMessage(expression) {
  try {
    jmespath.compile(expression);
    return null;
  } catch (error) {
    return error.message;
  }
}

function syntaxFix(token, previous) {
  const compares = ['EQ', 'NE', 'GT', 'GTE', 'LT', 'LTE'].includes(previous?.type);
  if (token.type === 'Number' && compares) return `write the number in backticks: \`${token.value}\``;
  if (token.type === 'UnquotedIdentifier') {
    if (token.value === 'and') return 'write `&&`';
    if (token.value === 'or') return 'write `||`';
    if (token.value === 'not') return 'write `!`';
    return 'join the parts of a path with `.`, and put names with other characters in double quotes: `"first-name"`';
  }
  if (token.type === 'Number') return 'indices stand in brackets: `items[0]`';
  if (token.type === 'Star') return 'write `[*]` for every item of a list, `.*` for every value of an object';
  return 'check the brackets and commas before this place';
}

function evaluationFault(message) {
  const unknown = /^Unknown function: (\w+)\(\)$/.exec(message)?.[1];
  if (unknown !== undefined) {
    return `there is no function \`${unknown}\`; use one of ${FUNCTIONS.join(', ')}`;
  }
  if (message.startsWith('TypeError')) {
    const received = /received type (\w+)/.exec(message)?.[1];
    const fix = received === 'null'
      ? 'the path found nothing there; look at the structure with `shape`, or use `not_null(path, `[]`)`'
      : 'convert with `to_string`, `to_number` or `to_array`, or choose another path';
    return `${message}; ${fix}`;
  }
  if (message.startsWith('ArgumentError')) return `${message}; give as many arguments as it takes`;
  return `${message}; try its parts one by one`;
}

function place(expression, position, what, fix) {
  const found = position < expression.length ? ` (${cut(expression.slice(position), 12)})` : '';
  return `\`expression\` is not valid at position ${position + 1}${found}: ${what}; ${fix}`;
}
