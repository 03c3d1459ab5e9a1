// Offers the functions of {{file}} to agents. `tool build` writes this for each build.

import { settled } from "tool-hub-web/promise.js";
import * as source from {{path}};

// Calls a function, and waits for what it promises. Whatever it throws is for the agent to read.
function call(run, answer) {
  try {
    return answer(settled(run()));
  } catch (error) {
    throw error instanceof Error ? described(error) : asAny(error);
  }
}

function described({ name, message, cause }) {
  const parts = [name, message, cause instanceof Error ? cause.message : ""];
  return parts.filter(Boolean).join(": ");
}

function maybe(value, taken) {
  return value === undefined || value === null ? undefined : taken(value);
}

function exactly(type) {
  return (value) => {
    if (typeof value !== type) {
      throw new TypeError(`the function returned ${value === null ? "null" : typeof value} where its type says ${type}`);
    }
    return value;
  };
}

const asText = exactly("string");
const asNumber = exactly("number");
const asTruth = exactly("boolean");

// Integers of 64 bits are numbers here, so only those that a number holds exactly can be returned.
function asInteger(value) {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (!Number.isSafeInteger(number)) {
    const found = typeof value === "number" || typeof value === "bigint" ? value : asJson(value);
    throw new RangeError(`the function returned ${found} where its type says an integer, which is a whole number between -(2^53 - 1) and 2^53 - 1`);
  }
  return number;
}

function asJson(value) {
  return JSON.stringify(value) ?? "null";
}

function asAny(value) {
  return typeof value === "string" ? value : asJson(value);
}

function asCase(value, cases) {
  if (!cases.includes(value)) {
    throw new RangeError(`the function returned ${asJson(value)}, which is not one of its values`);
  }
  return value.replaceAll("_", "-");
}

export const functions = {
{{functions}}
};
