//! Mistakes in JavaScript and TypeScript.

use super::mistake::Mistake;

pub(super) const IN_JAVASCRIPT: [Mistake; 7] = [
    Mistake {
        name: "an operand is missing",
        project: "sums-js",
        edits: &[("sums.js", "a + b", "a + ")],
        place: "sums.js:9:13",
        error: "this is no JavaScript that can be read",
        cure: "look at line 9",
    },
    Mistake {
        name: "a function is not exported",
        project: "sums-js",
        edits: &[("sums.js", "export function", "function")],
        place: "sums.js:8:1",
        error: "`add` is not exported",
        cure: "write `export` before it",
    },
    Mistake {
        name: "a default export",
        project: "sums-js",
        edits: &[("sums.js", "export function", "export default function")],
        place: "sums.js:8:1",
        error: "`add` is the default export",
        cure: "leave `default` out",
    },
    Mistake {
        name: "a parameter without a type in JSDoc",
        project: "sums-js",
        edits: &[("sums.js", "{number} b", "b")],
        place: "sums.js:8:24",
        error: "`add` does not say which type its parameter `b` has",
        cure: "`@param {string} b …`",
    },
    Mistake {
        name: "a module of Node",
        project: "sums-js",
        edits: &[("sums.js", "/**\n", "import fs from \"node:fs\";\n/**\n")],
        place: "sums.js:1:16",
        error: "Could not resolve \"node:fs\"",
        cure: "`node:fs` is a part of Node, and a tool runs without Node",
    },
    Mistake {
        name: "a name that is not defined",
        project: "sums-js",
        edits: &[("sums.js", "/**\n", "const key = process.env;\n/**\n")],
        place: "sums.js:1",
        error: "process is not defined",
        cure: "a tool runs without Node: its variables come by",
    },
    Mistake {
        name: "a function of the WIT is missing",
        project: "tool",
        edits: &[("tool.js", "greet(name", "great(name")],
        place: "tool.js:9",
        error: "`functions.greet` is missing",
        cure: "an interface is exported as `export const name",
    },
];

pub(super) const IN_TYPESCRIPT: [Mistake; 6] = [
    Mistake {
        name: "a bracket is missing",
        project: "sums-ts",
        edits: &[("sums.ts", "b: number):", "b: number:")],
        place: "sums.ts:8:41",
        error: "this is no TypeScript that can be read: expected `)`",
        cure: "look at line 8",
    },
    Mistake {
        name: "a parameter without a type",
        project: "sums-ts",
        edits: &[("sums.ts", "b: number", "b")],
        place: "sums.ts:8:32",
        error: "`add` does not say which type its parameter `b` has",
        cure: "write the type beside it, such as `b: string`",
    },
    Mistake {
        name: "a function as an argument",
        project: "sums-ts",
        edits: &[("sums.ts", "b: number", "b: (x: number) => number")],
        place: "sums.ts:8:32",
        error: "`add` uses the type `(x: number) => number`",
        cure: "use text, numbers, booleans, lists",
    },
    Mistake {
        name: "a type of another file",
        project: "sums-ts",
        edits: &[
            ("amount.ts", "", "export type Amount = number;\n"),
            (
                "sums.ts",
                "/**\n",
                "import type { Amount } from \"./amount\";\n/**\n",
            ),
            ("sums.ts", "b: number", "b: Amount"),
        ],
        place: "sums.ts:9:32",
        error: "`add` names `Amount` in a type, which the file does not define",
        cure: "define it in this file",
    },
    Mistake {
        name: "a class in place of functions",
        project: "sums-ts",
        edits: &[
            (
                "sums.ts",
                "export function add",
                "export class Sums {\n  add",
            ),
            ("sums.ts", "b;\n}", "b;\n}}"),
        ],
        place: "sums.ts:8:8",
        error: "`Sums` is a class, and only functions are offered",
        cure: "write its methods as functions of the file",
    },
    Mistake {
        name: "a file that there is not",
        project: "sums-ts",
        edits: &[
            (
                "sums.ts",
                "/**\n",
                "import { one } from \"./helper\";\n/**\n",
            ),
            ("sums.ts", "a + b", "one + a + b"),
        ],
        place: "sums.ts:1:21",
        error: "Could not resolve \"./helper\"",
        cure: "write the path of a file of the project",
    },
];
