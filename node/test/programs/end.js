// A process that ends in the way that it is told, with calls under way.

import { guest } from "../support.js";

const tools = await guest();
const spin = () => Array.from({ length: 50 }, () => tools.get("guest__spin").run());

switch (process.argv[2]) {
  case "exit":
    Promise.allSettled(spin());
    setTimeout(() => process.exit(7), 100);
    break;
  case "throw":
    Promise.allSettled(spin());
    setTimeout(() => {
      throw new Error("on purpose");
    }, 100);
    break;
  case "main":
    // At once, before anything has begun.
    Promise.allSettled(spin());
    process.exit(0);
    break;
  case "aborted": {
    const signal = AbortSignal.timeout(100);
    const calls = Array.from({ length: 50 }, () => tools.get("guest__spin").run({}, { signal }));
    await Promise.allSettled(calls);
    break;
  }
  default:
    console.log(await tools.get("guest__add").run({ a: 20, b: 22 }));
}
