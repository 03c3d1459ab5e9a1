// Builds the native module and the command with cargo where the sources are, as in a clone.
//
// `npm install ./node` runs this. TOOL_HUB_CARGO_ARGUMENTS replaces the arguments for cargo, which
// build a release of the module and the command: for instance by a development build.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CRATE = "tool-hub-node";
const COMMAND = "tool-hub-cli";

const place = fileURLToPath(new URL("..", import.meta.url));

if (existsSync(path.join(place, "Cargo.toml"))) {
  build();
} else {
  // A published package has no sources; what is missing is said when the module is loaded.
  console.log("tool-hub: no sources to build from");
}

function build() {
  const usual = ["--package", CRATE, "--package", COMMAND, "--release"];
  const chosen = process.env.TOOL_HUB_CARGO_ARGUMENTS?.split(" ").filter(Boolean) ?? usual;
  const given = ["build", "--locked", ...chosen, "--message-format=json-render-diagnostics"];
  console.log(`tool-hub: cargo ${given.join(" ")}`);
  const ran = spawnSync("cargo", given, {
    cwd: place,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (ran.error?.code === "ENOENT") {
    fail("it is built from source with cargo, which is not installed; see https://rustup.rs");
  }
  if (ran.error || ran.status !== 0) {
    fail(`cargo could not build it: ${ran.error ?? `exit code ${ran.status}`}`);
  }
  const built = ran.stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const artifacts = built.filter(({ reason }) => reason === "compiler-artifact");
  const library = artifacts.find(({ target }) => target.kind.includes("cdylib") && target.name === "tool_hub_node");
  const command = artifacts.find(({ executable, target }) => executable && target.name === "tool");
  put(library.filenames.find((name) => /\.(so|dylib|dll)$/.test(name)), "tool-hub.node");
  // Components are compiled in a process of their own, which is this command.
  put(command.executable, path.join("bin", path.basename(command.executable)));
}

/** Replaces a file, which a running process may have mapped, unless it is the same. */
function put(from, name) {
  const to = path.join(place, name);
  if (existsSync(to) && isSame(statSync(from), statSync(to))) {
    return;
  }
  mkdirSync(path.dirname(to), { recursive: true });
  // Several installs may run at once.
  const beside = `${to}.${process.pid}`;
  copyFileSync(from, beside);
  const { atime, mtime } = statSync(from);
  utimesSync(beside, atime, mtime);
  renameSync(beside, to);
}

function isSame(one, other) {
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < 1000;
}

function fail(why) {
  console.error(`tool-hub: ${why}`);
  process.exit(1);
}
