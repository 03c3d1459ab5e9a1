// Offers the functions of {{file}} to agents. `tool build` writes this for each build.

import * as source from {{path}};
{{imports}}

// The functions by their names in WIT, made with what the interpreter has for all programs.
export const functions = ({ call, maybe, asAny, asCase, asInteger, asJson, asNumber, asText, asTruth }) => ({
{{functions}}
});
