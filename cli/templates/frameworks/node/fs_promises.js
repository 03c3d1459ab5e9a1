// `fs/promises`, with the files that there are.

import { access, appendFile, lstat, mkdir, open, readFile, readdir, realpath, rename, rm, stat, unlink, writeFile } from "tool-node-files";

const absent = (name) => async () => {
  throw new Error(`fs.${name} is not there: a tool in JavaScript has no files`);
};
const [chmod, copyFile, cp, link, mkdtemp, opendir, readlink, rmdir, symlink, truncate, utimes, watch] = [
  "chmod", "copyFile", "cp", "link", "mkdtemp", "opendir", "readlink", "rmdir", "symlink", "truncate", "utimes", "watch",
].map(absent);
const constants = {};

export {
  access, appendFile, chmod, constants, copyFile, cp, link, lstat, mkdir, mkdtemp, open, opendir, readFile, readdir, readlink, realpath, rename, rm, rmdir,
  stat, symlink, truncate, unlink, utimes, watch, writeFile,
};
export default {
  access, appendFile, chmod, constants, copyFile, cp, link, lstat, mkdir, mkdtemp, open, opendir, readFile, readdir, readlink, realpath, rename, rm, rmdir,
  stat, symlink, truncate, unlink, utimes, watch, writeFile,
};
