// Imports an agent framework when it is first needed, from where the program has it.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The module `name`. Without it, one error says what to install. */
export async function framework(name) {
  try {
    return await import(name);
  } catch (error) {
    const entry = absent(error, name) ? entryBesideProgram(name) : undefined;
    if (entry) {
      return import(pathToFileURL(entry).href);
    }
    if (absent(error, name)) {
      const [missing] = split(name);
      throw new Error(`\`${missing}\` is not installed: npm install ${missing}`, { cause: error });
    }
    throw error;
  }
}

/** True if it is the module itself that is missing, and not something that it imports. */
function absent(error, name) {
  return error?.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${split(name)[0]}'`);
}

/** The name of the package, and the entry of it in the form of `exports`, such as `./tools`. */
function split(name) {
  const [, wanted, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(name);
  return [wanted, `.${rest}`];
}

/**
 * The file that `import` takes from the program's own packages. Node looks above the real place
 * of this file, which is not the program's when the package is linked into it.
 */
function entryBesideProgram(name) {
  const [wanted, part] = split(name);
  for (const from of [process.argv[1], path.join(process.cwd(), "program")]) {
    for (const modules of from ? (createRequire(from).resolve.paths(wanted) ?? []) : []) {
      const place = path.join(modules, wanted);
      try {
        const manifest = JSON.parse(readFileSync(path.join(place, "package.json"), "utf8"));
        return path.join(place, entryOf(manifest.exports[part]));
      } catch (error) {
        if (error.code !== "ENOENT") {
          throw error;
        }
      }
    }
  }
}

/** The first path under conditions that hold for `import` in Node. */
function entryOf(target) {
  if (typeof target !== "object" || target === null) {
    return target;
  }
  const holds = Object.keys(target).filter((key) => ["node", "import", "default"].includes(key));
  return holds.map((key) => entryOf(target[key])).find((entry) => entry !== undefined);
}
