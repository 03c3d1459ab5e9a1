// Loads a package without a toolbox, with the digest and the rights that a person agreed to.

import { load } from "tool-hub";

const [reference, digest, place] = process.argv.slice(2);

const inspection = await load(reference); // pulls and verifies; runs nothing
console.log(String(inspection)); // what a person decides on

const tools = await inspection.approve(digest, { directories: { notes: place } });
await tools.get("notes__write_note").run({ name: "groceries", text: "milk, bread" });
console.log(await tools.get("notes__list_notes").run());
