// `events`, of the package `events`: its class may be called as a function, as older packages do.

const EventEmitter = require("tool-node-events");

class EventEmitterAsyncResource extends EventEmitter {}

module.exports = Object.assign(EventEmitter, {
  EventEmitterAsyncResource,
  captureRejectionSymbol: Symbol.for("nodejs.rejection"),
  errorMonitor: Symbol.for("events.errorMonitor"),
  getEventListeners: (emitter, name) => emitter.listeners(name),
  setMaxListeners: () => {},
});
