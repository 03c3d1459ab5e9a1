// The files of granted directories, with the functions of Node that do not wait.

const { Buffer } = require("node:buffer");
const process = require("tool-node-process").default;
const packaged = require("tool-server-files");

const PART_BYTES = 1 << 18;
const LINKS_MAX = 40;

// The names of errors in WASI, with those of Node, its numbers and words.
const ERRORS = {
  access: ["EACCES", -13, "permission denied"],
  "bad-descriptor": ["EBADF", -9, "bad file descriptor"],
  busy: ["EBUSY", -16, "resource busy or locked"],
  "cross-device": ["EXDEV", -18, "cross-device link not permitted"],
  exist: ["EEXIST", -17, "file already exists"],
  "file-too-large": ["EFBIG", -27, "file too large"],
  "insufficient-space": ["ENOSPC", -28, "no space left on device"],
  invalid: ["EINVAL", -22, "invalid argument"],
  "is-directory": ["EISDIR", -21, "illegal operation on a directory"],
  loop: ["ELOOP", -40, "too many symbolic links encountered"],
  "name-too-long": ["ENAMETOOLONG", -36, "name too long"],
  "no-entry": ["ENOENT", -2, "no such file or directory"],
  "not-directory": ["ENOTDIR", -20, "not a directory"],
  "not-empty": ["ENOTEMPTY", -39, "directory not empty"],
  "not-permitted": ["EPERM", -1, "operation not permitted"],
  "read-only": ["EROFS", -30, "read-only file system"],
  unsupported: ["ENOTSUP", -95, "operation not supported on socket"],
};

function failure(why, syscall, path, dest) {
  const [code, errno, words] = ERRORS[why] ?? ["EIO", -5, "i/o error"];
  const places = [path, dest].filter((it) => it !== undefined).map((it) => `'${it}'`);
  const place = places.length > 0 ? ` ${places.join(" -> ")}` : "";
  const error = new Error(`${code}: ${words}, ${syscall}${place}`);
  return Object.assign(error, { code, errno, syscall, ...(path !== undefined && { path }), ...(dest !== undefined && { dest }) });
}

/** A path as the caller wrote it. */
function text(path) {
  if (path instanceof URL) return decodeURIComponent(path.pathname);
  if (typeof path === "string") return path;
  if (path instanceof Uint8Array) return Buffer.from(path).toString();
  const error = new TypeError(`The "path" argument must be of type string or an instance of Buffer or URL. Received ${typeof path}`);
  throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
}

