// Replies of tools as plain JavaScript values.

/** The reply that the native module tells of; binary parts stand in `blobs`. */
export function reply(told, blobs) {
  const content = told.content.map((part) => withData(part, blobs));
  const { text, structured, next, usage } = told;
  return { value: value(structured, content), text, content, structured, next, usage };
}

function withData({ blob, ...part }, blobs) {
  return blob === undefined ? part : { ...part, data: blobs[blob] };
}

/** The structured value if there is one, else the text, the one part, or the list of parts. */
function value(structured, content) {
  if (structured !== undefined) {
    return structured;
  }
  const forCaller = content.filter((part) => !isNote(part));
  const values = forCaller.map((part) => (part.type === "text" ? part.text : part));
  return values.length === 1 ? values[0] : values.length === 0 ? null : values;
}

/** A note for the model and nobody else. */
function isNote({ audience }) {
  return audience?.length === 1 && audience[0] === "assistant";
}
