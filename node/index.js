// The package `tool-hub`: tools in this process, by `load`, `Toolbox`, `search`, `push` and `tool`.

import path from "node:path";

import { AuthoredTool } from "./lib/authoring.js";
import { text } from "./lib/checked.js";
import { Inspection } from "./lib/inspection.js";
import { bridge, operation } from "./lib/operations.js";
import { surroundings } from "./lib/surroundings.js";
import { Tools } from "./lib/tools.js";

export { AuthoredTool } from "./lib/authoring.js";
export { HubError, RefusedError, ToolError, ToolHubError } from "./lib/errors.js";
export { Inspection } from "./lib/inspection.js";
export { Tool } from "./lib/tool.js";
export { Tools } from "./lib/tools.js";

/** The toolbox that the command `tool` made, with what was approved there. */
export class Toolbox {
  #directory;

  /**
   * The toolbox in force here: the nearest `toolbox.toml` upwards, else the user's. Or the one at
   * `place`, which is its directory or its file.
   */
  constructor(place) {
    const isFile = place !== undefined && path.basename(text("place", place)) === "toolbox.toml";
    this.#directory = isFile ? path.dirname(place) : place;
  }

  /** The functions of all tools in it, or of those that are named. */
  async tools(...names) {
    const options = surroundings({ toolbox: this.#directory });
    const named = JSON.stringify(names.map((name) => text("name", name)));
    const begin = (number) => bridge.toolbox(number, named, options);
    return new Tools(await operation(begin));
  }
}

/** Pulls and verifies a package, and runs nothing. `reference` is as the command takes it. */
export async function load(reference, { endpoint, signal } = {}) {
  const options = surroundings({ endpoint });
  const begin = (number) => bridge.load(number, text("reference", reference), options);
  return new Inspection(await operation(begin, { signal }));
}

/** Loads a package whose digest a person has approved before. */
export async function loadTool(reference, { approve, grants, endpoint, signal } = {}) {
  const inspection = await load(reference, { endpoint, signal });
  return inspection.approve(approve, grants);
}

/** Packages on the registry that fit `query`, best first. */
export async function search(query, { endpoint, signal } = {}) {
  const options = surroundings({ endpoint });
  const begin = (number) => bridge.search(number, text("query", query), options);
  return operation(begin, { signal });
}

/** Publishes the built package in `directory` as `repo`. */
export async function push(directory, repo, { endpoint, isPrivate = false, signal } = {}) {
  const options = surroundings({ endpoint });
  const given = [text("directory", directory), text("repo", repo), isPrivate];
  return operation((number) => bridge.push(number, ...given, options), { signal });
}

/**
 * Makes a function one that can be built and published as a tool. It takes one object of arguments,
 * uses nothing from outside of itself, and is described by JSON Schemas.
 */
export function tool(definition, implementation) {
  return new AuthoredTool(definition, implementation, push);
}
