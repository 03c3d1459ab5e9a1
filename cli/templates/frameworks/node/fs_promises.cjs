// `fs/promises`, over the functions that do not wait.

const { sync, constants } = require("tool-node-files");

const promises = { constants };
for (const [name, work] of Object.entries(sync)) promises[name.slice(0, -"Sync".length)] = async (...given) => work(...given);

class FileHandle {
  constructor(fd) {
    this.fd = fd;
  }
  async read(buffer, ...rest) {
    const target = ArrayBuffer.isView(buffer) ? buffer : (buffer?.buffer ?? Buffer.alloc(16384));
    const given = ArrayBuffer.isView(buffer) ? rest : [buffer];
    return { bytesRead: sync.readSync(this.fd, target, ...given), buffer: target };
  }
  write = async (buffer, ...rest) => ({ bytesWritten: sync.writeSync(this.fd, buffer, ...rest), buffer });
  readFile = async (options) => sync.readFileSync(this.fd, options);
  writeFile = async (data, options) => sync.writeFileSync(this.fd, data, options);
  appendFile = async (data, options) => sync.writeFileSync(this.fd, data, options);
  stat = async () => sync.fstatSync(this.fd);
  truncate = async (length) => sync.ftruncateSync(this.fd, length);
  sync = async () => {};
  datasync = async () => {};
  chmod = async () => {};
  async close() {
    if (this.fd !== -1) sync.closeSync(this.fd);
    this.fd = -1;
  }
  async *readLines(options) {
    const lines = (await this.readFile({ encoding: "utf8", ...options })).split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    yield* lines;
  }
}
if (Symbol.asyncDispose) FileHandle.prototype[Symbol.asyncDispose] = FileHandle.prototype.close;

promises.open = async (path, flags) => new FileHandle(sync.openSync(path, flags));
module.exports = promises;
