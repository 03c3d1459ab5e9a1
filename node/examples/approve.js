// Loads a tool without a toolbox, prints its report, approves an agreed digest, and calls it.

import { load } from "tool-hub";

const [reference, digest] = process.argv.slice(2);

const inspection = await load(reference); // pulls and verifies; runs nothing
console.log(String(inspection)); // what a person decides on

const tools = await inspection.approve(digest, { storage: true });
await tools.get("tally__add").run({ counter: "pages", amount: 12 });
console.log(await tools.get("tally__totals").run());