/** The path without `.`, `..` and doubled strokes, from the root on. */
function whole(path) {
  const parts = [];
  for (const part of (path.startsWith("/") ? path : `${process.cwd()}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

// Handles of directories are taken anew each time: what is in memory outlives them.
function withRoots(work) {
  const roots = globalThis.toolHubDirectories();
  try {
    return work((path) => {
      const holders = roots.filter(([, name]) => path === name || path.startsWith(`${name}/`));
      const [root, name] = holders.sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
      return root && { root, rest: path.slice(name.length + 1) || "." };
    }, roots.map(([, name]) => name));
  } finally {
    for (const [root] of roots) root[Symbol.dispose]();
  }
}

/** Does `work` with the directory that holds `path`, and the path below it. */
function at(path, syscall, work) {
  const given = text(path);
  return withRoots((find) => {
    const place = find(whole(given));
    if (place === undefined) throw failure("no-entry", syscall, given);
    return told(() => work(place.root, place.rest), syscall, given);
  });
}

/** Does `work` with both directories. */
function between(from, to, syscall, work) {
  const names = [text(from), text(to)];
  return withRoots((find) => {
    const [old, place] = names.map((name) => find(whole(name)));
    if (old === undefined || place === undefined) throw failure("no-entry", syscall, ...names);
    return told(() => work(old, place), syscall, ...names);
  });
}

function told(work, syscall, ...names) {
  try {
    return work();
  } catch (error) {
    if (typeof error?.payload === "string") throw failure(error.payload, syscall, ...names);
    throw error;
  }
}

// A package's own files, which lie in the bundle. A module knows only the directory of the first
// one, so what it looks for may lie elsewhere: the end of the path decides.
function own(path) {
  const name = whole(text(path));
  const isOwn = name.startsWith("/packages/") || name.endsWith("/package.json");
  if (!isOwn || withRoots((find) => find(name))) return undefined;
  const names = Object.keys(packaged);
  const parts = name.replace(/^\/packages\//, "/").slice(1).split("/");
  let found = names.filter((it) => `/packages/${it}` === name);
  for (let from = 0; found.length === 0 && from < parts.length; from++) {
    const end = `/${parts.slice(from).join("/")}`;
    found = names.filter((it) => `/${it}`.endsWith(end)).sort((a, b) => a.length - b.length);
  }
  return found[0] && Buffer.from(packaged[found[0]], "utf8");
}

/** What the directory of a package holds of the files in the bundle. */
function ownEntries(path) {
  const place = `${whole(text(path))}/`;
  const names = Object.keys(packaged).map((it) => `/packages/${it}`).filter((it) => it.startsWith(place));
  if (names.length === 0) return undefined;
  const parts = names.map((it) => it.slice(place.length).split("/"));
  return [...new Set(parts.map(([name]) => name))].map((name) => {
    const isFile = parts.some((it) => it.length === 1 && it[0] === name);
    return { name, type: isFile ? "regular-file" : "directory" };
  });
}

class Stats {
  constructor({ type, linkCount, size, dataAccessTimestamp, dataModificationTimestamp, statusChangeTimestamp }) {
    const time = (it) => (it ? it.seconds * 1000 + it.nanoseconds / 1e6 : 0);
    this.type = type;
    Object.defineProperty(this, "type", { enumerable: false });
    const [atimeMs, mtimeMs, ctimeMs] = [dataAccessTimestamp, dataModificationTimestamp, statusChangeTimestamp].map(time);
    const kind = { directory: 0o40755, "symbolic-link": 0o120777 }[type] ?? 0o100644;
    Object.assign(this, { dev: 0, ino: 0, mode: kind, nlink: linkCount, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512) });
    Object.assign(this, { atimeMs, mtimeMs, ctimeMs, birthtimeMs: ctimeMs });
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) this[name] = new Date(this[`${name}Ms`]);
  }
}

class Dirent {
  constructor(name, parentPath, type) {
    Object.assign(this, { name, parentPath, path: parentPath });
    Object.defineProperty(this, "type", { value: type });
  }
}

for (const [name, type] of [
  ["isFile", "regular-file"], ["isDirectory", "directory"], ["isSymbolicLink", "symbolic-link"], ["isFIFO", "fifo"], ["isSocket", "socket"],
  ["isBlockDevice", "block-device"], ["isCharacterDevice", "character-device"],
]) {
  for (const kind of [Stats, Dirent]) {
    kind.prototype[name] = function () {
      return this.type === type;
    };
  }
}

const encodingOf = (options) => (typeof options === "string" ? options : options?.encoding) || undefined;
const decoded = (bytes, options) => {
  const encoding = encodingOf(options);
  return encoding === undefined || encoding === "buffer" ? bytes : bytes.toString(encoding);
};
const bytesOf = (data, options) => {
  if (typeof data === "string") return Buffer.from(data, encodingOf(options) ?? "utf8");
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const error = new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${typeof data}`);
  throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
};

// Open files by their numbers. Standard input, output and error have the first ones.
const open = new Map();
let last = 2;

const constants = {
  F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2,
  O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_NOFOLLOW: 131072, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFLNK: 40960,
};

/** What a file is opened for: `r`, `wx` and the others, or the numbers of Node. */
function opening(flags) {
  if (typeof flags === "number") {
    const has = (bit) => (flags & bit) !== 0;
    const access = flags & 3;
    return {
      create: has(constants.O_CREAT), exclusive: has(constants.O_EXCL), truncate: has(constants.O_TRUNC), append: has(constants.O_APPEND),
      read: access !== constants.O_WRONLY, write: access !== constants.O_RDONLY, follow: !has(constants.O_NOFOLLOW),
    };
  }
  const [kind] = flags;
  const isBoth = flags.includes("+");
  return {
    create: kind !== "r", exclusive: flags.includes("x"), truncate: kind === "w", append: kind === "a", read: kind === "r" || isBoth,
    write: kind !== "r" || isBoth, follow: true,
  };
}

function openSync(path, flags = "r") {
  const { create, exclusive, truncate, append, read, write, follow } = opening(flags ?? "r");
  const file = at(path, "open", (root, rest) =>
    root.openAt({ symlinkFollow: follow }, rest, { create, exclusive, truncate }, { read, write }),
  );
  open.set(++last, { file, append, position: 0, path: text(path) });
  return last;
}

function opened(fd, syscall) {
  const found = open.get(Number(fd));
  if (found === undefined) throw failure("bad-descriptor", syscall);
  return found;
}

function closeSync(fd) {
  opened(fd, "close").file[Symbol.dispose]();
  open.delete(Number(fd));
}

function readSync(fd, buffer, offset, length, position) {
  if (typeof offset === "object" && offset !== null) ({ offset, length, position } = offset);
  const entry = opened(fd, "read");
  const view = bytesOf(buffer);
  const start = offset ?? 0;
  const from = typeof position === "number" || typeof position === "bigint" ? Number(position) : entry.position;
  const wanted = Math.min(length ?? view.length - start, view.length - start, PART_BYTES);
  const [bytes] = told(() => entry.file.read(wanted, from), "read");
  view.set(bytes, start);
  if (from === entry.position) entry.position += bytes.length;
  return bytes.length;
}

function writeSync(fd, data, offset, length, position) {
  if (Number(fd) === 1 || Number(fd) === 2) {
    (Number(fd) === 1 ? process.stdout : process.stderr).write(data);
    return data.length;
  }
  const entry = opened(fd, "write");
  let bytes = bytesOf(data, typeof data === "string" ? length : undefined);
  let place = typeof data === "string" ? offset : position;
  if (typeof offset === "object" && offset !== null) ({ offset, length, position: place } = offset);
  if (typeof data !== "string") bytes = bytes.subarray(offset ?? 0, length === undefined || length === null ? undefined : (offset ?? 0) + length);
  const isPlaced = typeof place === "number" || typeof place === "bigint";
  return told(() => {
    let to = entry.append ? entry.file.stat().size : isPlaced ? Number(place) : entry.position;
    for (let done = 0; done < bytes.length; ) {
      const count = entry.file.write(bytes.subarray(done, done + PART_BYTES), to);
      done += count;
      to += count;
    }
    if (!isPlaced) entry.position = to;
    return bytes.length;
  }, "write");
}

const fstatSync = (fd) => new Stats(told(() => opened(fd, "fstat").file.stat(), "fstat"));
const ftruncateSync = (fd, length = 0) => told(() => opened(fd, "ftruncate").file.setSize(length), "ftruncate");

/** Opens the file for `work`, where it is a path. */
function held(file, flags, work) {
  if (typeof file === "number") return work(file);
  const fd = openSync(file, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function contents(fd) {
  const entry = opened(fd, "read");
  return told(() => {
    const parts = [];
    for (;;) {
      const [bytes, isEnd] = entry.file.read(PART_BYTES, entry.position);
      parts.push(bytes);
      entry.position += bytes.length;
      if (isEnd || bytes.length === 0) return Buffer.concat(parts);
    }
  }, "read");
}

function readFileSync(path, options) {
  const inBundle = typeof path === "number" ? undefined : own(path);
  return decoded(inBundle ?? held(path, options?.flag ?? "r", contents), options);
}

function writeFileSync(path, data, options) {
  const bytes = bytesOf(data, options);
  held(path, options?.flag ?? "w", (fd) => writeSync(fd, bytes));
}
const appendFileSync = (path, data, options) =>
  writeFileSync(path, data, { ...(typeof options === "string" ? { encoding: options } : options), flag: options?.flag ?? "a" });

function statOf(path, syscall, follow, options) {
  const bytes = own(path);
  if (bytes !== undefined) return new Stats({ type: "regular-file", linkCount: 1, size: bytes.length });
  if (whole(text(path)) === "/" || ownEntries(path)) return new Stats({ type: "directory", linkCount: 1, size: 0 });
  try {
    return at(path, syscall, (root, rest) => new Stats(root.statAt({ symlinkFollow: follow }, rest)));
  } catch (error) {
    if (options?.throwIfNoEntry === false && error.code === "ENOENT") return undefined;
    throw error;
  }
}
const statSync = (path, options) => statOf(path, "stat", true, options);
const lstatSync = (path, options) => statOf(path, "lstat", false, options);
const accessSync = (path) => {
  statOf(path, "access", true);
};
const existsSync = (path) => {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
};

function entries(path) {
  if (whole(text(path)) === "/") return withRoots((_, names) => names.map((name) => ({ name: name.slice(1), type: "directory" })));
  const inBundle = ownEntries(path);
  if (inBundle) return inBundle;
  return at(path, "scandir", (root, rest) => {
    const directory = root.openAt({ symlinkFollow: true }, rest, { directory: true }, { read: true });
    const stream = directory.readDirectory();
    try {
      const found = [];
      for (let entry = stream.readDirectoryEntry(); entry; entry = stream.readDirectoryEntry()) found.push(entry);
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    } finally {
      stream[Symbol.dispose]();
      directory[Symbol.dispose]();
    }
  });
}

function readdirSync(path, options) {
  const top = text(path);
  const found = [];
  const read = (directory, before) => {
    for (const { name, type } of entries(directory)) {
      found.push(options?.withFileTypes ? new Dirent(name, directory, type) : before + name);
      if (options?.recursive && type === "directory") read(`${directory}/${name}`, `${before}${name}/`);
    }
  };
  read(top, "");
  return found;
}

function mkdirSync(path, options) {
  const make = (name) => at(name, "mkdir", (root, rest) => root.createDirectoryAt(rest));
  if (!options?.recursive) return make(path);
  let first;
  const above = [];
  for (let name = whole(text(path)); !existsSync(name); name = whole(`${name}/..`)) above.unshift(name);
  if (above.length === 0 && !statSync(path).isDirectory()) throw failure("exist", "mkdir", text(path));
  for (const name of above) {
    make(name);
    first ??= name;
  }
  return first;
}

const rmdirSync = (path) => at(path, "rmdir", (root, rest) => root.removeDirectoryAt(rest));
const unlinkSync = (path) => at(path, "unlink", (root, rest) => root.unlinkFileAt(rest));

function rmSync(path, options) {
  const found = lstatSync(path, { throwIfNoEntry: !options?.force });
  if (found === undefined) return;
  if (!found.isDirectory()) return unlinkSync(path);
  if (!options?.recursive) {
    const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${text(path)}`);
    throw Object.assign(error, { code: "ERR_FS_EISDIR", path: text(path), syscall: "rm" });
  }
  for (const name of readdirSync(path)) rmSync(`${text(path)}/${name}`, options);
  rmdirSync(path);
}

const renameSync = (from, to) => between(from, to, "rename", (old, place) => old.root.renameAt(old.rest, place.root, place.rest));

function copyFileSync(from, to, mode = 0) {
  const data = readFileSync(from);
  writeFileSync(to, data, { flag: (mode & constants.COPYFILE_EXCL) !== 0 ? "wx" : "w" });
}

function cpSync(from, to, options) {
  if (!statSync(from).isDirectory()) return copyFileSync(from, to, options?.force === false ? constants.COPYFILE_EXCL : 0);
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) cpSync(`${text(from)}/${name}`, `${text(to)}/${name}`, options);
}

const readlinkSync = (path) => at(path, "readlink", (root, rest) => root.readlinkAt(rest));

function realpathSync(path) {
  if (own(path) !== undefined || whole(text(path)).startsWith("/packages/")) return whole(text(path));
  let links = 0;
  let rest = whole(text(path)).split("/").slice(1);
  let found = "";
  while (rest.length > 0) {
    const next = `${found}/${rest.shift()}`;
    const isRoot = withRoots((find, names) => names.some((name) => name === next || name.startsWith(`${next}/`)));
    if (isRoot || next === "/" || !statOf(next, "lstat", false).isSymbolicLink()) {
      found = next;
      continue;
    }
    if (++links > LINKS_MAX) throw failure("loop", "realpath", text(path));
    const led = readlinkSync(next);
    rest = [...whole(led.startsWith("/") ? led : `${found}/${led}`).split("/").slice(1), ...rest];
    found = "";
  }
  return found || "/";
}
realpathSync.native = realpathSync;

function mkdtempSync(prefix) {
  const path = `${text(prefix)}${Math.random().toString(36).slice(2, 8).padEnd(6, "0")}`;
  mkdirSync(path);
  return path;
}

const truncateSync = (path, length = 0) => held(path, "r+", (fd) => ftruncateSync(fd, length));

class Dir {
  #left;
  constructor(path) {
    this.path = text(path);
    this.#left = readdirSync(path, { withFileTypes: true });
  }
  readSync = () => this.#left.shift() ?? null;
  read = async () => this.readSync();
  closeSync() {}
  async close() {}
  async *[Symbol.asyncIterator]() {
    for (let entry = this.readSync(); entry; entry = this.readSync()) yield entry;
  }
}
const opendirSync = (path) => new Dir(path);

// WASI has no owners and modes, and files are written at once.
const nothing = () => {};

const sync = {
  accessSync, appendFileSync, chmodSync: nothing, chownSync: nothing, closeSync, copyFileSync, cpSync, fchmodSync: nothing, fdatasyncSync: nothing,
  fstatSync, fsyncSync: nothing, ftruncateSync, lstatSync, mkdirSync, mkdtempSync, openSync, opendirSync, readFileSync, readSync, readdirSync,
  readlinkSync, realpathSync, renameSync, rmSync, rmdirSync, statSync, truncateSync, unlinkSync, utimesSync: nothing, writeFileSync, writeSync,
};
module.exports = { sync, existsSync, constants, Stats, Dirent, Dir };
