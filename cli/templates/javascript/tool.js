// The tool {{name}}, which greets people.

const greetings = {
  en: (name) => `Hello, ${name}!`,
  de: (name) => `Hallo, ${name}!`,
  fr: (name) => `Bonjour, ${name} !`,
};

export const functions = {
  greet(name, language) {
    const code = language ?? "en";
    if (!Object.hasOwn(greetings, code)) {
      // An agent reads this: say what was wrong and what would have been right.
      throw `\`${code}\` is not a language I speak; use en, de or fr`;
    }
    return greetings[code](name);
  },
};
