// `events`, whose class older packages call as a function.

const parts = require("unenv/node/events");

const EventEmitter = new Proxy(parts.EventEmitter, {
  apply: (made, self, given) => {
    Object.assign(self, new made(...given));
  },
  get(made, name) {
    if (name === "EventEmitter" || name === "default") return EventEmitter;
    return made[name] ?? (typeof name === "string" ? parts[name] : undefined);
  },
});
module.exports = EventEmitter;
