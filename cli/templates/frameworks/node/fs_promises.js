// `fs/promises`, with the files of `fs`.

import { promises } from "node:fs";

export * from "unenv/node/fs/promises";
export const { readFile, access, stat, lstat, readdir, mkdir, writeFile, realpath } = promises;
export default promises;
