// `https`, as `http`.

const { toolHubModule } = require("http");

module.exports = toolHubModule("https:", require("unenv/node/https"));
