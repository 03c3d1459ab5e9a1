// `os`, whose home directory is the one that the tool was granted by the name `home`.

import nodeOs from "unenv/node/os";
import process, { home } from "tool-node-process";

export * from "unenv/node/os";
export const homedir = () => home();
export const userInfo = (options) => ({ ...nodeOs.userInfo(options), username: process.env.USER ?? "user", homedir: home() });
export const hostname = () => "localhost";
export default { ...nodeOs, homedir, hostname, userInfo };
