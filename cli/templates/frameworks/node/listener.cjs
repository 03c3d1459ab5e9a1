// Stands in for frameworks that listen for HTTP, which a tool does not. Its functions do nothing.

const nothing = new Proxy(function () {}, {
  get(target, name) {
    if (name === Symbol.toPrimitive) return () => "";
    if (name === "prototype") return target.prototype;
    return name === "then" || name === "__esModule" || typeof name === "symbol" ? undefined : nothing;
  },
  apply: () => nothing,
  construct: () => nothing,
});
module.exports = nothing;
