// Parts that the adapters for agent frameworks share: choice of functions, media, approval.

import { Toolbox } from "../index.js";

/** All functions of a toolbox, of `Tools`, or of a list of functions. */
export async function functionsOf(source) {
  const tools = source instanceof Toolbox ? await source.tools() : source;
  return [...tools.values()];
}

/** By default a person is asked before a function that calls itself destructive. */
export function isDestructive(tool) {
  return tool.annotations.destructive === true;
}

/** True if a reply says more than text and data. */
export function hasMedia(reply) {
  return reply.content.some((part) => part.type !== "text");
}

/** A part for an interface that takes text and pictures, by the maker of each. */
export function shown(part, { text, picture }) {
  switch (part.type) {
    case "text":
      return text(part.text);
    case "image":
      return picture(part);
    case "audio":
      return text(`[a sound that cannot be shown here: ${part.mediaType}, ${part.data.length} bytes]`);
    case "link":
      return text(`[${part.name} at ${part.uri}]`);
    default:
      return text(part.text ?? `[a file that cannot be shown here: ${part.data?.length ?? 0} bytes]`);
  }
}
