// Calls plain functions with values that came as JSON. Programs of `tool build` are given it.

import { settled } from "../web/promise.js";
import { traced } from "../trace.js";

/**
 * The result of a function that `run` calls, as JSON says a `result` of WIT, once its promise is
 * settled. Whatever it throws is for the agent to read, and its trace for the author.
 */
export function call(run, answer) {
  try {
    return { ok: answer(settled(run())) };
  } catch (error) {
    if (!(error instanceof Error)) {
      return { err: asAny(error) };
    }
    console.error(traced(error));
    return { err: described(error) };
  }
}

function described({ name, message, cause }) {
  const parts = [name, message, cause instanceof Error ? cause.message : ""];
  return parts.filter(Boolean).join(": ");
}

export function maybe(value, taken) {
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

export const asText = exactly("string");
export const asTruth = exactly("boolean");
const asReal = exactly("number");

/** A number, or the name of one that JSON cannot write. */
export function asNumber(value) {
  return Number.isFinite(asReal(value)) ? value : String(value);
}

// Integers of 64 bits are numbers here, so only those that a number holds exactly can be returned.
export function asInteger(value) {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (!Number.isSafeInteger(number)) {
    const found = typeof value === "number" || typeof value === "bigint" ? value : asJson(value);
    throw new RangeError(`the function returned ${found} where its type says an integer, which is a whole number between -(2^53 - 1) and 2^53 - 1`);
  }
  return number;
}

export function asJson(value) {
  return JSON.stringify(value) ?? "null";
}

export function asAny(value) {
  return typeof value === "string" ? value : asJson(value);
}

export function asCase(value, cases) {
  if (!cases.includes(value)) {
    throw new RangeError(`the function returned ${asJson(value)}, which is not one of its values`);
  }
  return value;
}
