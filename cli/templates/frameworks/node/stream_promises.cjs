// `stream/promises`, of the package `readable-stream`.

module.exports = require("tool-node-streams").promises;
