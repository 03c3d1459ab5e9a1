// `stream`, of the package `readable-stream`, which is a class itself where it is required.

const { Stream } = require("tool-node-streams");

module.exports = Object.assign(Stream, { default: Stream });
