// A package that is not installed, or a part of Node that is not there. Whoever needs it fails, and
// may go on without it.

throw Object.assign(new Error("a package is missing that is not installed, or a part of Node that a tool has not"), { code: "MODULE_NOT_FOUND" });
