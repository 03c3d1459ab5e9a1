// Offers the functions of {{file}} to agents. `tool build` writes this for each build.

import * as source from {{path}};

// Calls a function. Whatever it throws is for the agent to read.
function call(run, answer) {
  try {
    const value = run();
    if (typeof value?.then === "function") {
      throw new TypeError("the function returned a promise, and a tool in JavaScript cannot wait");
    }
    return answer(value);
  } catch (error) {
    if (error instanceof Error) {
      throw error.message ? `${error.name}: ${error.message}` : error.name;
    }
    throw asAny(error);
  }
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

function asInteger(value) {
  return BigInt(value);
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
