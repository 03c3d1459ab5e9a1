// Writes, for a release, this platform's npm package of binaries and the main `package.json`.
//
// Usage: node scripts/platform_package.js DIRECTORY
//
// The package of binaries is `@tool-hub/<platform>`. The package `tool-hub` that is released names
// those of all platforms in `optionalDependencies`, in exactly its own version. The manifest
// in the repository names none: nothing of that scope is published, and an install from a clone
// takes no stranger's package of that name.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { platform } from "../lib/platform.js";

/** The platforms that a release has. */
const PLATFORMS = [
  "linux-x64-gnu",
  "linux-arm64-gnu",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
];

const place = fileURLToPath(new URL("..", import.meta.url));
const [directory] = process.argv.slice(2);
if (!directory) {
  console.error("usage: node scripts/platform_package.js DIRECTORY");
  process.exit(1);
}
const manifest = JSON.parse(readFileSync(path.join(place, "package.json"), "utf8"));

writePlatform(path.join(directory, platform()));
writeMain(path.join(directory, "tool-hub.package.json"));

/** The module and the command, with a manifest that keeps other platforms from installing it. */
function writePlatform(to) {
  const [os, cpu, libc] = platform().split("-");
  const { license, version, engines } = manifest;
  const command = os === "win32" ? "tool.exe" : "tool";
  mkdirSync(path.join(to, "bin"), { recursive: true });
  for (const name of ["tool-hub.node", path.join("bin", command)]) {
    if (!existsSync(path.join(place, name))) {
      console.error(`there is no ${name}; run: npm run prepare`);
      process.exit(1);
    }
    copyFileSync(path.join(place, name), path.join(to, name));
  }
  const written = {
    name: `@tool-hub/${platform()}`,
    version,
    description: `The native module of tool-hub for ${platform()}`,
    license,
    main: "tool-hub.node",
    files: ["tool-hub.node", "bin"],
    engines,
    os: [os],
    cpu: [cpu],
    ...(libc ? { libc: [libc === "gnu" ? "glibc" : "musl"] } : {}),
  };
  writeFileSync(path.join(to, "package.json"), `${JSON.stringify(written, null, 2)}\n`);
}

/** The manifest of the package that people install. */
function writeMain(to) {
  const { scripts, ...rest } = manifest;
  const names = PLATFORMS.map((name) => [`@tool-hub/${name}`, manifest.version]);
  const files = manifest.files.filter((name) => name !== "tool-hub.node" && name !== "bin");
  const written = { ...rest, files, optionalDependencies: Object.fromEntries(names) };
  writeFileSync(to, `${JSON.stringify(written, null, 2)}\n`);
}
