// Writes a function's description and JSON Schemas as the JSDoc that the command reads.

import { ToolHubError } from "./errors.js";

/** The types that JSDoc has words for. An integer is given as a number all the same. */
const WORDS = { string: "string", number: "number", integer: "bigint", boolean: "boolean" };

/** The lines of documentation above the function that `definition` describes. */
export function documented({ name, description, inputSchema = {}, outputSchema }) {
  const typedefs = [];
  const inputs = Object.entries(inputSchema.properties ?? {}).map(([input, schema]) => {
    const type = typed(schema, `${name}_${input}`, typedefs);
    return member("@param", type, input, schema, inputSchema);
  });
  const returned = outputSchema && typed(outputSchema, `${name}_result`, typedefs);
  const output = returned ? [`@returns {${returned}} ${line(outputSchema.description)}`] : [];
  return [...typedefs.flat(), ...comment([...lines(description), "", ...inputs, ...output])];
}

/** The type of a schema. Objects get a definition of their own, called after their `place`. */
function typed(schema, place, typedefs) {
  if (schema.enum?.every((it) => typeof it === "string")) {
    return schema.enum.map((it) => JSON.stringify(it)).join(" | ");
  }
  if (schema.type === "array" && schema.items) {
    const items = typed(schema.items, place, typedefs);
    return items.includes("|") ? `(${items})[]` : `${items}[]`;
  }
  if (schema.type === "object" && schema.properties) {
    const words = place.split(/[^A-Za-z0-9]+/).filter(Boolean);
    const type = words.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
    const properties = Object.entries(schema.properties).map(([key, value]) =>
      member("@property", typed(value, `${place}_${key}`, typedefs), key, value, schema),
    );
    typedefs.push(comment([...lines(schema.description), `@typedef {object} ${type}`, ...properties]));
    return type;
  }
  if (WORDS[schema.type]) {
    return WORDS[schema.type];
  }
  throw new ToolHubError(
    `${place}: expected a schema of type string, number, integer, boolean, array with \`items\` or object with ` +
      `\`properties\`, or an \`enum\` of strings, found ${JSON.stringify(schema)}`,
  );
}

function member(tag, type, name, schema, parent) {
  const shown = parent.required?.includes(name) ? name : `[${name}]`;
  return `${tag} {${type}} ${shown} - ${line(schema.description)}`;
}

function comment(texts) {
  return ["/**", ...texts.map((text) => ` * ${text}`.trimEnd()), " */"];
}

/** Text that ends no comment. */
function lines(text = "") {
  return text.replaceAll("*/", "*\\/").split("\n");
}

function line(text) {
  return lines(text).join(" ").trim();
}
