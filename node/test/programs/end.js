// A process that ends in the way that it is told, with calls under way.

import { guest } from "../support.js";

const tools = await guest();
const spin = (length = 50) => Array.from({ length }, () => tools.get("guest__spin").run());

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
  case "in a callback":
    // Fewer than the host has places, so that there is one more.
    Promise.allSettled(spin(10));
    await tools.get("guest__work").run({}, { onProgress: () => process.exit(9) });
    break;
  case "SIGTERM":
  case "SIGINT":
    Promise.allSettled(spin());
    setTimeout(() => process.kill(process.pid, process.argv[2]), 100);
    break;
  case "heard SIGTERM":
  case "heard SIGINT": {
    const [, name] = process.argv[2].split(" ");
    const controller = new AbortController();
    process.once(name, () => {
      console.log(name);
      controller.abort();
    });
    setTimeout(() => process.kill(process.pid, name), 100);
    await tools.get("guest__spin").run({}, { signal: controller.signal }).catch(() => {});
    console.log(await tools.get("guest__add").run({ a: 20, b: 22 }));
    break;
  }
  default:
    console.log(await tools.get("guest__add").run({ a: 20, b: 22 }));
}
