// `fs`, with the files of the directories that the tool was granted.

const { EventEmitter } = require("tool-node-events");
const { Readable, Writable } = require("tool-node-streams");
const { sync, existsSync, constants, Stats, Dirent, Dir } = require("tool-node-files");
const promises = require("tool-node-promises");

// With the callbacks of Node.
const called = {};
for (const [name, work] of Object.entries(sync)) {
  called[name.slice(0, -"Sync".length)] = (...given) => {
    const done = given.pop();
    Promise.resolve()
      .then(() => work(...given))
      .then((value) => done(null, value), (error) => done(error));
  };
}
const exists = (path, done) => queueMicrotask(() => done(existsSync(path)));
const read = (fd, buffer, ...rest) => {
  const done = rest.pop();
  promises.read(fd, buffer, ...rest).then((count) => done(null, count, buffer), done);
};
const write = (fd, data, ...rest) => {
  const done = rest.pop();
  promises.write(fd, data, ...rest).then((count) => done(null, count, data), done);
};

function createReadStream(path, options) {
  const { encoding, flags = "r", start = 0, end = Infinity, highWaterMark = 1 << 16 } = typeof options === "string" ? { encoding: options } : (options ?? {});
  let fd;
  let from = start;
  const stream = new Readable({
    encoding,
    highWaterMark,
    construct(done) {
      promises.open(path, flags).then((file) => {
        ({ fd } = file);
        stream.emit("open", fd);
        done();
      }, done);
    },
    read(size) {
      const buffer = Buffer.alloc(Math.max(0, Math.min(size, end - from + 1)));
      promises.read(fd, buffer, 0, buffer.length, from).then((count) => {
        from += count;
        stream.push(count === 0 ? null : buffer.subarray(0, count));
      }, (error) => stream.destroy(error));
    },
    destroy(error, done) {
      if (fd !== undefined) sync.closeSync(fd);
      done(error);
    },
  });
  return Object.assign(stream, { path });
}

function createWriteStream(path, options) {
  const { encoding = "utf8", flags = "w", start } = typeof options === "string" ? { encoding: options } : (options ?? {});
  let fd;
  let to = start;
  const stream = new Writable({
    defaultEncoding: encoding,
    construct(done) {
      promises.open(path, flags).then((file) => {
        ({ fd } = file);
        stream.emit("open", fd);
        done();
      }, done);
    },
    write(chunk, _, done) {
      promises.write(fd, chunk, 0, chunk.length, to).then((count) => {
        if (to !== undefined) to += count;
        done();
      }, done);
    },
    destroy(error, done) {
      if (fd !== undefined) sync.closeSync(fd);
      done(error);
    },
  });
  return Object.assign(stream, { path });
}

// Nothing tells that a file changes.
const watch = () => Object.assign(new EventEmitter(), { close() {}, ref() {}, unref() {} });

module.exports = {
  ...sync, ...called, read, write, exists, existsSync, promises, constants, createReadStream, createWriteStream, watch, watchFile: watch,
  unwatchFile() {}, Stats, Dirent, Dir, F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4,
};
