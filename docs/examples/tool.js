// An example tool: draws a picture, reads one, and fails with advice.

const fills = { red: "#f00", blue: "#00f" };

export const dots = {
  draw(colour) {
    if (!Object.hasOwn(fills, colour)) {
      throw {
        kind: "invalid-argument",
        message: `\`${colour}\` is no colour of mine`,
        fix: "use `red` or `blue`",
        argument: "colour",
        retryable: false,
      };
    }
    const text =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">' +
      `<circle cx="4" cy="4" r="4" fill="${fills[colour]}"/></svg>`;
    const data = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return { mediaType: "image/svg+xml", data };
  },

  lookAt(picture) {
    const bytes = picture.data.length;
    const text = `${bytes} bytes of ${picture.mediaType}`;
    return {
      content: [{ body: { tag: "text", val: text } }],
      structured: JSON.stringify({ bytes }),
      next: "Draw another one with `draw`.",
    };
  },
};
