// `fs`, with the files that there are.

import nodeFs from "unenv/node/fs";
import { appendFileSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from "tool-node-files";
import promises from "tool-node-promises";

export * from "unenv/node/fs";
export { appendFileSync, existsSync, lstatSync, mkdirSync, promises, readFileSync, readdirSync, realpathSync, statSync, writeFileSync };

// With the callbacks of Node.
const called = (work) => (path, ...rest) => {
  const done = rest.pop();
  work(path).then((value) => done(null, value), done);
};
export const readFile = called(promises.readFile);
export const stat = called(promises.stat);
export const access = called(promises.access);

const own = {
  access, appendFileSync, existsSync, lstatSync, mkdirSync, promises, readFile, readFileSync, readdirSync, realpathSync, stat, statSync, writeFileSync,
};
export default { ...nodeFs, ...own };
