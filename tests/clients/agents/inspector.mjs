// Makes the calls of `calls.json` with the command line of MCP's Inspector, one process a call.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { main } from "./calls.mjs";

const LIST = "mcp-inspector --cli tool serve --method tools/list --strict";
const CALL = "mcp-inspector --cli tool serve --method tools/call";
const TOOL_FAILED = 5;

/** What a command prints as JSON, of tools that fail as well. */
async function printed([program, ...words]) {
  const ended = await promisify(execFile)(program, words).catch((failed) => failed);
  if (ended instanceof Error && ended.code !== TOOL_FAILED) {
    throw ended;
  }
  return JSON.parse(ended.stdout);
}

async function connect(url, token) {
  const server = url ? [url, "--header", `Authorization: Bearer ${token}`] : ["tool", "serve"];
  const words = (line) => {
    const [before, after] = line.split(" tool serve ");
    return [...before.split(" "), ...server, ...after.split(" ")];
  };
  // Ends in an error where it finds one in a schema.
  const { tools } = await printed(words(LIST));
  return {
    names: tools.map((tool) => tool.name),
    call(name, args) {
      return printed([...words(CALL), "--tool-name", name, "--tool-args-json", JSON.stringify(args)]);
    },
    close() {},
  };
}

await main(connect, ["structured"]);
