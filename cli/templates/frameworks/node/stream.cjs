// `stream`, which is a class itself where it is required.

const { EventEmitter } = require("tool-node-events");
const parts = require("unenv/node/stream");

function Stream() {}
Stream.prototype = Object.create(EventEmitter.prototype, { constructor: { value: Stream } });
module.exports = Object.assign(Stream, { ...parts, Stream, default: Stream });
