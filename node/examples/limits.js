// Calls a function with lower limits, has it noted in an audit log, and says what it used.

import { Toolbox } from "tool-hub";

const [name, text] = process.argv.slice(2);
const given = JSON.parse(text);
const tools = await new Toolbox().tools();

const careful = tools.limited({ call_ms: 2_000, memory_bytes: 64 * 2 ** 20 });
const audited = careful.audited("calls.jsonl", { caller: "ada" });
const { usage } = await audited.get(name).call(given);
console.log(`${usage.guest_us} microseconds, ${usage.memory_bytes} bytes`);
