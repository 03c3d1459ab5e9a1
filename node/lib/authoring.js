// The `AuthoredTool`: a JavaScript function that the command builds as a tool and publishes.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { ToolHubError } from "./errors.js";
import { commandFile } from "./files.js";
import { documented } from "./jsdoc.js";
import { outside } from "./outside.js";

/** The file of a project's functions. */
const MODULE = "functions.js";

/** The first line of a `tool.toml` that may be written over. */
const OURS = "# Each build by `tool` of the npm package writes the files of this project anew.";

/** A function that can be built and published as a tool. */
export class AuthoredTool {
  #definition;
  #implementation;
  #push;

  constructor(definition, implementation, push) {
    this.#definition = { version: "0.1.0", license: "Apache-2.0", ...definition };
    this.#implementation = implementation;
    this.#push = push;
    check(this.#definition, implementation);
  }

  get name() {
    return this.#definition.name;
  }

  get version() {
    return this.#definition.version;
  }

  /** The file that the tool is built from. What the function uses from outside is not in it. */
  get source() {
    const { name } = this.#definition;
    checkOutside(name, this.#implementation);
    const inputs = Object.keys(this.#definition.inputSchema?.properties ?? {});
    return [
      ...documented(this.#definition),
      `export function ${name.replaceAll("-", "_")}(${inputs.join(", ")}) {`,
      `  return implementation({ ${inputs.join(", ")} });`,
      "}",
      "",
      `const implementation = ${this.#implementation};`,
      "",
    ].join("\n");
  }

  /** Calls the function itself, here and with all rights. */
  run(given) {
    return this.#implementation(given);
  }

  /**
   * Builds the tool in `directory`, `./NAME` unless said otherwise, and gives its package. One that
   * somebody else made is left alone. The first build fetches componentize-qjs.
   */
  async build(directory = this.name) {
    const project = path.resolve(directory);
    const manifest = path.join(project, "tool.toml");
    const isOurs = existsSync(manifest) && (await readFile(manifest, "utf8")).startsWith(OURS);
    if (!isOurs && existsSync(project) && (await readdir(project)).length > 0) {
      throw new ToolHubError(`${project} is no directory that a build of this kind made; name an empty one`);
    }
    const { source } = this;
    const { name, version, description, license, capabilities = {} } = this.#definition;
    const asked = Object.entries(capabilities).map(([key, value]) => `${key} = ${toml(value)}`);
    const about = Object.entries({ schema: 1, name, version, description, license });
    const lines = [OURS, ...about.map(([key, value]) => `${key} = ${toml(value)}`)];
    lines.push("", "[build]", 'language = "javascript"', `functions = ${toml(MODULE)}`);
    lines.push("", "[capabilities]", ...asked, "");
    await mkdir(project, { recursive: true });
    await writeFile(manifest, lines.join("\n"));
    await writeFile(path.join(project, MODULE), source);
    await writeFile(path.join(project, "README.md"), `# ${name}\n\n${description}\n`);
    await command("build", project);
    return path.join(project, "dist");
  }

  /** Builds the tool and publishes it as `repo`. A version never changes. */
  async push(repo, { directory, ...options } = {}) {
    return this.#push(await this.build(directory), repo, options);
  }
}

function check({ name, description, inputSchema }, implementation) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name ?? "")) {
    throw new ToolHubError(`\`${name}\` is no name for a tool: write a-z, 0-9 and -, such as \`reading-time\``);
  }
  if (!description) {
    throw new ToolHubError(`the tool \`${name}\` needs a \`description\`: agents choose it by what that says`);
  }
  if (typeof implementation !== "function") {
    throw new ToolHubError(`the tool \`${name}\` needs a function, as the second argument of \`tool\``);
  }
  const text = `${implementation}`;
  if (/^async\b|^(function)?\s*\*/.test(text)) {
    throw new ToolHubError(`the function of \`${name}\` is asynchronous or a generator, which does not run in the sandbox`);
  }
  if (!/^(function\b|\(|[\w$]+\s*=>)/.test(text) || text.includes("[native code]")) {
    throw new ToolHubError(`the function of \`${name}\` has no source of its own: write a function or an arrow function`);
  }
  for (const input of Object.keys(inputSchema?.properties ?? {})) {
    if (!/^[A-Za-z_$][\w$]*$/.test(input)) {
      throw new ToolHubError(`\`${input}\` of \`${name}\` is no name for an argument in JavaScript`);
    }
  }
}

function checkOutside(name, implementation) {
  const { names, fault, place } = outside(implementation);
  const subject = `the function of \`${name}\`${place ? ` (${place})` : ""}`;
  if (fault) {
    throw new ToolHubError(`${subject} cannot be built from its own text: ${fault}`);
  }
  if (names.length > 0) {
    const used = names.map((each) => `\`${each}\``).join(", ");
    throw new ToolHubError(
      `${subject} uses ${used} from outside of itself, which the tool does not have: write that inside of the ` +
        "function, or make it an argument",
    );
  }
}

/** Runs the command of this package, and throws what it says when it fails. */
function command(...given) {
  if (!commandFile) {
    throw new ToolHubError("the package was built without the command, which builds tools; run: npm run prepare");
  }
  return new Promise((resolve, reject) => {
    const child = execFile(commandFile, ["--quiet", ...given], (error, _, told) => {
      if (error) {
        reject(new ToolHubError(told.trim().replace(/^error: /, "") || error.message));
      } else {
        resolve();
      }
    });
    child.stdin.end();
  });
}

/** A value in TOML. */
function toml(value) {
  if (Array.isArray(value)) {
    return `[${value.map(toml).join(", ")}]`;
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(([key, member]) => `${key} = ${toml(member)}`);
    return `{ ${members.join(", ")} }`;
  }
  if (!["string", "boolean"].includes(typeof value) && !Number.isSafeInteger(value)) {
    throw new ToolHubError(
      `${value} cannot be written into tool.toml: give text, an integer, true, false, an array or an object of these`,
    );
  }
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}
