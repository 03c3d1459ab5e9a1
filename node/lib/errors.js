// The errors that the package throws: their base, a failed call, a refusal, a fault of a registry.

/** The base of all errors that this package throws. */
export class ToolHubError extends Error {
  name = "ToolHubError";
}

/** A call that failed, in words that teach whoever made it. */
export class ToolError extends ToolHubError {
  name = "ToolError";

  constructor({ message, kind, fix, argument, retryable, text }) {
    super(message);
    /** The kind of failure: `malformed-argument`, `denied`, `timeout`, … */
    this.kind = kind;
    /** What to do instead, if the tool or the host knows. */
    this.fix = fix ?? undefined;
    /** The argument that is wrong, if one is. */
    this.argument = argument ?? undefined;
    /** True if the same call may succeed later. */
    this.retryable = retryable;
    /** What a model is shown. */
    this.text = text;
  }
}

/** Something that a policy refuses: another digest, more than was asked, no approval. */
export class RefusedError extends ToolHubError {
  name = "RefusedError";

  constructor(message, hint) {
    super(message);
    /** What to do about it, if anything can be done. */
    this.hint = hint ?? undefined;
  }
}

/** A registry that cannot be reached, or does not have what was asked for. */
export class HubError extends ToolHubError {
  name = "HubError";

  constructor(message, hint) {
    super(message);
    /** What to do about it, if anything can be done. */
    this.hint = hint ?? undefined;
  }
}

/** The error that the native module tells of. */
export function problem({ kind, message, hint }) {
  switch (kind) {
    case "refused":
      return new RefusedError(message, hint);
    case "hub":
      return new HubError(message, hint);
    default:
      return new ToolHubError(hint ? `${message}; ${hint}` : message);
  }
}
