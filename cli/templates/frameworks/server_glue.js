// Offers the tools of a server to agents. `tool build` writes this for each build.

import { answered, start } from "tool-server-client";

const EXPORTS = {{exports}};

// What the server does until it waits for its client is done once.
await start({ arguments: {{arguments}}, isListing: Object.values(EXPORTS).includes(null) });

// The functions by their names in WIT.
export const functions = ({ call }) =>
  Object.fromEntries(
    Object.entries(EXPORTS).map(([wit, name]) => [wit, (given) => answered(call, name, given)]),
  );
